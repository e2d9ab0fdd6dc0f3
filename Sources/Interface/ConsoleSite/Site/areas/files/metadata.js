// The name and the metadata of a file, which the master key can change.

import { element, freshID } from '../../scripts/element.js';
import { inexactNumber } from '../../scripts/numbers.js';
import { Invalid, textOfError } from '../../scripts/panel.js';
import { cellText } from '../../scripts/values.js';

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
  /// What the server has: `name` and `text` as the fields show them, and `updatedAt`.
  #base = { name: '', text: '' };
  #isSaving = false;

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
    this.#take(record, this.#base);
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
    return this.#name.value !== this.#base.name || this.#text.value !== this.#base.text;
  }

  /// Takes what the server has now. A field that has the value of `known` shows it; in the others something was typed.
  #take(record, known) {
    const { metaData = {}, updatedAt } = record;
    // The field has one line.
    const name = (record.name ?? '').replace(/[\r\n]/g, '');
    this.#base = { name, text: JSON.stringify(metaData, null, 2), updatedAt };
    if (this.#name.value === known.name) this.#name.value = name;
    if (this.#text.value === known.text) this.#text.value = this.#base.text;
  }

  /// The metadata as an object; `null` if the text is none, with a message beside it.
  #check() {
    const { words } = this.#context;
    this.#error.textContent = '';
    this.#text.removeAttribute('aria-invalid');
    try {
      const value = JSON.parse(this.#text.value);
      const isObject = value !== null && typeof value === 'object' && !Array.isArray(value);
      const number = inexactNumber(this.#text.value);
      if (isObject && number === undefined) return value;
      this.#error.textContent = isObject ? words('files.metadata.number', { number }) : words('files.metadata.object');
    } catch (error) {
      this.#error.textContent = words('files.metadata.invalid', { message: error.message });
    }
    this.#text.setAttribute('aria-invalid', 'true');
    return null;
  }

  async #save() {
    const { notices, words } = this.#context;
    if (this.#isSaving) return;
    const typed = { name: this.#name.value, text: this.#text.value };
    const changes = {};
    if (typed.name !== this.#base.name) changes.name = typed.name;
    if (typed.text !== this.#base.text) {
      changes.metaData = this.#check();
      if (!changes.metaData) {
        this.#text.focus();
        return;
      }
      for (const name of ofServer) delete changes.metaData[name];
    }
    this.#isSaving = true;
    this.#error.textContent = '';
    try {
      if (this.isChanged) await this.#send(changes, typed);
      notices.say(words('files.saved'));
      this.#onsaved();
    } catch (error) {
      this.#error.textContent = textOfError(error);
    } finally {
      this.#isSaving = false;
    }
  }

  /// Changes the file if no other client has changed the same since it was read.
  ///
  /// Otherwise throws `Invalid` with what it is now, and the next call replaces that.
  async #send(changes, typed) {
    const { client, words } = this.#context;
    const path = `files/${encodeURIComponent(this.#record.objectId)}`;
    for (;;) {
      const before = this.#base;
      const where = { updatedAt: { __type: 'Date', iso: before.updatedAt } };
      try {
        await client.send('PUT', path, changes, { query: { where } });
        this.#take(await client.get(path), typed);
        return;
      } catch (error) {
        if (error.code !== 305) throw error;
      }
      const now = await client.get(path);
      this.#take(now, before);
      // A change of what is not replaced, such as a verdict, needs no question.
      const isReplaced = (changes.name !== undefined && this.#base.name !== before.name)
        || (changes.metaData !== undefined && this.#base.text !== before.text);
      if (isReplaced) {
        const values = { name: this.#base.name, metadata: cellText(now.metaData ?? {}) };
        throw new Invalid(words('files.metadata.changed', values));
      }
    }
  }
}
