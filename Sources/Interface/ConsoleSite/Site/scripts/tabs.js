// The views of an area, as links above them.

import { element } from './element.js';

/// Makes the links.
///
/// - `label`: their name for screen readers; `entries`: `[{ name, href, title }]`.
///
/// Returns `{ node, mark(name) }`: `mark` shows which view is open; a name of no entry marks none.
export function tabList(label, entries) {
  const links = entries.map(({ href, title }) => element('a', { href }, title));
  const list = element('ul', {}, links.map((link) => element('li', {}, link)));
  return {
    node: element('nav', { class: 'tabs', 'aria-label': label }, list),
    mark(name) {
      entries.forEach((entry, index) => {
        if (entry.name === name) links[index].setAttribute('aria-current', 'page');
        else links[index].removeAttribute('aria-current');
      });
    },
  };
}
