// The preview of a file. No byte of a file becomes part of the page: images are rendered by the server, texts are text
// nodes, and a video can only be played.

import { element, fill } from '../../scripts/element.js';
import { describe } from '../../scripts/notices.js';
import { bytes } from '../../scripts/words.js';
import { previewOf, sign, sizeOf } from './kinds.js';
import { imageBlob, previewOperators } from './thumbnails.js';

const textBytes = 64 * 1024;
const side = 1200;

/// Shows the preview of a record in an element. `context` is that of the area; `signal` ends the requests.
export async function showPreview(place, record, { client, words }, signal) {
  const kind = previewOf(record);
  const none = () => fill(place, element('p', { class: 'files-sign' }, sign(record) || words('files.preview.none')));
  try {
    if (kind === 'image') await showImage(place, record, client, words, signal);
    else if (kind === 'text') await showText(place, record, client, words, signal);
    else if (kind === 'none') none();
    else showMedia(place, kind, record, words);
  } catch (error) {
    if (signal.aborted) return;
    none();
    place.append(...describe(error).map((line) => element('p', { class: 'hint' }, line)));
  }
}

async function showImage(place, record, client, words, signal) {
  const blob = await imageBlob(client, record.objectId, previewOperators(record, side), signal);
  const url = URL.createObjectURL(blob);
  signal.addEventListener('abort', () => URL.revokeObjectURL(url));
  fill(place, element('img', { src: url, alt: words('files.preview.alt', { name: record.name ?? '' }) }));
}

async function showText(place, record, client, words, signal) {
  const size = sizeOf(record);
  if (size === 0) return fill(place, element('p', { class: 'hint' }, words('files.preview.empty')));
  const response = await client.request('GET', `files/${encodeURIComponent(record.objectId)}/content`, {
    headers: { Range: `bytes=0-${textBytes - 1}` }, signal,
  });
  const charset = /charset=([\w-]+)/i.exec(record.mime_type ?? '')?.[1] ?? 'utf-8';
  let decoder;
  try {
    decoder = new TextDecoder(charset);
  } catch {
    decoder = new TextDecoder();
  }
  const text = decoder.decode(await response.arrayBuffer());
  fill(place, element('pre', { tabindex: '0', 'aria-label': words('files.preview.text') }, text));
  if (response.status === 206 && (size === null || size > textBytes)) {
    place.append(element('p', { class: 'hint' }, words('files.preview.part', { size: bytes(textBytes) })));
  }
  return undefined;
}

function showMedia(place, kind, record, words) {
  const label = words('files.preview.alt', { name: record.name ?? '' });
  const player = element(kind, { controls: true, preload: 'metadata', src: record.url, 'aria-label': label });
  player.addEventListener('error', () => {
    fill(place, element('p', { class: 'hint' }, words('files.preview.unplayable')));
  });
  fill(place, player);
}
