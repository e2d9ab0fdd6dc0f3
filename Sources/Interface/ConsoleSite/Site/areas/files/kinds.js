// The kinds of files, which decide the filter, the preview and the sign of a tile.

/// The kinds of the filter with the condition for each; `null` for all files.
export const kinds = {
  all: null,
  image: { mime_type: { $regex: '^image/' } },
  video: { mime_type: { $regex: '^video/' } },
  audio: { mime_type: { $regex: '^audio/' } },
  text: { mime_type: { $regex: '^text/' } },
  application: { mime_type: { $regex: '^application/' } },
};

const texts = /^(text\/|application\/(json|xml|javascript|x-sh|yaml|x-yaml|x-ndjson)\b)|\+(json|xml)$/;

/// Whether the server can render an image from a file: its bytes decide, but its type is known before.
export function isRendered({ mime_type: type = '' }) {
  return type.startsWith('image/') || type === 'application/pdf';
}

/// Whether a file can have a verdict: an image, or a file of which the server alone knows whether it is one.
export function canBeCensored({ mime_type: type = '', key, url, censorResult }) {
  return type.startsWith('image/') || Boolean(censorResult) || Boolean(url && !key);
}

/// How a file is previewed: `image`, `video`, `audio`, `text`, or `none`.
export function previewOf(record) {
  const type = record.mime_type ?? '';
  if (isRendered(record)) return 'image';
  if (type.startsWith('video/')) return 'video';
  if (type.startsWith('audio/')) return 'audio';
  return texts.test(type) ? 'text' : 'none';
}

/// A short sign for a file without a thumbnail: its extension, or the second half of its type.
export function sign(record) {
  const extension = /\.([^./\\]{1,5})$/.exec(record.name ?? '')?.[1];
  return (extension ?? (record.mime_type ?? '').split('/').at(-1).slice(0, 5) ?? '').toUpperCase();
}

/// The size of a file in bytes; `null` if it is not known.
export function sizeOf(record) {
  const size = record.metaData?.size;
  return typeof size === 'number' ? size : null;
}
