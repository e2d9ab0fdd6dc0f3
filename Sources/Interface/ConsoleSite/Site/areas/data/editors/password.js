// The editor of passwords: it shows no value, because the server stores and returns none.
import { element } from '../../../scripts/element.js';
import { Invalid } from '../../../scripts/panel.js';

export function passwordEditor({ column, words }) {
  const field = element('input', {
    class: 'field', type: 'password', autocomplete: 'new-password', 'data-enter': '', 'aria-label': column.name,
  });
  return {
    node: field,
    read: () => {
      if (field.value === '') throw new Invalid(words('data.invalid.password'));
      return field.value;
    },
    focus: () => field.focus(),
  };
}
