// The filter builder: rows of field, test and value, and the condition and statement that they make.
import { element } from '../../scripts/element.js';
import { both, cqlOf, whereOf } from './condition.js';
import { jsonOf } from './editors/json.js';
import { filterRow } from './filter-row.js';
import { textOfError } from '../../scripts/panel.js';

/// Makes the builder.
///
/// - `className`, `columns`, `words`; `where`: the condition in force, to which the rows are added.
/// - `onApply`: called with a new condition.
/// - `onStatement`: called with the statement in CQL, to run or explain it.
///
/// Returns `{ node, focus(), show(where) }`; `show` takes a condition in force that is not from here.
export function filterBuilder({ className, columns, where, words, onApply, onStatement }) {
  const rows = [];
  const list = element('div', { class: 'filter-rows' });
  const any = element('select', { class: 'field is-short', 'aria-label': words('data.filter.combine') },
    ['all', 'any'].map((value) => element('option', { value }, words(`data.filter.${value}`))));
  const json = element(
    'textarea',
    { class: 'field is-code', rows: '3', spellcheck: 'false', 'aria-label': words('data.filter.where') },
  );
  const cql = element('output', { class: 'code', 'aria-label': words('data.filter.cql') });
  const alert = element('p', { role: 'alert', class: 'panel-alert' });
  /// Whether the text was changed by hand; there are no rows then.
  let isByHand = false;
  let base = where;
  /// The condition in force.
  let applied = where;
  const statement = button(words('data.filter.statement'), () => onStatement(cql.textContent));
  json.value = JSON.stringify(where);

  function showStatement() {
    let text = null;
    cql.textContent = '';
    try {
      // A text that is read-only lacks conditions of rows.
      if (!json.readOnly) {
        text = cqlOf(className, jsonOf(json.value, 'Object', words));
        cql.textContent = text ?? words('data.filter.noCQL');
      }
    } catch {
      // The text is not a condition yet.
    }
    statement.disabled = text === null;
  }

  /// Writes what the rows make into the text, and tells whether all of them have a value. If not, the text lacks their
  /// conditions and is read-only, because typing removes the rows.
  function update() {
    isByHand = false;
    try {
      json.value = JSON.stringify(both(base, whereOf(rows.map((row) => row.read()), any.value === 'any')));
      json.readOnly = false;
      alert.textContent = '';
      return true;
    } catch (error) {
      json.readOnly = true;
      alert.textContent = textOfError(error);
      return false;
    } finally {
      showStatement();
    }
  }

  /// The condition of the text. Throws `Invalid` if it is not valid.
  function read() {
    return jsonOf(json.value.trim() === '' ? '{}' : json.value, 'Object', words);
  }

  function add() {
    // The text is rebuilt from the rows: what was typed has to be the condition that they add to.
    try {
      if (isByHand) take(read());
    } catch (error) {
      alert.textContent = textOfError(error);
      return;
    }
    const row = filterRow({ columns, words, onChange: update, onRemove: () => {
      rows.splice(rows.indexOf(row), 1);
      row.node.remove();
      update();
      more.focus();
    } });
    rows.push(row);
    list.append(row.node);
    row.focus();
  }

  function apply() {
    if (rows.length > 0 && !update()) return;
    try {
      applied = read();
      if (isByHand) take(applied);
      onApply(applied);
    } catch (error) {
      alert.textContent = textOfError(error);
    }
  }

  /// Makes a condition the one to which rows are added, and removes the rows, which it may not have.
  function take(condition) {
    removeRows();
    base = condition;
    update();
  }

  function removeRows() {
    rows.length = 0;
    list.replaceChildren();
  }

  function clear() {
    applied = {};
    take(applied);
    onApply(applied);
  }

  const more = button(words('data.filter.add'), add);
  any.addEventListener('change', () => {
    if (!isByHand) update();
  });
  json.addEventListener('input', () => {
    isByHand = true;
    // Their conditions are in the text, and a later change of one of them would replace what was typed.
    removeRows();
    alert.textContent = '';
    showStatement();
  });
  showStatement();
  const node = element('form', { class: 'filter', 'aria-label': words('data.filter.title') },
    element('div', { class: 'line' }, any, more), list,
    element('label', { class: 'labelled' }, words('data.filter.where'), json),
    element('p', { class: 'labelled' }, words('data.filter.cql'), cql), alert,
    element('div', { class: 'line' },
      element('button', { type: 'submit', class: 'primary' }, words('data.filter.apply')),
      button(words('data.filter.clear'), clear), statement));
  node.addEventListener('submit', (event) => {
    event.preventDefault();
    apply();
  });
  return {
    node,
    focus: () => more.focus(),
    show(condition) {
      if (JSON.stringify(condition) === JSON.stringify(applied)) return;
      applied = condition;
      take(condition);
    },
  };
}

function button(label, run) {
  const node = element('button', { type: 'button' }, label);
  node.addEventListener('click', run);
  return node;
}
