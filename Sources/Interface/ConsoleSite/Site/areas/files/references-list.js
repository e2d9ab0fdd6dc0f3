// The list of the objects that refer to a file.

import { element, fill } from '../../scripts/element.js';
import { describe } from '../../scripts/notices.js';
import { address } from '../../scripts/router.js';
import { findReferences } from './references.js';

/// The address of an object in the area Data.
export function addressOfObject(className, id) {
  return address('data', 'class', className, JSON.stringify({ where: { objectId: id } }));
}

/// Searches when it is made; strings are searched when the reader asks for it.
export class References {
  #record;
  #context;
  #signal;
  #list = element('ul', { class: 'files-references' });
  #status = element('p', { role: 'status' });
  #more;
  #found = 0;

  node;

  constructor(record, context, signal) {
    this.#record = record;
    this.#context = context;
    this.#signal = signal;
    const { words } = context;
    const search = () => this.#search(true);
    this.#more = element(
      'button', { type: 'button', hidden: !record.key, onclick: search }, words('files.references.texts'),
    );
    this.node = element('div', {}, this.#status, this.#list, this.#more,
      element('p', { class: 'hint' }, words('files.references.hint')));
    this.#search(false);
  }

  async #search(texts) {
    const { client, words, notices } = this.#context;
    fill(this.#status, words('files.references.searching'));
    this.#more.disabled = true;
    try {
      const classes = await findReferences(client, this.#record, {
        texts, signal: this.#signal, onfound: (found) => this.#add(found),
        onskipped: (name, error) => {
          const text = words('files.references.skipped', { name, message: describe(error).join(' ') });
          this.#list.append(element('li', { class: 'files-error' }, text));
        },
      });
      fill(this.#status, words('files.references.found', { count: this.#found, classes }));
      if (texts) this.#more.hidden = true;
    } catch (error) {
      if (this.#signal.aborted) return;
      fill(this.#status);
      notices.fail(error);
    } finally {
      this.#more.disabled = false;
    }
  }

  #add({ className, count, objects }) {
    const { words } = this.#context;
    this.#found += count;
    for (const { id, fields } of objects) {
      const link = element('a', { href: addressOfObject(className, id) }, `${className} ${id}`);
      this.#list.append(element('li', {}, link, fields.length > 0 && ` – ${fields.join(', ')}`));
    }
    if (count > objects.length) {
      const text = words('files.references.more', { count: count - objects.length, name: className });
      this.#list.append(element('li', { class: 'hint' }, text));
    }
  }
}
