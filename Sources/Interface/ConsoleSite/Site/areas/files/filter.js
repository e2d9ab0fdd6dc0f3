// The filter above the grid: kind or type, name, order.

import { element, freshID } from '../../scripts/element.js';
import { kinds } from './kinds.js';

const delay = 300;
const orders = { newest: '-createdAt', oldest: 'createdAt', largest: '-metaData.size', name: 'name' };

export class Filter {
  #words;
  #onchange;
  #kind;
  #search;
  #order;
  #type = null;
  #timer = 0;

  node;

  constructor(words, onchange) {
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
    );
  }

  /// `{ where, order }` for a query.
  get value() {
    const parts = [];
    // A media type can have a charset.
    const isType = { mime_type: { $regex: `^\\Q${this.#type}\\E(;|$)` } };
    const kind = this.#kind.value === 'type' ? isType : kinds[this.#kind.value];
    if (kind) parts.push(kind);
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

  /// Shows the files of one media type.
  setType(type) {
    const option = this.#kind.querySelector('option[value=type]') ?? element('option', { value: 'type' });
    option.textContent = type;
    this.#kind.append(option);
    this.#type = type;
    this.#kind.value = 'type';
    this.#changed();
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
