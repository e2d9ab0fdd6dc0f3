// A field in which an object of a class is searched and chosen (ARIA's pattern "combobox" with a list).
import { element } from './element.js';
import { findByName } from './search.js';

/// Waits for a pause in typing before a search, in milliseconds.
const pause = 200;
let lastNumber = 0;

/// Makes the field.
///
/// - `client`, `className`, `label`, `words`; `onChoose`: called with `{ id, name }` of the chosen object.
///
/// Returns `{ node, field }`.
export function finder({ client, className, label, words, onChoose }) {
  lastNumber += 1;
  const listID = `finder-${lastNumber}`;
  const field = element('input', {
    class: 'field', type: 'search', role: 'combobox', 'aria-label': label, 'aria-expanded': 'false',
    'aria-controls': listID, 'aria-autocomplete': 'list', autocomplete: 'off', spellcheck: 'false',
    placeholder: words('finder.search'),
  });
  const list = element('div', { class: 'finder-list', role: 'listbox', id: listID, 'aria-label': label });
  const state = element('p', { class: 'hint', role: 'status' });
  let timer = 0;
  let turn = 0;
  let active = -1;
  let shown = '';

  async function search() {
    const own = ++turn;
    try {
      const found = await findByName(client, className, field.value.trim());
      if (own === turn) show(found);
    } catch (error) {
      if (own === turn) state.textContent = error.message;
    }
  }

  /// Leaves the list alone if nothing has changed: it can be under the pointer.
  function show(found) {
    const text = JSON.stringify(found);
    if (text === shown) return;
    shown = text;
    active = -1;
    field.removeAttribute('aria-activedescendant');
    field.setAttribute('aria-expanded', String(found.length > 0));
    list.replaceChildren(...found.map((object, index) => {
      const option = element(
        'div',
        { role: 'option', class: 'finder-option', id: `${listID}-${index}`, 'aria-selected': 'false', tabindex: '-1' },
        element('span', {}, object.name),
        element('code', {}, object.id),
      );
      option.addEventListener('click', () => onChoose(object));
      return option;
    }));
    state.textContent = found.length === 0 ? words('finder.none') : '';
  }

  function move(step) {
    const options = [...list.children];
    if (options.length === 0) return;
    active = (active + step + options.length) % options.length;
    options.forEach((option, index) => option.setAttribute('aria-selected', String(index === active)));
    field.setAttribute('aria-activedescendant', options[active].id);
    options[active].scrollIntoView({ block: 'nearest' });
  }

  field.addEventListener('input', () => {
    // Until the answer arrives, the list is that of the text before: Enter chooses nothing of it by itself.
    active = -1;
    field.removeAttribute('aria-activedescendant');
    for (const option of list.children) option.setAttribute('aria-selected', 'false');
    clearTimeout(timer);
    timer = setTimeout(search, pause);
  });
  field.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown') move(1);
    else if (event.key === 'ArrowUp') move(-1);
    else if (event.key === 'Enter' && active >= 0) list.children[active].click();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  search();
  return { node: element('div', { class: 'finder' }, field, list, state), field };
}
