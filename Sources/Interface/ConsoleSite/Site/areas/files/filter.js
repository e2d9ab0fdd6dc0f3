// The filter above the grid: kind or type, name, order.

import { element, fill, freshID } from '../../scripts/element.js';
import { kinds } from './kinds.js';

const delay = 300;
const orders = { newest: '-createdAt', oldest: 'createdAt', largest: '-metaData.size', name: 'name' };

export class Filter {
  #words;
  #onchange;
  #onclear;
  #kind;
  #search;
  #order;
  #type = null;
  #owner = null;
  #ownerPlace = element('div', { class: 'files-field', hidden: true });
  #timer = 0;

  node;

  /// - `onchange()`: called when the filter is another one; `onclear()`: when the files of all users are wanted.
  constructor(words, onchange, onclear) {
    this.#words = words;
    this.#onchange = onchange;
    const changed = () => this.#changed();
    const choice = (id, names, key) => element(
      'select',
      { id: freshID(id), onchange: changed },
      names.map((name) => element('option', { value: name }, words(`${key}.${name}`))),
    );
    this.#kind = choice('kind', Object.keys(kinds), 'files.kind');
    this.#order = choice('order', Object.keys(orders), 'files.order');
    this.#search = element('input', {
      id: freshID('search'), type: 'search', autocomplete: 'off', oninput: () => this.#typed(),
    });
    const field = (key, control) => element(
      'div', { class: 'files-field' }, element('label', { for: control.id }, words(key)), control,
    );
    this.node = element(
      'form',
      { class: 'files-filter', role: 'search', 'aria-label': words('files.filter'), onsubmit: (event) => {
        event.preventDefault();
        this.#changed();
      } },
      field('files.search', this.#search), field('files.kind', this.#kind), field('files.order', this.#order),
      this.#ownerPlace,
    );
    this.#onclear = onclear;
  }

  /// `{ where, order }` for a query.
  get value() {
    const parts = [];
    // A media type can have a charset.
    const isType = { mime_type: { $regex: `^\\Q${this.#type}\\E(;|$)` } };
    const kind = this.#kind.value === 'type' ? isType : kinds[this.#kind.value];
    if (kind) parts.push(kind);
    if (this.#owner) parts.push({ 'metaData.owner': this.#owner });
    const text = this.#search.value.trim();
    if (text) {
      const literal = `\\Q${text.replaceAll('\\E', '\\E\\\\E\\Q')}\\E`;
      parts.push({ $or: [{ name: { $regex: literal, $options: 'i' } }, { objectId: text }, { key: text }] });
    }
    const where = parts.length > 1 ? { $and: parts } : parts[0];
    return { where, order: orders[this.#order.value] };
  }

  /// Whether the filter lets every file through.
  get isEmpty() {
    return this.value.where === undefined;
  }

  /// The media type whose files are shown; `null` for a kind of the list.
  get type() {
    return this.#kind.value === 'type' ? this.#type : null;
  }

  /// The id of the user whose files are shown; `null` for the files of all.
  get owner() {
    return this.#owner;
  }

  /// The end of the address of the grid.
  get path() {
    if (this.#owner) return ['owner', this.#owner];
    return this.type ? ['type', this.type] : [];
  }

  /// Shows the files that one user has uploaded, those of one media type, or those of all users and types (`null`).
  restrict(owner, type) {
    this.#setType(type);
    this.#setOwner(owner);
    this.#changed();
  }

  #setType(type) {
    const option = this.#kind.querySelector('option[value=type]') ?? element('option', { value: 'type' });
    if (type !== null) {
      option.textContent = type;
      this.#kind.append(option);
      this.#kind.value = 'type';
    } else if (this.type !== null) {
      this.#kind.value = 'all';
      option.remove();
    }
    this.#type = type;
  }

  #setOwner(id) {
    this.#owner = id;
    this.#ownerPlace.hidden = id === null;
    const button = element('button', { type: 'button', onclick: () => this.#onclear() }, this.#words('files.owner.all'));
    fill(this.#ownerPlace, element('span', {}, this.#words('files.owner', { id: id ?? '' })), button);
  }

  focus() {
    this.#search.focus();
    this.#search.select();
  }

  #typed() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#changed(), delay);
  }

  #changed() {
    clearTimeout(this.#timer);
    this.#onchange();
  }
}
