// The area People: users with their sessions, roles, and the permissions of classes.
//
//   #/people                           users, the newest first
//   #/people/users/<page>[/<text>]     a page of the users, or of those that a search finds
//   #/people/user/<id>                 one user
//   #/people/roles[/<id>]              the tree of roles, and one role beside it
//   #/people/permissions[/<Class>]     who may do what with a class

import { element, fill } from '../../scripts/element.js';
import { address, replace } from '../../scripts/router.js';
import { tabList } from '../../scripts/tabs.js';
import { ask } from './confirm.js';
import { openPermissions } from './permissions.js';
import { openRoles } from './roles.js';
import { openUser } from './user.js';
import { openUsers } from './users.js';
import { words as en } from './words/en.js';
import { words as zh } from './words/zh.js';

const tabs = ['users', 'roles', 'permissions'];
/// The view of the first segment of an address, and the tab that it belongs to.
const views = {
  users: { open: openUsers, tab: 'users' },
  user: { open: openUser, tab: 'users' },
  roles: { open: openRoles, tab: 'roles' },
  permissions: { open: openPermissions, tab: 'permissions' },
};

export const area = {
  name: 'people',
  title: 'people.title',
  words: { en, zh },
  shortcuts: [
    { keys: '/', text: 'people.key.search' },
    { keys: '↑ ↓ Home End', text: 'people.key.tree' },
    { keys: '← →', text: 'people.key.branch' },
    { keys: 'Enter', text: 'people.key.open' },
    { keys: 'Space', text: 'people.key.box' },
  ],
  open(place, path, context) {
    const view = new PeopleView(place, context);
    view.move(path);
    return view;
  },
};

/// The tabs, and the view below them.
class PeopleView {
  #context;
  #tabs;
  #place = element('div');
  #shown = null;
  #name = null;
  #path = null;

  constructor(place, context) {
    this.#context = context;
    const { words } = context;
    this.#tabs = tabList(words('people.views'), tabs.map((name) => ({
      name, href: address('people', name), title: words(`people.${name}`),
    })));
    place.append(this.#tabs.node, this.#place);
  }

  async move(path) {
    if (this.#path && path.join('/') === this.#path.join('/')) return;
    const wanted = location.hash;
    if (this.unsaved() && !(await ask(this.#context, 'unsaved'))) {
      replace('people', ...this.#path);
      return;
    }
    if (location.hash !== wanted) return;
    const isFirst = this.#path === null;
    this.#path = path;
    const name = Object.hasOwn(views, path[0] ?? '') ? path[0] : 'users';
    // A user has a page of its own; the other views show another part of themselves.
    if (name !== this.#name || name === 'user') this.#open(name, path);
    else this.#shown.move(path);
    if (!isFirst) this.#shown.focus?.();
  }

  unsaved() {
    return this.#shown?.unsaved?.() ?? false;
  }

  close() {
    this.#shown?.close();
  }

  #open(name, path) {
    this.#shown?.close();
    fill(this.#place);
    this.#name = name;
    this.#tabs.mark(views[name].tab);
    this.#shown = views[name].open(this.#place, path, this.#context);
  }
}
