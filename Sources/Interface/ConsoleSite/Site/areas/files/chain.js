// The operators of an image URL (docs/image-options.md) for the settings of the form of operations.

/// The settings that change nothing.
export const unchanged = Object.freeze({
  fit: 'none', width: 400, height: 300, gravity: 'Center', rotate: 0, blur: 0, sharpen: false, format: '', quality: 0,
  text: '', textSize: 24,
});

function size({ width, height }) {
  return `${width || ''}x${height || ''}`;
}

function resizing(settings) {
  if (!settings.width && !settings.height) return [];
  switch (settings.fit) {
    case 'inside': return [`thumbnail/${size(settings)}>`];
    case 'exact': return [`thumbnail/${size(settings)}!`];
    case 'cover': {
      const box = { width: settings.width || settings.height, height: settings.height || settings.width };
      return [`thumbnail/!${size(box)}r`, `gravity/${settings.gravity}`, `crop/${size(box)}`];
    }
    default: return [];
  }
}

/// Base64 for URLs of a string in UTF-8.
export function base64(text) {
  const characters = [...new TextEncoder().encode(text)].map((byte) => String.fromCharCode(byte)).join('');
  return btoa(characters).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/// The chain of operators, not percent-encoded; an empty string for the file itself.
export function operators(settings) {
  const steps = resizing(settings);
  if (settings.rotate) steps.push(`rotate/${settings.rotate}`);
  if (settings.blur) steps.push(`blur/${Math.min(50, 3 * settings.blur)}x${settings.blur}`);
  if (settings.sharpen) steps.push('sharpen/1');
  if (settings.format) steps.push(`format/${settings.format}`);
  if (settings.quality) steps.push(`quality/${settings.quality}`);
  const chain = steps.length > 0 ? [`imageMogr2/auto-orient/${steps.join('/')}`] : [];
  // Sizes of text are in twentieths of a pixel.
  if (settings.text.trim()) chain.push(`watermark/2/text/${base64(settings.text)}/fontsize/${20 * settings.textSize}`);
  return chain.join('|');
}

/// The URL of a file with a chain, which stands before the signature of a private file.
export function addressOf(url, chain) {
  if (!chain) return url;
  const [address, signature] = url.split('?');
  // As the server writes it.
  const encoded = encodeURI(chain).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
  return [`${address}?${encoded}`, signature].filter(Boolean).join('&');
}
