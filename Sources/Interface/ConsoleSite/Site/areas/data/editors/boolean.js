// The editor of booleans.
import { element } from '../../../scripts/element.js';
import { Invalid } from '../../../scripts/panel.js';

export function booleanEditor({ value, column, words }) {
  const options = ['true', 'false'].map((name) => {
    const box = element('input', { type: 'radio', name: `boolean-${column.name}`, value: name, 'data-enter': '' });
    box.checked = String(value) === name;
    return { box, label: element('label', { class: 'choice' }, box, name) };
  });
  return {
    node: element(
      'div',
      { role: 'radiogroup', 'aria-label': column.name, class: 'choices' },
      ...options.map(({ label }) => label),
    ),
    read: () => {
      const chosen = options.find(({ box }) => box.checked);
      if (chosen === undefined) throw new Invalid(words('data.invalid.choice'));
      return chosen.box.value === 'true';
    },
    focus: () => (options.find(({ box }) => box.checked) ?? options[0]).box.focus(),
  };
}
