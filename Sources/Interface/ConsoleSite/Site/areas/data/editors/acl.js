// The editor of ACLs: who reads and who writes, with the names of users and roles.
import { element } from '../../../scripts/element.js';
import { finder } from '../../../scripts/finder.js';
import { namesOf } from '../../../scripts/search.js';

export function aclEditor({ value, words, client }) {
  /// Rights by entry; entries that are not of a known form stay as they are.
  const entries = new Map(Object.entries(value ?? { '*': { read: true, write: true } })
    .map(([name, rights]) => [name, { read: rights?.read === true, write: rights?.write === true }]));
  const body = element('tbody', {});
  const names = new Map();
  /// By entry, a function that writes its title, which can become known later, into its row.
  const titles = new Map();

  function show() {
    body.replaceChildren(...[...entries].map(([entry, rights]) => row(entry, rights)));
  }

  function row(entry, rights) {
    const head = element('th', { scope: 'row' });
    const boxes = ['read', 'write'].map((right) => {
      const input = element('input', { type: 'checkbox' });
      input.checked = rights[right];
      input.addEventListener('change', () => { rights[right] = input.checked; });
      return [right, input];
    });
    const remove = element('button', { type: 'button', class: 'small' }, '×');
    const setTitle = () => {
      const who = titleOf(entry, names, words);
      head.textContent = who;
      for (const [right, input] of boxes) input.setAttribute('aria-label', words(`data.acl.${right}`, { who }));
      remove.setAttribute('aria-label', words('data.acl.remove', { who }));
    };
    setTitle();
    titles.set(entry, setTitle);
    remove.addEventListener('click', () => {
      entries.delete(entry);
      show();
      role.field.focus();
    });
    return element(
      'tr',
      {},
      head,
      boxes.map(([, input]) => element('td', {}, element('label', { class: 'target' }, input))),
      element('td', {}, remove),
    );
  }

  function add(entry, name) {
    if (name !== undefined) names.set(entry, name);
    if (!entries.has(entry)) entries.set(entry, { read: true, write: false });
    show();
  }

  const everyone = element('button', { type: 'button', class: 'small' }, words('data.acl.addEveryone'));
  everyone.addEventListener('click', () => add('*'));
  const role = finder({
    client,
    className: '_Role',
    words,
    label: words('data.acl.addRole'),
    onChoose: ({ name }) => add(`role:${name}`),
  });
  const user = finder({
    client,
    className: '_User',
    words,
    label: words('data.acl.addUser'),
    onChoose: ({ id, name }) => add(id, name),
  });
  show();
  namesOf(client, '_User', [...entries.keys()].filter((name) => /^[A-Za-z0-9]{1,64}$/.test(name)))
    .then((found) => {
      // The rows stay: one of their boxes has the focus.
      for (const [id, name] of found) {
        names.set(id, name);
        titles.get(id)?.();
      }
    })
    .catch(() => {});
  return {
    node: element('div', { class: 'stack' },
      element('table', { class: 'acl' },
        element('thead', {}, element('tr', {},
          ['who', 'readTitle', 'writeTitle'].map((name) => element('th', { scope: 'col' }, words(`data.acl.${name}`))),
          element('td', {}))),
        body),
      element('p', { class: 'hint' }, words('data.acl.master')),
      everyone,
      section(words('data.acl.addRole'), role.node), section(words('data.acl.addUser'), user.node)),
    read: () => Object.fromEntries([...entries].map(([entry, rights]) => [entry, Object.fromEntries(
      Object.entries(rights).filter(([, isGranted]) => isGranted))])),
    focus: () => (body.querySelector('input') ?? everyone).focus(),
  };
}

function section(title, node) {
  return element('details', {}, element('summary', {}, title), node);
}

function titleOf(entry, names, words) {
  if (entry === '*') return words('data.acl.everyone');
  if (entry.startsWith('role:')) return words('data.acl.role', { name: entry.slice(5) });
  return names.has(entry) ? words('data.acl.user', { name: names.get(entry), id: entry }) : entry;
}
