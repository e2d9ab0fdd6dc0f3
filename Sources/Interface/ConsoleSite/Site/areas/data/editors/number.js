// The editor of numbers.
import { element } from '../../../scripts/element.js';
import { isExact } from '../../../scripts/numbers.js';
import { Invalid } from '../../../scripts/panel.js';

export function numberEditor({ value, column, words }) {
  const field = element(
    'input',
    { class: 'field', type: 'text', inputmode: 'decimal', 'data-enter': '', 'aria-label': column.name },
  );
  field.value = value === undefined || value === null ? '' : String(value);
  return { node: field, read: () => numberOf(field.value, words), focus: () => field.select() };
}

/// The number that a text means; throws `Invalid` for another text, and for a number that would be rounded.
export function numberOf(text, words) {
  const trimmed = text.trim();
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(trimmed)) throw new Invalid(words('data.invalid.number'));
  if (!isExact(trimmed)) throw new Invalid(words('data.invalid.range'));
  return Number(trimmed);
}
