// The editor of files: a stored file, searched by name or id, with a preview if it is an image.
import { element } from '../../../scripts/element.js';
import { pointerEditor } from './pointer.js';

export function fileEditor({ value, column, words, client }) {
  const id = value?.objectId ?? value?.id;
  const pointer = pointerEditor({
    value: id === undefined ? undefined : { className: '_File', objectId: id },
    column: { ...column, className: '_File' }, words, client,
  });
  return {
    node: element('div', { class: 'stack' }, id !== undefined && preview(value, id, words, client), pointer.node),
    read: () => ({ __type: 'File', id: pointer.read().objectId }),
    focus: pointer.focus,
  };
}

/// A small copy of an image, which the server renders; other files have their name only.
function preview(value, id, words, client) {
  const lines = [value?.name, value?.mime_type].filter((text) => typeof text === 'string');
  const place = element('div', { class: 'hint' }, lines.join(' · '));
  if (/^image\//.test(value?.mime_type ?? '')) {
    showImage(
      place,
      `files/${encodeURIComponent(id)}/content?imageView2/2/w/320/h/240`,
      value.name ?? id,
      words,
      client,
    )
      .catch(() => place.append(element('p', {}, words('data.noPreview'))));
  }
  return place;
}

/// The call needs the session's token, which a source of an image cannot send.
async function showImage(place, path, name, words, client) {
  const address = URL.createObjectURL(await (await client.request('GET', path)).blob());
  const image = element('img', { class: 'preview', alt: words('data.preview', { name }), src: address });
  const release = () => URL.revokeObjectURL(address);
  image.addEventListener('load', release);
  image.addEventListener('error', release);
  place.prepend(image);
}
