// The list of classes with the number of their objects.

import { isInternal } from '../../scripts/classes.js';
import { element, fill } from '../../scripts/element.js';
import { address } from '../../scripts/router.js';
import { addClass } from './add.js';
import { Counts } from './counts.js';

/// Makes the list.
///
/// - `context`: that of the frame.
///
/// Returns `{ node, refresh(), mark(name), close() }`: `mark` shows which class is open; `null` means the page of
/// statements.
export function classList({ context }) {
  const { client, words, notices } = context;
  const groups = element('div', { class: 'class-groups' });
  const label = words('data.classes.search');
  const search = element('input', { class: 'field', type: 'search', 'aria-label': label, placeholder: label });
  const counts = new Counts(client);
  const query = element('a', { href: address('data', 'query'), class: 'class-link' }, words('data.query.title'));
  const add = element('button', { type: 'button', class: 'small writes', onclick: () => addClass({
    context,
    onAdded(name) {
      refresh();
      context.go('data', 'class', name);
    },
  }) }, words('data.class.add'));
  const node = element('nav', { class: 'classes', 'aria-label': words('data.classes.title') },
    element('div', { class: 'line' }, query, add), search, groups);
  let names = [];
  let current;

  function show() {
    const text = search.value.trim().toLowerCase();
    const wanted = names.filter((name) => name.toLowerCase().includes(text));
    const internal = wanted.filter(isInternal);
    fill(groups,
      group('own', wanted.filter((name) => !name.startsWith('_')), true),
      group('builtIn', wanted.filter((name) => name.startsWith('_') && !isInternal(name)), true),
      group('internal', internal, text !== '' || internal.includes(current)));
    mark(current);
  }

  function group(title, members, isOpen) {
    if (members.length === 0) return null;
    const entries = members.map((name) => {
      const count = element('span', { class: 'class-count' });
      counts.show(name, count);
      const link = element('a', { href: address('data', 'class', name), class: 'class-link', dataset: { name } });
      link.append(element('span', { class: 'class-name' }, name), ' ', count);
      return element('li', {}, link);
    });
    return element('details', { open: isOpen },
      element('summary', {}, words(`data.classes.${title}`)), element('ul', { class: 'class-list' }, entries));
  }

  function mark(name) {
    current = name;
    const set = (link, isCurrent) =>
      isCurrent ? link.setAttribute('aria-current', 'page') : link.removeAttribute('aria-current');
    set(query, name === null);
    for (const link of groups.querySelectorAll('a')) {
      set(link, link.dataset.name === name);
      // The list can be longer than the page.
      if (link.dataset.name === name) link.scrollIntoView({ block: 'nearest' });
    }
  }

  async function refresh() {
    counts.forget();
    try {
      names = Object.keys(await client.get('schemas')).sort((a, b) => a.localeCompare(b));
      show();
    } catch (error) {
      notices.fail(error);
    }
  }

  search.addEventListener('input', show);
  refresh();
  return { node, refresh, mark, close: () => counts.close() };
}
