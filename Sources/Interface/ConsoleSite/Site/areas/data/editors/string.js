// The editor of strings.
import { element } from '../../../scripts/element.js';

export function stringEditor({ value, column }) {
  const field = element(
    'textarea',
    { class: 'field', rows: '1', 'data-enter': '', 'aria-label': column.name, spellcheck: 'false' },
  );
  field.value = value ?? '';
  /// The value with the line ends of the field, which has `\n` only.
  const shown = field.value;
  const grow = () => {
    const lines = Math.max(field.value.split('\n').length, Math.ceil(field.value.length / 40));
    field.rows = Math.min(8, Math.max(1, lines));
  };
  field.addEventListener('input', grow);
  grow();
  const read = () => (field.value === shown ? value ?? '' : withEndsOf(value ?? '', field.value));
  return { node: field, read, focus: () => field.select() };
}

/// A text with the line ends of another one, if those are all the same.
function withEndsOf(other, text) {
  const ends = new Set(other.match(/\r\n?|\n/g));
  return ends.size === 1 ? text.replaceAll('\n', [...ends][0]) : text;
}
