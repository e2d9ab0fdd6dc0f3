// The name and the metadata of a file, which the master key can change.

import { element, freshID } from '../../scripts/element.js';
import { describe } from '../../scripts/notices.js';

// The server sets these members itself.
const ofServer = ['size', '_checksum'];

/// A form for a record; `onsaved()` is called after a change.
export class MetadataForm {
  #record;
  #context;
  #onsaved;
  #name;
  #text;
  #error = element('p', { class: 'files-error', role: 'alert' });
  #stored;

  node;

  constructor(record, context, onsaved) {
    this.#record = record;
    this.#context = context;
    this.#onsaved = onsaved;
    const { words, session } = context;
    const [nameID, textID, errorID] = [freshID('name'), freshID('metadata'), freshID('error')];
    this.#error.id = errorID;
    this.#name = element('input', { id: nameID, readonly: session.readOnly });
    this.#text = element('textarea', {
      id: textID, rows: '10', spellcheck: 'false', readonly: session.readOnly, 'aria-describedby': errorID,
      oninput: () => this.#check(),
    });
    this.#name.value = record.name ?? '';
    this.#text.value = JSON.stringify(record.metaData ?? {}, null, 2);
    this.#stored = this.#values;
    const save = (event) => {
      event.preventDefault();
      this.#save();
    };
    this.node = element(
      'form',
      { class: 'files-metadata', onsubmit: save },
      element('label', { for: nameID }, words('files.name')), this.#name,
      element('label', { for: textID }, words('files.metadata')), this.#text, this.#error,
      !session.readOnly && element('button', { class: 'primary' }, words('files.save')),
    );
  }

  /// Whether the form has values that are not saved.
  get isChanged() {
    return this.#values !== this.#stored;
  }

  get #values() {
    return JSON.stringify([this.#name.value, this.#text.value]);
  }

  /// The metadata as an object; `null` if the text is none, with a message beside it.
  #check() {
    const { words } = this.#context;
    this.#error.textContent = '';
    this.#text.removeAttribute('aria-invalid');
    try {
      const value = JSON.parse(this.#text.value);
      if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value;
      this.#error.textContent = words('files.metadata.object');
    } catch (error) {
      this.#error.textContent = words('files.metadata.invalid', { message: error.message });
    }
    this.#text.setAttribute('aria-invalid', 'true');
    return null;
  }

  async #save() {
    const { client, notices, words } = this.#context;
    const metaData = this.#check();
    if (!metaData) {
      this.#text.focus();
      return;
    }
    for (const name of ofServer) delete metaData[name];
    const saved = this.#values;
    try {
      const path = `files/${encodeURIComponent(this.#record.objectId)}`;
      await client.send('PUT', path, { name: this.#name.value, metaData });
      this.#stored = saved;
      notices.say(words('files.saved'));
      this.#onsaved();
    } catch (error) {
      this.#error.textContent = describe(error).join(' ');
    }
  }
}
