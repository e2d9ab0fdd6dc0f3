// One row of a table.
import { element } from '../../scripts/element.js';
import { cellText, memberOf, typeOf } from '../../scripts/values.js';

/// The node of a row; its `showSelection()` shows whether the row is selected.
///
/// - `row`: the position, from 0; `object`: `undefined` while it is being read.
/// - `columns`, `options`: those of the table; `active`: the cell that the Tab key reaches.
export function rowNode(row, object, columns, options, active) {
  const { selection, words } = options;
  const offset = selection === undefined ? 0 : 1;
  const node = element('div', {
    role: 'row', class: 'grid-row', 'aria-rowindex': row + 2, 'aria-busy': object === undefined ? 'true' : null,
  });
  node.row = row;
  node.showSelection = () => {};
  if (object === undefined && active.row !== row) {
    // While the table is scrolled quickly, most rows go before their objects arrive.
    node.isWaiting = true;
    node.append(element('div', { role: 'gridcell', class: 'grid-cell grid-waiting' }, '…'));
    return node;
  }
  const isActive = (column) => active.row === row && active.column === column;
  if (selection !== undefined) {
    const box = checkBox(object, selection, words);
    node.append(element('div', {
      role: 'gridcell', class: 'grid-cell grid-check', tabindex: isActive(0) ? '0' : '-1', 'aria-colindex': '1',
    }, element('label', {}, box)));
    node.showSelection = () => {
      box.checked = object !== undefined && selection.has(object.objectId);
      node.setAttribute('aria-selected', String(box.checked));
    };
    node.showSelection();
  }
  columns.forEach((column, index) => {
    node.append(valueCell(object, column, index + offset, isActive(index + offset), (cell) => {
      if (object !== undefined) options.onOpen(row, column, cell);
    }, words));
  });
  return node;
}

function checkBox(object, selection, words) {
  return element('input', {
    type: 'checkbox', tabindex: '-1', 'aria-label': words('data.select', { id: object?.objectId ?? '' }),
    disabled: object === undefined, onchange: (event) => selection.set(object.objectId, event.target.checked),
  });
}

function valueCell(object, column, index, isActive, open, words) {
  const value = object === undefined ? undefined : memberOf(object, column.name);
  const text = object === undefined ? '…' : cellText(value, column.type);
  const cell = element('div', {
    role: 'gridcell', class: `grid-cell is-${(column.type ?? 'any').toLowerCase()}`, tabindex: isActive ? '0' : '-1',
    'aria-colindex': String(index + 1), 'aria-readonly': String(!column.editable), title: text,
  });
  if (value === undefined && object !== undefined) {
    cell.append(element('span', { class: 'is-missing', role: 'img', 'aria-label': words('data.missing') }, '—'));
  } else if (typeOf(value) === 'Null') {
    cell.append(element('span', { class: 'is-missing' }, 'null'));
  } else {
    cell.append(text);
  }
  // The first click makes a cell the active one, the second one opens it.
  let wasActive = false;
  cell.addEventListener('pointerdown', () => { wasActive = cell.contains(document.activeElement); });
  cell.addEventListener('click', () => { if (wasActive) open(cell); });
  return cell;
}
