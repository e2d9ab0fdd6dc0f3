// The image of a file, blurred until the reader looks at it. It is also shown while the file is blocked: its address is
// signed for an hour.

import { element, fill } from '../../scripts/element.js';
import { rasterBlob } from '../../scripts/images.js';
import { describe } from '../../scripts/notices.js';
import { stateOf } from './decisions.js';

const side = 1200;

/// Gets the image of an entry of the review list, no wider and higher than `side` pixels.
export async function imageOf(client, entry, size, signal) {
  const chain = `imageView2/2/w/${size}/h/${size}/format/webp`;
  const load = (address) => rasterBlob(client, `${client.pathOf(address)}?${chain}`, signal);
  try {
    return await load(entry.thumbnailURL);
  } catch (error) {
    if (error.status !== 403) throw error;
    // The list is older than an hour.
    return load((await stateOf(client, entry.objectId, signal)).thumbnailURL);
  }
}

/// Shows one image after the other in `node`.
export class Picture {
  #context;
  #loading = new AbortController();
  #url = null;
  #image = element('div', { class: 'censor-image' });
  #button;

  node;

  constructor(context) {
    this.#context = context;
    this.#button = element('button', { type: 'button', class: 'censor-look', onclick: () => this.toggle() });
    this.node = element('div', { class: 'censor-picture' }, this.#image, this.#button);
    this.#setBlurred(true);
  }

  /// Shows the image of an entry, blurred.
  async show(entry) {
    const { client, words } = this.#context;
    this.#release();
    this.#setBlurred(true);
    const { signal } = this.#loading;
    fill(this.#image, element('p', { class: 'hint' }, words('loading')));
    try {
      const blob = await imageOf(client, entry, side, signal);
      if (signal.aborted) return;
      this.#url = URL.createObjectURL(blob);
      fill(this.#image, element('img', { src: this.#url, alt: words('censor.image', { name: entry.name ?? '' }) }));
    } catch (error) {
      if (signal.aborted) return;
      const lines = [words('censor.image.none'), ...describe(error)];
      fill(this.#image, lines.map((line) => element('p', { class: 'hint' }, line)));
    }
  }

  /// Shows the image sharp, or blurred again.
  toggle() {
    this.#setBlurred(this.node.dataset.blurred !== 'true');
  }

  close() {
    this.#release();
  }

  #setBlurred(isBlurred) {
    this.node.dataset.blurred = String(isBlurred);
    fill(this.#button, this.#context.words(isBlurred ? 'censor.look' : 'censor.blur'));
  }

  #release() {
    this.#loading.abort();
    this.#loading = new AbortController();
    if (this.#url) URL.revokeObjectURL(this.#url);
    this.#url = null;
  }
}
