// The upload of the second step, by the queue of the area Files: it goes on while the reader is elsewhere.

import { element, fill, freshID } from '../../scripts/element.js';
import { describe } from '../../scripts/notices.js';
import { bytes } from '../../scripts/words.js';
import { queueOf } from '../files/queue.js';

/// A field for a photo in `node`; `onfinished()` is called after each upload.
export class Upload {
  #context;
  #queue;
  #onfinished;
  #mine = new Set();
  #progress = element('div', { role: 'status' });
  #changed = () => this.#show();

  node;

  constructor(context, onfinished) {
    this.#context = context;
    this.#onfinished = onfinished;
    const { client, words, session } = context;
    this.#queue = queueOf(client, session.app);
    const id = freshID('photo');
    const input = element('input', { id, name: 'photo', type: 'file', accept: 'image/*', multiple: true });
    input.addEventListener('change', () => {
      this.#add([...input.files]);
      input.value = '';
    });
    const label = element('label', { for: id }, words('first.photo.choose'));
    this.node = element('div', { class: 'first-form' }, label, input, this.#progress);
    this.#queue.addEventListener('change', this.#changed);
    this.#queue.addEventListener('finished', onfinished);
  }

  close() {
    this.#queue.removeEventListener('change', this.#changed);
    this.#queue.removeEventListener('finished', this.#onfinished);
  }

  async #add(files) {
    for (const file of files) this.#mine.add(file);
    try {
      await this.#queue.add(files);
    } catch (error) {
      this.#context.notices.fail(error);
    }
  }

  #show() {
    const { words } = this.#context;
    const mine = this.#queue.uploads.filter((upload) => this.#mine.has(upload.file));
    fill(this.#progress, mine.map(({ state, error, sent, entry }) => {
      const amount = words('files.uploads.amount', { sent: bytes(sent), size: bytes(entry.size) });
      const text = error ? describe(error).join(' ') : `${words(`files.uploads.${state}`)} · ${amount}`;
      return element('p', {}, `${entry.name}: ${text}`);
    }));
  }
}
