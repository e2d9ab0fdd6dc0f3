// The files and objects of a user: what it uploaded, the files in its fields, and the objects that point to it.

import { isInternal } from '../../scripts/classes.js';
import { element, fill } from '../../scripts/element.js';
import { describe } from '../../scripts/notices.js';
import { address } from '../../scripts/router.js';
import { typeOf } from '../../scripts/values.js';
import { isRendered, sign } from '../files/kinds.js';
import { Thumbnails } from '../files/thumbnails.js';
import { isID, pointer, tableAddress } from './links.js';

const newest = 12;
const parallel = 2;
/// The most fields of other classes that are searched for the user.
const mostFields = 50;

export class Belongings {
  #options;
  #thumbnails;
  #state = element('p', { role: 'status' });
  #files = element('ul', { class: 'people-files' });
  #objects = element('ul', { class: 'people-list' });

  node;

  /// - `options`: `{ id, name, context, signal }` of the page of the user; `user`: the user itself.
  constructor(options, user) {
    this.#options = options;
    this.#thumbnails = new Thumbnails(options.context.client, 60);
    this.node = element('div', {}, this.#state, this.#files, this.#objects);
    this.#load(user).catch((error) => {
      if (options.signal.aborted) return;
      fill(this.#state, options.context.words('people.failed'));
      options.context.notices.fail(error);
    });
  }

  close() {
    this.#thumbnails.close();
  }

  async #load(user) {
    const { words } = this.#options.context;
    fill(this.#state, words('loading'));
    const own = Object.entries(user).filter(([, value]) => typeOf(value) === 'File');
    for (const [field, value] of own) this.#addFile({ ...value, objectId: value.objectId ?? value.id }, field);
    const [count, fields] = [await this.#loadFiles(), await this.#fields()];
    const waiting = fields.slice(0, mostFields);
    const work = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) await this.#countObjects(next);
    };
    await Promise.all(Array.from({ length: parallel }, work));
    const isNone = count + own.length + this.#objects.childElementCount === 0;
    fill(this.#state, words(isNone ? 'people.belongings.none' : 'people.belongings.count', { count }));
    if (fields.length > mostFields) {
      this.#objects.append(element('li', { class: 'hint' }, words('people.belongings.more')));
    }
  }

  /// Shows the newest uploads; returns the number of all.
  async #loadFiles() {
    const { id, context, signal } = this.#options;
    const { results, count } = await context.client.get('files', {
      where: { 'metaData.owner': id }, order: '-createdAt', limit: newest, count: 1, keys: 'name,mime_type,url',
    }, { signal });
    for (const record of results) this.#addFile(record);
    return count;
  }

  /// A file as a link to its page, with a thumbnail if it has one.
  #addFile(record, field = null) {
    if (!isID(record.objectId)) return;
    const name = record.name ?? record.objectId;
    const picture = element('span', { class: 'people-picture', 'aria-hidden': 'true' }, sign(record));
    const link = element('a', { href: address('files', 'file', record.objectId), title: name }, picture,
      element('span', { class: 'people-file-name' }, field === null ? name : `${field}: ${name}`));
    this.#files.append(element('li', {}, link));
    if (!isRendered(record)) return;
    this.#thumbnails.request(record, (url) => {
      if (url) fill(picture, element('img', { src: url, alt: '', decoding: 'async' }));
    });
  }

  /// The pointers to users that classes have.
  async #fields() {
    const { context, signal } = this.#options;
    const schemas = await context.client.get('schemas', {}, { signal });
    return Object.entries(schemas).filter(([className]) => !isInternal(className)).flatMap(([className, fields]) =>
      Object.entries(fields)
        .filter(([, { type, className: target }]) => type === 'Pointer' && target === '_User')
        .map(([field]) => ({ className, field })));
  }

  async #countObjects({ className, field }) {
    const { id, context, signal } = this.#options;
    const where = { [field]: pointer('_User', id) };
    const path = `classes/${encodeURIComponent(className)}`;
    try {
      const { count } = await context.client.get(path, { where, limit: 0, count: 1 }, { signal });
      if (count === 0) return;
      const text = context.words('people.belongings.objects', { className, field, count });
      this.#objects.append(element('li', {}, element('a', { href: tableAddress(className, where) }, text)));
    } catch (error) {
      if (signal.aborted) throw error;
      // A large class without an index on the field can take longer than the server allows.
      const values = { className, field, message: describe(error).join(' ') };
      this.#objects.append(element('li', { class: 'hint' }, context.words('people.belongings.skipped', values)));
    }
  }
}
