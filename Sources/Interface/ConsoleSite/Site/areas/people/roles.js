// The page of roles: the tree, a search, a new role, and beside them the role that is open.

import { element, fill } from '../../scripts/element.js';
import { Invalid, openPanel, hasUnsavedPanel, closePanels } from '../../scripts/panel.js';
import { escaped } from '../../scripts/search.js';
import { actionButton } from './confirm.js';
import { isID, roleAddress } from './links.js';
import { RolePage } from './role.js';
import { RoleGraph } from './role-graph.js';
import { RoleTree } from './role-tree.js';

const pause = 300;
const mostFound = 50;

/// Shows the page.
export function openRoles(place, path, context) {
  const roles = new Roles(place, context);
  roles.load();
  roles.move(path);
  return roles;
}

class Roles {
  #context;
  #closing = new AbortController();
  #graph = null;
  #tree = null;
  #shown = null;
  #timer = 0;
  #turn = 0;
  #search;
  #state = element('p', { class: 'people-state', role: 'status' });
  #list = element('div', { class: 'people-roles-list' });
  #beside = element('div', { class: 'people-beside' });

  constructor(place, context) {
    this.#context = context;
    const { words } = context;
    this.#search = element('input', {
      class: 'field', type: 'search', autocomplete: 'off', spellcheck: 'false', maxlength: '200',
      oninput: () => {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.#find(), pause);
      },
    });
    const add = actionButton(context, words('people.roles.add'), () => this.#add(), 'writes');
    place.append(
      element('p', { class: 'hint' }, words('people.roles.hint')),
      element('div', { class: 'people-split' },
        element('div', { class: 'stack people-side' },
          element('label', { class: 'labelled' }, words('people.roles.search'), this.#search),
          add, this.#state, this.#list),
        this.#beside),
    );
  }

  /// Reads the roles again, and shows the tree.
  async load() {
    const { client, words, notices } = this.#context;
    fill(this.#state, words('loading'));
    try {
      this.#graph = await RoleGraph.load(client, this.#closing.signal);
      this.#tree = new RoleTree({
        graph: this.#graph, words, onopen: (id) => this.#context.go('people', 'roles', id),
      });
      this.#shown?.update(this.#graph);
      await this.#find();
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      fill(this.#state, words('people.failed'));
      notices.fail(error);
    }
  }

  move([, id]) {
    this.#tree?.mark(id ?? null);
    if (this.#shown?.id === id) return;
    this.#shown?.close();
    this.#shown = null;
    fill(this.#beside);
    if (id === undefined) return;
    if (!isID(id)) return void fill(this.#beside, element('p', {}, this.#context.words('people.role.unknown')));
    this.#shown = new RolePage(this.#beside, id, this.#context, {
      graph: this.#graph,
      onchange: () => this.load(),
      ondelete: () => {
        this.#context.go('people', 'roles');
        this.load();
      },
    });
  }

  /// Puts the focus on the role that is open.
  focus() {
    this.#shown?.focus();
  }

  unsaved() {
    return hasUnsavedPanel();
  }

  close() {
    clearTimeout(this.#timer);
    this.#closing.abort();
    this.#shown?.close();
    closePanels();
  }

  #showTree() {
    const { words } = this.#context;
    const { size, isWhole } = this.#graph;
    this.#tree.mark(this.#shown?.id ?? null);
    const parts = [words(size === 0 ? 'people.roles.none' : 'people.roles.count', { count: size })];
    if (!isWhole) parts.push(words('people.roles.more'));
    fill(this.#state, parts.join(' '));
    fill(this.#list, size > 0 && this.#tree.node);
  }

  /// Shows the roles whose name contains what is typed, or the tree.
  async #find() {
    const { client, words, notices } = this.#context;
    this.#turn += 1;
    const turn = this.#turn;
    const text = this.#search.value.trim();
    if (text === '') {
      if (this.#tree) this.#showTree();
      return;
    }
    try {
      const { results, count } = await client.get('classes/_Role', {
        where: { $or: [{ name: { $regex: escaped(text), $options: 'i' } }, { objectId: text }] },
        order: 'name', keys: 'name', limit: mostFound, count: 1,
      }, { signal: this.#closing.signal });
      if (turn !== this.#turn) return;
      fill(this.#state, words(count === 0 ? 'people.roles.notFound' : 'people.roles.found', { count }));
      fill(this.#list, element('ul', { class: 'people-list' }, results.map((role) =>
        element('li', {}, element('a', { href: roleAddress(role.objectId) }, role.name)))));
    } catch (error) {
      if (!this.#closing.signal.aborted) notices.fail(error);
    }
  }

  #add() {
    const { client, words, go } = this.#context;
    const field = (attributes) => element('input', { class: 'field', autocomplete: 'off', ...attributes });
    const name = field({ type: 'text', spellcheck: 'false', 'data-enter': '', maxlength: '128' });
    const isRead = element('input', { type: 'checkbox' });
    openPanel({
      title: words('people.roles.add'), words,
      content: [
        element('label', { class: 'labelled' }, words('people.role.name'), name),
        element('p', { class: 'hint' }, words('people.role.nameHint')),
        element('label', { class: 'choice' }, isRead, words('people.role.visible')),
      ],
      actions: [{ label: words('people.role.create'), kind: 'primary', run: async () => {
        const text = name.value.trim();
        if (text === '') throw new Invalid(words('people.role.noName'));
        const ACL = isRead.checked ? { '*': { read: true } } : {};
        const { objectId } = await client.send('POST', 'roles', { name: text, ACL });
        this.#search.value = '';
        await this.load();
        go('people', 'roles', objectId);
      } }],
    });
    name.focus();
  }
}
