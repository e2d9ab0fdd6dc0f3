// The buttons that go through the pages of a list.

import { element, fill } from '../../scripts/element.js';

/// Makes the buttons.
///
/// - `words`; `label`: what the list is; `onpage(page)`: called with the number of a page, from 1.
///
/// Returns `{ node, show(page, pages) }`; with one page nothing is shown.
export function pager({ words, label, onpage }) {
  let current = 1;
  const button = (key, step) => element(
    'button', { type: 'button', onclick: () => onpage(current + step) }, words(`people.page.${key}`),
  );
  const [before, after] = [button('before', -1), button('after', 1)];
  const state = element('span', { role: 'status' });
  const node = element('nav', { class: 'people-pager', 'aria-label': label, hidden: true }, before, state, after);
  return {
    node,
    show(page, pages) {
      current = page;
      node.hidden = pages <= 1 && page === 1;
      before.disabled = page <= 1;
      after.disabled = page >= pages;
      fill(state, words('people.page', { page, pages: Math.max(pages, page) }));
    },
  };
}
