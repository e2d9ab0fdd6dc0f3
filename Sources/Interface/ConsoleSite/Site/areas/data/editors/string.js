// The editor of strings.
import { element } from '../../../scripts/element.js';

export function stringEditor({ value, column }) {
  const field = element(
    'textarea',
    { class: 'field', rows: '1', 'data-enter': '', 'aria-label': column.name, spellcheck: 'false' },
  );
  field.value = value ?? '';
  const grow = () => {
    const lines = Math.max(field.value.split('\n').length, Math.ceil(field.value.length / 40));
    field.rows = Math.min(8, Math.max(1, lines));
  };
  field.addEventListener('input', grow);
  grow();
  return { node: field, read: () => field.value, focus: () => field.select() };
}
