// The first row of a table: names of columns, with a button where the table can be sorted.
import { element } from '../../scripts/element.js';

/// Makes the row.
///
/// - `columns`, `options`: those of the table.
///
/// Returns `{ node, update, press }`: `update(active, total)` shows what is active and selected, `press(index)` does
/// what a click on the column does.
export function gridHead(columns, options) {
  const { selection, words } = options;
  const node = element('div', { role: 'row', class: 'grid-row', 'aria-rowindex': '1' });
  const all = element('input', { type: 'checkbox', tabindex: '-1', 'aria-label': words('data.selectAll') });
  all.addEventListener('change', () => selection.setAll(all.checked));
  if (selection !== undefined) {
    node.append(element(
      'div',
      { role: 'columnheader', class: 'grid-cell grid-check', tabindex: '-1', 'aria-colindex': '1' },
      element('label', {}, all),
    ));
  }
  const presses = selection === undefined ? [] : [() => all.click()];
  columns.forEach((column) => {
    const press = () => column.sortable && options.onSort?.(column);
    presses.push(press);
    node.append(headCell(column, presses.length, press, options));
  });
  return {
    node,
    press: (index) => presses[index](),
    update: (active, total) => {
      [...node.children].forEach((cell, index) => {
        cell.tabIndex = active.row === -1 && active.column === index ? 0 : -1;
      });
      if (selection === undefined) return;
      const size = selection.size(total);
      all.checked = total > 0 && size === total;
      all.indeterminate = size > 0 && size < total;
    },
  };
}

function headCell(column, index, press, { order, onSort, words }) {
  const isSorted = order === column.name || order === `-${column.name}`;
  const direction = order === column.name ? 'ascending' : 'descending';
  const cell = element('div', {
    role: 'columnheader', class: 'grid-cell', tabindex: '-1', 'aria-colindex': String(index),
    'aria-sort': isSorted ? direction : undefined,
    title: onSort !== undefined && !column.sortable ? words('data.notSortable', { field: column.name }) : undefined,
  });
  const name = element('span', { class: 'grid-name' }, column.name);
  const type = element(
    'span',
    { class: 'grid-type' },
    column.className ? `${column.type}<${column.className}>` : column.type,
  );
  if (column.sortable && onSort !== undefined) {
    const arrow = element(
      'span',
      { class: 'grid-arrow', 'aria-hidden': 'true' },
      isSorted ? (direction === 'ascending' ? '▲' : '▼') : '',
    );
    const button = element('button', {
      type: 'button', class: 'grid-sort', tabindex: '-1', title: words('data.sortBy', { field: column.name }),
    }, name, arrow);
    button.addEventListener('click', press);
    cell.append(button, type);
  } else {
    cell.append(name, type);
  }
  return cell;
}
