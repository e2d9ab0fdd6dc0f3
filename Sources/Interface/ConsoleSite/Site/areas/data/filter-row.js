// One row of the filter builder.
import { element } from '../../scripts/element.js';
import { conditionOf, testsOfTypes, testsWithoutValue } from './condition.js';
import { timeOfInput } from './editors/date.js';
import { jsonOf } from './editors/json.js';
import { numberOf } from './editors/number.js';
import { Invalid } from '../../scripts/panel.js';

/// Makes a row.
///
/// - `columns`, `words`; `onChange`, `onRemove`: called after a change, and when the row is to go.
///
/// Returns `{ node, read, focus }`; `read` gives `{ field, condition }` or throws `Invalid`.
export function filterRow({ columns, words, onChange, onRemove }) {
  const usable = columns.filter((column) => testsOfTypes[column.type] !== undefined);
  const field = select(words('data.filter.field'), usable.map(({ name }) => [name, name]));
  const test = element('select', { class: 'field', 'aria-label': words('data.filter.test') });
  const place = element('span', { class: 'filter-value' });
  const remove = element('button', { type: 'button', class: 'small', 'aria-label': words('data.filter.remove') }, '×');
  let value = null;

  const column = () => usable.find(({ name }) => name === field.value) ?? usable[0];

  function showTests() {
    test.replaceChildren(...testsOfTypes[column().type].map(
      (name) => element('option', { value: name }, words(`data.test.${name}`)),
    ));
    showValue();
  }

  function showValue() {
    value = testsWithoutValue.has(test.value) ? null : valueField(column(), test.value, words);
    place.replaceChildren(...(value === null ? [] : [value.node]));
    onChange();
  }

  field.addEventListener('change', showTests);
  test.addEventListener('change', showValue);
  place.addEventListener('input', onChange);
  remove.addEventListener('click', onRemove);
  const row = {
    node: element(
      'div',
      { class: 'filter-row', role: 'group', 'aria-label': words('data.filter.row') },
      field,
      test,
      place,
      remove,
    ),
    read: () => ({ field: field.value, condition: conditionOf(test.value, value?.read()) }),
    focus: () => field.focus(),
  };
  // The first value is shown without a word to the builder, which does not have the row yet.
  const tell = onChange;
  onChange = () => {};
  showTests();
  onChange = tell;
  return row;
}

/// The field of a value, by the type of its column.
function valueField(column, test, words) {
  const label = words('data.filter.value');
  if (test === 'near') return nearField(words);
  if (column.type === 'Boolean') {
    const node = select(label, [['true', 'true'], ['false', 'false']]);
    return { node, read: () => node.value === 'true' };
  }
  if (column.type === 'Date') {
    const node = element('input', { type: 'datetime-local', step: '0.001', class: 'field', 'aria-label': label });
    return { node, read: () => ({ __type: 'Date', iso: required(timeOfInput(node.value), words).toISOString() }) };
  }
  const node = element(
    'input',
    { type: 'text', class: 'field', 'aria-label': label, spellcheck: 'false', autocomplete: 'off' },
  );
  const list = () => node.value.split(',').map((text) => text.trim()).filter((text) => text !== '');
  if (test === 'oneOf') node.placeholder = words('data.filter.list');
  if (test === 'size') return { node, read: () => numberOf(node.value, words) };
  switch (column.type) {
  case 'Number':
    return {
      node,
      read: () => (test === 'oneOf' ? list().map((text) => numberOf(text, words)) : numberOf(node.value, words)),
    };
  case 'Pointer': case 'File':
    return { node, read: () => pointerOf(column.className ?? '_File', node.value.trim(), words) };
  case 'Array': case 'Any':
    return { node, read: () => jsonOrText(node.value, words) };
  default:
    return { node, read: () => (test === 'oneOf' ? list() : node.value) };
  }
}

function nearField(words) {
  const fields = ['latitude', 'longitude', 'kilometers'].map((name) => element('input', {
    type: 'text', inputmode: 'decimal', class: 'field is-short', 'aria-label': words(`data.${name}`),
    placeholder: words(`data.${name}`),
  }));
  return {
    node: element('span', { class: 'line' }, ...fields),
    read: () => {
      const [latitude, longitude, kilometers] = fields.map((field) => numberOf(field.value, words));
      return { point: { __type: 'GeoPoint', latitude, longitude }, kilometers };
    },
  };
}

function select(label, options) {
  return element(
    'select',
    { class: 'field', 'aria-label': label },
    ...options.map(([value, text]) => element('option', { value }, text)),
  );
}

function required(time, words) {
  if (time === null) throw new Invalid(words('data.invalid.date'));
  return time;
}

function pointerOf(className, objectId, words) {
  if (!/^[A-Za-z0-9]{1,64}$/.test(objectId)) throw new Invalid(words('data.invalid.id'));
  return { __type: 'Pointer', className, objectId };
}

/// JSON if it is JSON, otherwise the text itself.
function jsonOrText(text, words) {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  return jsonOf(text, 'Any', words);
}
