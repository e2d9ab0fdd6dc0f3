// The editor of arrays, objects and values of any type: JSON, checked while it is typed.
import { element } from '../../../scripts/element.js';
import { inexactNumber } from '../../../scripts/numbers.js';
import { Invalid } from '../../../scripts/panel.js';

export function jsonEditor({ value, column, words }) {
  const field = element(
    'textarea',
    { class: 'field is-code', rows: '8', spellcheck: 'false', 'aria-label': column.name },
  );
  const state = element('output', { class: 'hint' });
  if (value !== undefined) field.value = JSON.stringify(value, null, 2);
  const read = () => jsonOf(field.value, column.type, words);
  const check = () => {
    try {
      read();
      state.textContent = words('data.json.valid');
      field.removeAttribute('aria-invalid');
    } catch (error) {
      state.textContent = error.message;
      field.setAttribute('aria-invalid', 'true');
    }
  };
  field.addEventListener('input', check);
  if (value !== undefined) check();
  return { node: element('div', { class: 'stack' }, field, state), read, focus: () => field.focus() };
}

/// The value of a JSON text.
///
/// Throws `Invalid` with the reason if it is no JSON or of another type than the field, or if a number in it would be
/// rounded: the page reads values as doubles, so a number of the stored value can be rounded already.
export function jsonOf(text, type, words) {
  let value;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Invalid(words('data.invalid.json', { reason: positionOf(error, text, words) }));
  }
  const isArray = Array.isArray(value);
  const isObject = value !== null && typeof value === 'object' && !isArray;
  if (type === 'Array' && !isArray) throw new Invalid(words('data.invalid.array'));
  if (type === 'Object' && !isObject) throw new Invalid(words('data.invalid.object'));
  const number = inexactNumber(text);
  if (number !== undefined) throw new Invalid(words('data.invalid.inside', { number }));
  return value;
}

/// The line and column of a mistake, where the browser tells its position.
function positionOf(error, text, words) {
  const position = /position (\d+)/.exec(error.message)?.[1];
  if (position === undefined) return error.message;
  const lines = text.slice(0, Number(position)).split('\n');
  return words('data.json.position', { line: lines.length, column: lines.at(-1).length + 1 });
}
