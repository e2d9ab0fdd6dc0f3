// The editor of pointers: an object of the target class, searched by name or id.
import { element } from '../../../scripts/element.js';
import { finder } from '../../../scripts/finder.js';
import { Invalid } from '../../../scripts/panel.js';
import { namesOf } from '../../../scripts/search.js';

export function pointerEditor({ value, column, words, client }) {
  const className = column.className ?? value?.className;
  const id = element(
    'input',
    { class: 'field is-code', type: 'text', spellcheck: 'false', autocomplete: 'off', 'data-enter': '' },
  );
  const name = element('output', { class: 'hint' });
  id.value = value?.objectId ?? '';
  if (value?.objectId !== undefined) {
    namesOf(client, className, [value.objectId])
      .then((names) => { name.textContent = names.get(value.objectId) ?? words('data.pointsNowhere'); })
      .catch(() => {});
  }
  const { node, field } = finder({
    client, className, words, label: words('data.searchClass', { className }),
    onChoose: (object) => {
      id.value = object.id;
      name.textContent = object.name;
    },
  });
  id.addEventListener('input', () => { name.textContent = ''; });
  return {
    node: element(
      'div',
      { class: 'stack' },
      element('label', { class: 'labelled' }, words('data.pointerID', { className }), id),
      name,
      node,
    ),
    read: () => {
      const objectId = id.value.trim();
      if (!/^[A-Za-z0-9]{1,64}$/.test(objectId)) throw new Invalid(words('data.invalid.id'));
      return { __type: 'Pointer', className, objectId };
    },
    focus: () => field.focus(),
  };
}
