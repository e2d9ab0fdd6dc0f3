// A table of any number of rows, of which only the visible ones are nodes (ARIA's pattern "grid").
import { element } from '../../scripts/element.js';
import { gridHead } from './grid-head.js';
import { gridKeys } from './grid-keys.js';
import { rowNode } from './grid-row.js';

/// The heights of a row and of the head in pixels, as in data.css.
const rowHeight = 34;
const headHeight = 46;
/// The number of rows above and below the visible ones that have nodes.
const margin = 8;

export class Grid {
  #rows;
  #columns;
  #options;
  #nodes = new Map();
  #scroller;
  #body;
  #head;
  #frame = 0;
  #size;
  #offset;
  #scroll;

  /// - `rows`: a source of rows: `length`, `at(position)`, `need(first, last)`, and `onChange`, which is set here.
  /// - `columns`: those of `columnsOf`.
  /// - `options`: `label`, `words`; `order` as in the API; `selection`: without it there are no check boxes;
  ///   `onOpen(position, column, cell)`, `onSort(column)`, `onRemove()`; `active` and `scroll` of an earlier table.
  constructor(rows, columns, options) {
    this.#rows = rows;
    this.#columns = columns;
    this.#options = options;
    /// The cell that the Tab key reaches: a position, -1 for the head, and the index of a column.
    this.active = options.active ?? { row: 0, column: options.selection === undefined ? 0 : 1 };
    this.#offset = options.selection === undefined ? 0 : 1;
    this.#scroll = options.scroll;
    this.#head = gridHead(columns, options);
    this.#body = element('div', { role: 'rowgroup', class: 'grid-body' });
    this.#scroller = element('div', {
      class: 'grid', role: 'grid', 'aria-label': options.label, 'aria-colcount': String(this.width),
      'aria-multiselectable': options.selection === undefined ? 'false' : 'true',
    }, element('div', { role: 'rowgroup', class: 'grid-head' }, this.#head.node), this.#body);
    const widths = columns.map((column) => `${column.width}px`).join(' ');
    this.#scroller.style.setProperty('--columns', options.selection === undefined ? widths : `40px ${widths}`);
    this.#scroller.addEventListener('scroll', () => this.#schedule(), { passive: true });
    this.#scroller.addEventListener('focusin', (event) => this.#noteFocus(event.target));
    this.#scroller.addEventListener('keydown', (event) => gridKeys(this, event));
    this.#size = new ResizeObserver(() => this.#schedule());
    this.#size.observe(this.#scroller);
    rows.onChange = () => this.refresh();
    this.refresh();
  }

  /// The element of the table.
  get node() { return this.#scroller; }
  /// The number of rows.
  get length() { return this.#rows.length; }
  /// The number of columns, with that of the check boxes.
  get width() { return this.#columns.length + this.#offset; }
  /// The number of rows that fit on the screen.
  get pageLength() { return Math.max(1, Math.floor((this.#scroller.clientHeight - headHeight) / rowHeight) - 1); }
  /// The options that the table was made with.
  get options() { return this.#options; }

  /// Renders all visible rows again.
  refresh() {
    for (const node of this.#nodes.values()) node.isStale = true;
    this.#schedule();
  }

  /// Opens the editor of the active cell.
  open() {
    const { row, column } = this.active;
    const index = column - this.#offset;
    if (row < 0) this.#head.press(column);
    else if (index < 0) this.select();
    else if (this.#rows.at(row) !== undefined) this.#options.onOpen(row, this.#columns[index], this.#cell(row, column));
  }

  /// Changes whether the active row is selected.
  select() {
    const object = this.#rows.at(this.active.row);
    if (object !== undefined) this.#options.selection?.toggle(object.objectId);
  }

  /// Moves the focus to a cell; positions outside of the table become the nearest ones inside.
  focus(row, column) {
    const target = {
      row: Math.max(-1, Math.min(row, this.length - 1)), column: Math.max(0, Math.min(column, this.width - 1)),
    };
    this.#markActive(target);
    if (target.row >= 0) this.#reveal(target.row);
    const node = this.#nodes.get(target.row);
    if (node?.isWaiting) node.isStale = true;
    this.#render();
    this.#cell(target.row, target.column)?.focus();
  }

  /// Shows which rows are selected.
  showSelection() {
    for (const node of this.#nodes.values()) node.showSelection();
    this.#head.update(this.active, this.length);
  }

  /// Stops observing.
  close() {
    cancelAnimationFrame(this.#frame);
    this.#size.disconnect();
  }

  #schedule() {
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => this.#render());
  }

  #reveal(row) {
    const top = row * rowHeight;
    const height = this.#scroller.clientHeight - headHeight;
    if (top < this.#scroller.scrollTop) this.#scroller.scrollTop = top;
    else if (top + rowHeight > this.#scroller.scrollTop + height) this.#scroller.scrollTop = top + rowHeight - height;
  }

  #render() {
    const total = this.length;
    if (this.active.row >= total) this.active = { row: Math.max(0, total - 1), column: this.active.column };
    this.#scroller.setAttribute('aria-rowcount', String(total + 1));
    this.#body.style.height = `${total * rowHeight}px`;
    if (this.#scroll !== undefined && total > 0) {
      this.#scroller.scrollTo(this.#scroll);
      this.#scroll = undefined;
    }
    const first = Math.max(0, Math.floor(this.#scroller.scrollTop / rowHeight) - margin);
    const visible = Math.ceil(this.#scroller.clientHeight / rowHeight);
    const last = Math.min(total - 1, first + visible + 2 * margin);
    for (const [row, node] of this.#nodes) {
      const isOutside = (row < first || row > last) && row !== this.active.row;
      if (isOutside || row >= total) {
        node.remove();
        this.#nodes.delete(row);
      }
    }
    for (const row of range(first, last)) this.#renderRow(row);
    // The active row has a node wherever it is, so that the focus is not lost by scrolling.
    if (this.active.row >= 0 && this.active.row < total) this.#renderRow(this.active.row);
    this.#head.update(this.active, total);
    if (total > 0) this.#rows.need(first, last);
  }

  #renderRow(row) {
    const old = this.#nodes.get(row);
    if (old !== undefined && !old.isStale) return;
    const column = old?.contains(document.activeElement) ? this.active.column : -1;
    const node = rowNode(row, this.#rows.at(row), this.#columns, this.#options, this.active);
    node.style.transform = `translateY(${row * rowHeight}px)`;
    if (old !== undefined) old.replaceWith(node);
    else this.#body.insertBefore(node, this.#following(row));
    this.#nodes.set(row, node);
    if (column >= 0) node.children[column].focus({ preventScroll: true });
  }

  /// The node before which the node of a row belongs, so that the order of nodes is that of rows.
  #following(row) {
    for (const node of this.#body.children) if (node.row > row) return node;
    return null;
  }

  #cell(row, column) {
    return (row < 0 ? this.#head.node : this.#nodes.get(row))?.children[column];
  }

  #noteFocus(target) {
    const cell = target.closest('[role=gridcell],[role=columnheader]');
    if (cell === null) return;
    const row = cell.parentNode;
    this.#markActive({ row: row === this.#head.node ? -1 : row.row, column: [...row.children].indexOf(cell) });
  }

  #markActive(active) {
    const before = this.#cell(this.active.row, this.active.column);
    if (before !== undefined) before.tabIndex = -1;
    this.active = active;
    const after = this.#cell(active.row, active.column);
    if (after !== undefined) after.tabIndex = 0;
  }
}

function range(first, last) {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}
