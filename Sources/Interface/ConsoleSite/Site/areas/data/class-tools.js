// The heading and the buttons of the page of a class.

import { element } from '../../scripts/element.js';

/// Makes them.
///
/// - `words`, `className`; `canChange`: whether objects of the class can be changed by a session that changes.
/// - `actions`: functions by name: `filter`, `refresh`, `export`, `add`, `field`, `remove`.
///
/// Returns `{ node, setFilter(isOpen), setState(text, selected, isFiltered) }`.
export function toolbar({ words, className, canChange, actions }) {
  const button = (name, kind) =>
    element('button', { type: 'button', class: kind, onclick: () => actions[name]() }, words(`data.tool.${name}`));
  const filter = button('filter');
  filter.setAttribute('aria-expanded', 'false');
  filter.setAttribute('aria-controls', 'data-filter');
  const remove = button('remove', 'danger writes');
  remove.disabled = true;
  const state = element('p', { class: 'data-state', role: 'status' });
  // Files come from uploads, which the area Files makes.
  const additions = className === '_File' ? [] : [button('add', 'writes'), button('field', 'writes')];
  const node = element('header', { class: 'data-head' },
    element('h2', { class: 'data-name', tabindex: '-1' }, className), state,
    element('div', { class: 'line' }, filter, button('refresh'), button('export'), canChange && [additions, remove]));
  return {
    node,
    setFilter: (isOpen) => filter.setAttribute('aria-expanded', String(isOpen)),
    setState: (text, selected, isFiltered) => {
      if (state.textContent !== text) state.textContent = text;
      remove.disabled = selected === 0;
      filter.classList.toggle('is-on', isFiltered);
    },
  };
}
