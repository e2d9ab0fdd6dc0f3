// The grid of tiles: a list box with as many nodes as fit the view, however many files there are.

import { element, fill, freshID } from '../../scripts/element.js';
import { Tile } from './tile.js';

const tileWidth = 10.5;
const rowHeight = 13.5;
const rowsBeside = 1;
const rest = 80;
// Browsers place nothing beyond about 33 million pixels.
const mostPixels = 16_000_000;

/// Shows a FileList. `options`: `{ words, thumbnails, label, onopen(record), onselect(), ondelete() }`.
export class Grid {
  #options;
  #list = null;
  #tiles = new Map();
  #sizer = element('div', { class: 'files-sizer', role: 'none' });
  #columns = 1;
  #count = 0;
  #height = rowHeight * 16;
  #active = 0;
  #anchor = 0;
  #id = freshID('files');
  #resizes = new ResizeObserver(() => this.#layout());
  #frame = 0;
  #timer = 0;

  /// The selected records by id.
  selected = new Map();
  node;

  constructor(options) {
    this.#options = options;
    this.node = element('div', {
      class: 'files-grid', role: 'listbox', tabindex: '0', 'aria-multiselectable': 'true', 'aria-label': options.label,
      onscroll: () => this.#draw(), onkeydown: (event) => this.#key(event), onclick: (event) => this.#click(event),
      onfocus: () => this.#mark(),
    }, this.#sizer);
    this.#resizes.observe(this.node);
  }

  /// Shows another list from its beginning.
  show(list) {
    this.#list = list;
    this.#active = this.#anchor = this.#count = 0;
    this.select([]);
    this.#clear();
    this.node.scrollTop = 0;
    list.show(0, 1);
  }

  /// Shows what the list has loaded.
  update() {
    if (this.#list.count !== null && this.#list.count !== this.#count) {
      this.#count = this.#list.count;
      this.#layout();
    } else {
      this.#draw();
    }
  }

  /// Selects these records only.
  select(records) {
    this.selected = new Map(records.map((record) => [record.objectId, record]));
    for (const tile of this.#tiles.values()) tile.setSelected(this.selected.has(tile.id));
    this.#options.onselect();
  }

  close() {
    this.#resizes.disconnect();
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#timer);
    this.#clear();
  }

  #clear() {
    for (const tile of this.#tiles.values()) tile.close();
    this.#tiles.clear();
    fill(this.#sizer);
  }

  #layout() {
    if (!this.node.isConnected) return;
    const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
    const [width, height] = [tileWidth * rem, rowHeight * rem];
    this.#height = height;
    const columns = Math.max(1, Math.floor(this.node.clientWidth / width));
    if (columns !== this.#columns) this.#clear();
    this.#columns = columns;
    const rows = Math.min(Math.ceil(this.#count / columns), Math.floor(mostPixels / height));
    this.#count = Math.min(this.#count, rows * columns);
    this.#sizer.style.height = `${rows * height}px`;
    this.#draw();
  }

  #draw() {
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => this.#drawNow());
  }

  #drawNow() {
    if (!this.#list || this.#count === 0) return this.#clear();
    const height = this.#height;
    const top = Math.floor(this.node.scrollTop / height) - rowsBeside;
    const bottom = Math.ceil((this.node.scrollTop + this.node.clientHeight) / height) + rowsBeside;
    const first = Math.max(0, top) * this.#columns;
    const last = Math.min(this.#count, bottom * this.#columns) - 1;
    for (const [index, tile] of this.#tiles) {
      if (index >= first && index <= last && tile.isCurrent(this.#list.at(index))) continue;
      tile.close();
      this.#tiles.delete(index);
    }
    for (let index = first; index <= last; index += 1) if (!this.#tiles.has(index)) this.#add(index, height);
    this.#request(first, last);
    this.#mark();
  }

  /// Loads what is in view when the scrolling rests, so that a long way through the files makes no requests.
  #request(first, last) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#list.show(first, last), rest);
  }

  #add(index, height) {
    const tile = new Tile(this.#list.at(index), this.#options);
    const width = 100 / this.#columns;
    tile.node.id = `${this.#id}-${index}`;
    tile.node.dataset.index = index;
    tile.node.setAttribute('aria-posinset', index + 1);
    tile.node.setAttribute('aria-setsize', this.#count);
    Object.assign(tile.node.style, {
      top: `${Math.floor(index / this.#columns) * height}px`, left: `${(index % this.#columns) * width}%`,
      width: `${width}%`, height: `${height}px`,
    });
    tile.setSelected(this.selected.has(tile.id));
    this.#tiles.set(index, tile);
    this.#sizer.append(tile.node);
  }

  #mark() {
    for (const [index, tile] of this.#tiles) tile.node.classList.toggle('active', index === this.#active);
    if (this.#tiles.has(this.#active)) this.node.setAttribute('aria-activedescendant', `${this.#id}-${this.#active}`);
    else this.node.removeAttribute('aria-activedescendant');
  }

  #goTo(index, extending) {
    this.#active = Math.max(0, Math.min(this.#count - 1, index));
    const height = this.#height;
    const top = Math.floor(this.#active / this.#columns) * height;
    if (top < this.node.scrollTop) this.node.scrollTop = top;
    const bottom = top + height - this.node.clientHeight;
    if (bottom > this.node.scrollTop) this.node.scrollTop = bottom;
    if (extending) this.#selectRange();
    else this.#anchor = this.#active;
    this.#drawNow();
  }

  /// Selects from the anchor to the active tile; records that are not in memory are left out.
  #selectRange() {
    const [from, to] = [this.#anchor, this.#active].sort((left, right) => left - right);
    const records = [];
    for (let index = from; index <= to; index += 1) {
      const record = this.#list.at(index);
      if (record) records.push(record);
    }
    this.select(records);
  }

  #toggle(index) {
    const record = this.#list.at(index);
    if (!record) return;
    const selected = new Map(this.selected);
    if (!selected.delete(record.objectId)) selected.set(record.objectId, record);
    this.select([...selected.values()]);
  }

  #open(index) {
    const record = this.#list.at(index);
    if (record) this.#options.onopen(record);
  }

  #key(event) {
    const page = Math.max(1, Math.floor(this.node.clientHeight / this.#height)) * this.#columns;
    const moves = {
      ArrowLeft: this.#active - 1, ArrowRight: this.#active + 1, ArrowUp: this.#active - this.#columns,
      ArrowDown: this.#active + this.#columns, Home: 0, End: this.#count - 1, PageUp: this.#active - page,
      PageDown: this.#active + page,
    };
    if (event.ctrlKey || event.metaKey || event.altKey || this.#count === 0) return;
    if (event.key in moves) this.#goTo(moves[event.key], event.shiftKey);
    else if (event.key === 'Enter') this.#open(this.#active);
    else if (event.key === ' ') this.#toggle(this.#active);
    else if (event.key === 'Delete' && this.selected.size > 0) this.#options.ondelete();
    else if (event.key === 'Escape' && this.selected.size > 0) this.select([]);
    else return;
    event.preventDefault();
  }

  #click(event) {
    const node = event.target.closest('[data-index]');
    if (!node) return;
    this.#active = Number(node.dataset.index);
    if (event.shiftKey) {
      this.#selectRange();
    } else {
      this.#anchor = this.#active;
      const isToggle = event.ctrlKey || event.metaKey || event.target.closest('.files-check');
      if (isToggle) this.#toggle(this.#active);
      else this.#open(this.#active);
    }
    this.#mark();
  }
}
