// The page of one class: its table, the filter, and what can be done with objects.

import { isInternal } from '../../scripts/classes.js';
import { element } from '../../scripts/element.js';
import { addField, addObject } from './add.js';
import { toolbar } from './class-tools.js';
import { editCell } from './edit.js';
import { openExport } from './export.js';
import { columnsOf } from './fields.js';
import { filterBuilder } from './filter.js';
import { Grid } from './grid.js';
import { textOfError } from '../../scripts/panel.js';
import { removeSelected } from './remove.js';
import { mostRows, Rows } from './rows.js';
import { Selection } from './selection.js';

const defaultOrder = '-createdAt';

/// Shows a class.
///
/// - `place`: an empty element; `className`; `state`: `where` and `order`; `context`: that of the frame.
/// - `onClasses`: called when the numbers of objects have changed.
export function classPage({ place, className, state, context, onClasses }) {
  const { client, words, notices } = context;
  const selection = new Selection();
  const table = element('div', { class: 'data-table' });
  const filterPlace = element('div', { class: 'filter-place', id: 'data-filter', hidden: true });
  let { where, order = defaultOrder } = state;
  let columns = [];
  let rows = null;
  let grid = null;
  /// The builder of the filter while it is open.
  let builder = null;
  let isClosed = false;

  const isReadOnly = () => context.session.readOnly || isInternal(className);
  const tools = toolbar({ words, className, canChange: !isInternal(className), actions: {
    filter: toggleFilter, refresh: () => reload(), remove,
    export: () => openExport({ className, columns, where, selection, count: rows?.count ?? 0, context }),
    add: () => addObject({ className, columns, context, onAdded: changed }),
    field: () => addField({ className, context, onAdded: load }),
  } });
  place.append(tools.node, filterPlace, table);
  selection.onChange = () => {
    grid?.showSelection();
    showState();
  };

  function go(newWhere, newOrder) {
    const isDefault = newOrder === defaultOrder;
    const isPlain = isDefault && Object.keys(newWhere).length === 0;
    const next = JSON.stringify({ where: newWhere, ...(isDefault ? {} : { order: newOrder }) });
    context.go('data', 'class', className, ...(isPlain ? [] : [next]));
  }

  function toggleFilter() {
    filterPlace.hidden = !filterPlace.hidden;
    tools.setFilter(!filterPlace.hidden);
    builder = null;
    if (filterPlace.hidden) return;
    const onApply = (condition) => go(condition, order);
    const onStatement = (statement) => context.go('data', 'query', statement);
    builder = filterBuilder({ className, columns, where, words, onApply, onStatement });
    filterPlace.replaceChildren(builder.node);
    builder.focus();
  }

  function sort(column) {
    const down = `-${column.name}`;
    go(where, order === column.name ? down : order === down ? defaultOrder : column.name);
  }

  async function remove() {
    if (isReadOnly() || rows === null || selection.size(rows.count) === 0) return;
    try {
      if (!await removeSelected({ className, where, selection, context })) return;
      selection.setAll(false);
      changed();
    } catch (error) {
      notices.fail(error);
    }
  }

  function changed() {
    reload();
    onClasses();
  }

  function showState() {
    if (rows === null) return;
    const parts = [words('data.count', { count: rows.count })];
    if (rows.count > mostRows) parts.push(words('data.more', { count: mostRows }));
    const size = selection.size(rows.count);
    if (size > 0) parts.push(words('data.selected', { count: size }));
    tools.setState(rows.isCounted ? parts.join(' · ') : words('loading'), size, Object.keys(where).length > 0);
  }

  /// Reads the table again, at the same offset unless the query is another one.
  function reload(isSameQuery = true) {
    const old = grid;
    const isFocused = old?.node.contains(document.activeElement) === true;
    const scroll = isSameQuery ? old?.node.scrollTop ?? 0 : 0;
    rows?.close();
    old?.close();
    rows = new Rows(client, className, { where, order });
    grid = new Grid(rows, columns, {
      label: words('data.table', { className }), words, order, selection, onSort: sort, onRemove: remove,
      scroll: { top: scroll, left: old?.node.scrollLeft ?? 0 }, active: old?.active,
      onOpen: (position, column, cell) => editCell({
        className, object: rows.at(position), column, cell, context, isReadOnly: isReadOnly(),
        onSaved: (object) => rows.replace(object), onClose: () => grid.focus(grid.active.row, grid.active.column),
      }),
    });
    rows.onCount = showState;
    rows.onError = (error) => {
      tools.setState(textOfError(error), 0, true);
      notices.fail(error);
    };
    table.replaceChildren(grid.node);
    if (isFocused) grid.focus(grid.active.row, grid.active.column);
    showState();
    rows.start();
  }

  async function load() {
    try {
      const [schema, indexes] = await Promise.all([
        client.get(`schemas/${className}`), client.get(`indexes/${className}`),
      ]);
      if (isClosed) return;
      columns = columnsOf(className, schema, indexes.results);
      reload();
    } catch (error) {
      if (!isClosed) tools.setState(textOfError(error), 0, false);
    }
  }

  load();
  return {
    className,
    /// Shows another condition or order of the same class.
    update(next) {
      const isSame = JSON.stringify(next.where) === JSON.stringify(where);
      ({ where, order = defaultOrder } = next);
      if (!isSame) selection.setAll(false);
      builder?.show(where);
      if (columns.length > 0) reload(false);
    },
    close() {
      isClosed = true;
      rows?.close();
      grid?.close();
    },
  };
}
