// The list of uploads with their progress.

import { element, fill, freshID } from '../../scripts/element.js';
import { describe } from '../../scripts/notices.js';
import { bytes } from '../../scripts/words.js';
import { UnreadableFile } from './tus.js';

const shown = 50;

/// Shows a queue. `context` is that of the area.
export class UploadPanel {
  #queue;
  #context;
  #rows = new Map();
  #frame = 0;
  #title = element('h2', { id: freshID('uploads'), 'aria-live': 'polite' });
  #list = element('ul', { class: 'files-uploads-list' });
  #more = element('p', { class: 'hint' });
  #update = () => this.#draw();

  node;

  constructor(queue, context) {
    this.#queue = queue;
    this.#context = context;
    const clear = element(
      'button', { type: 'button', onclick: () => this.#clear() }, context.words('files.uploads.clear'),
    );
    this.node = element(
      'section',
      { class: 'files-uploads', 'aria-labelledby': this.#title.id, hidden: true },
      element('div', { class: 'files-line' }, this.#title, clear),
      this.#list,
      this.#more,
    );
    queue.addEventListener('change', this.#update);
    this.#draw();
  }

  close() {
    cancelAnimationFrame(this.#frame);
    this.#queue.removeEventListener('change', this.#update);
  }

  #draw() {
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => this.#drawNow());
  }

  #drawNow() {
    const { words } = this.#context;
    const { uploads } = this.#queue;
    const open = uploads.filter((upload) => upload.state !== 'done');
    this.node.hidden = uploads.length === 0;
    fill(this.#title, words('files.uploads', { open: open.length, count: uploads.length }));
    // Those that need the reader or run are first.
    const order = { failed: 0, missing: 0, running: 1, paused: 1, waiting: 2, done: 3 };
    const first = [...uploads].sort((left, right) => order[left.state] - order[right.state]).slice(0, shown);
    for (const [upload, row] of this.#rows) {
      if (first.includes(upload)) continue;
      row.node.remove();
      this.#rows.delete(upload);
    }
    for (const [index, upload] of first.entries()) {
      if (!this.#rows.has(upload)) this.#rows.set(upload, new Row(upload, this.#queue, this.#context));
      const row = this.#rows.get(upload);
      row.update();
      const there = this.#list.children[index] ?? null;
      if (there !== row.node) this.#list.insertBefore(row.node, there);
    }
    const hidden = uploads.length - first.length;
    this.#more.hidden = hidden === 0;
    fill(this.#more, hidden > 0 && words('files.uploads.more', { count: hidden }));
  }

  #clear() {
    for (const upload of this.#queue.uploads) if (upload.state === 'done') this.#queue.remove(upload);
  }
}

class Row {
  #upload;
  #queue;
  #context;
  #state = '';
  #progress;
  #text = element('span', { class: 'files-uploads-text' });
  #buttons = element('span', { class: 'files-uploads-buttons' });

  node;

  constructor(upload, queue, context) {
    this.#upload = upload;
    this.#queue = queue;
    this.#context = context;
    this.#progress = element('progress', { max: '1', 'aria-label': upload.entry.name });
    const name = element('span', { class: 'files-uploads-name' }, upload.entry.name);
    this.node = element('li', {}, name, this.#progress, this.#text, this.#buttons);
  }

  update() {
    const { state, sent, entry, error } = this.#upload;
    const { words } = this.#context;
    this.#progress.value = state === 'done' || entry.size === 0 ? 1 : sent / entry.size;
    const amount = words('files.uploads.amount', { sent: bytes(sent), size: bytes(entry.size) });
    const text = state === 'failed'
      ? error instanceof UnreadableFile ? words('files.uploads.unreadable') : describe(error).join(' ')
      : `${words(`files.uploads.${state}`)} · ${amount}`;
    if (this.#text.textContent !== text) fill(this.#text, text);
    if (state === this.#state) return;
    this.#state = state;
    this.node.dataset.state = state;
    fill(this.#buttons, this.#actions(state));
  }

  #actions(state) {
    const { words, notices } = this.#context;
    const name = this.#upload.entry.name;
    const button = (key, onclick) => {
      const label = words('files.uploads.label', { action: words(key), name });
      return element('button', { type: 'button', 'aria-label': label, onclick }, words(key));
    };
    const remove = button(state === 'done' ? 'files.uploads.hide' : 'cancel', () => {
      this.#queue.remove(this.#upload).catch(notices.fail);
    });
    switch (state) {
      case 'waiting':
      case 'running': return [button('files.uploads.pause', () => this.#queue.pause(this.#upload)), remove];
      case 'paused': return [button('files.uploads.continue', () => this.#queue.resume(this.#upload)), remove];
      case 'failed': return [button('files.uploads.retry', () => this.#queue.resume(this.#upload)), remove];
      case 'missing': return [button('files.uploads.choose', () => this.#choose()), remove];
      default: return [remove];
    }
  }

  #choose() {
    const { words, notices } = this.#context;
    const input = element('input', { type: 'file' });
    input.addEventListener('change', () => {
      const file = input.files[0];
      if (file && this.#upload.matches(file)) this.#queue.continue(this.#upload, file);
      else if (file) notices.say(words('files.uploads.other', { name: this.#upload.entry.name }));
    });
    input.click();
  }
}
