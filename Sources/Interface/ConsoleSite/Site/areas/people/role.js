// One role: its users, the roles inside it, and the roles that it is in.

import { element, fill } from '../../scripts/element.js';
import { finder } from '../../scripts/finder.js';
import { moment } from '../../scripts/words.js';
import { accessText } from './access.js';
import { actionButton, ask, keepFocus } from './confirm.js';
import { pointer, roleAddress, rowAddress } from './links.js';
import { Members } from './members.js';

export class RolePage {
  #id;
  #context;
  #options;
  #graph;
  #role = null;
  #members = null;
  #closing = new AbortController();
  #heading = element('h2', { tabindex: '-1', class: 'people-name' });
  #content = element('div');
  #inside = element('ul', { class: 'people-list' });
  #above = element('ul', { class: 'people-list' });

  /// - `place`: an empty element; `id`; `context`: that of the frame.
  /// - `options`: `graph`: that of the tree, or `null` while it is being read; `onchange()`: called when roles were
  ///   added or removed; `ondelete()`.
  constructor(place, id, context, options) {
    this.#id = id;
    this.#context = context;
    this.#options = options;
    this.#graph = options.graph;
    fill(this.#heading, context.words('loading'));
    place.append(this.#heading, this.#content);
    this.#load();
  }

  get id() { return this.#id; }

  focus() { this.#heading.focus(); }

  close() { this.#closing.abort(); }

  /// Shows other roles above and below this one.
  update(graph) {
    this.#graph = graph;
    if (this.#role) this.#showRoles();
  }

  async #load() {
    const { client, words, notices } = this.#context;
    try {
      const query = { returnACL: true };
      const role = await client.get(`classes/_Role/${this.#id}`, query, { signal: this.#closing.signal });
      if (role.objectId === undefined) return void fill(this.#heading, words('people.role.unknown'));
      this.#role = role;
      this.#show();
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      fill(this.#heading, words('people.failed'));
      notices.fail(error);
    }
  }

  #show() {
    const { words, client } = this.#context;
    const role = this.#role;
    fill(this.#heading, role.name);
    this.#members = new Members({
      id: this.#id, name: role.name, context: this.#context, signal: this.#closing.signal,
    });
    const addRole = finder({
      client, className: '_Role', words, label: words('people.role.addRole'),
      onChoose: (chosen) => this.#addRole(chosen).catch(this.#context.notices.fail),
    });
    const fact = (key, ...value) => [element('dt', {}, words(key)), element('dd', {}, value)];
    const section = (key, ...nodes) =>
      element('section', { class: 'people-section' }, element('h3', {}, words(key)), nodes);
    fill(
      this.#content,
      element('dl', { class: 'people-facts' },
        fact('people.user.created', moment(role.createdAt)),
        fact('people.role.acl', accessText(role.ACL, words)),
        fact('people.user.id', element('code', {}, this.#id))),
      element('p', { class: 'people-actions' },
        element('a', { href: rowAddress('_Role', this.#id) }, words('people.role.row')),
        actionButton(this.#context, words('people.role.delete'), () => this.#delete(), 'danger writes')),
      section('people.role.users', this.#members.node),
      section('people.role.inside', element('p', { class: 'hint' }, words('people.role.insideHint')), this.#inside,
        element('details', { class: 'writes' }, element('summary', {}, words('people.role.addRole')), addRole.node)),
      section('people.role.above', element('p', { class: 'hint' }, words('people.role.aboveHint')), this.#above),
    );
    this.#showRoles();
  }

  #showRoles() {
    if (!this.#graph) return;
    const { words } = this.#context;
    const link = (id) => element('a', { href: roleAddress(id) }, this.#graph.name(id));
    const none = element('li', { class: 'hint' }, words('people.none'));
    const inside = this.#graph.children(this.#id).map((id) => {
      const remove = actionButton(this.#context, '×', () => this.#removeRole(id), 'small writes');
      remove.setAttribute('aria-label', words('people.role.removeRoleLabel', { name: this.#graph.name(id) }));
      return element('li', {}, link(id), remove);
    });
    fill(this.#inside, inside.length > 0 ? inside : none);
    const above = this.#graph.parents(this.#id).map((id) => element('li', {}, link(id)));
    fill(this.#above, above.length > 0 ? above : none.cloneNode(true));
  }

  async #addRole({ id, name }) {
    const { words, notices } = this.#context;
    if (this.#graph?.contains(id, this.#id)) {
      if (!(await ask(this.#context, 'people.role.loop', { name, role: this.#role.name }))) return;
    }
    await this.#change('AddRelation', id);
    notices.say(words('people.role.roleAdded', { name, role: this.#role.name }));
  }

  async #removeRole(id) {
    const values = { name: this.#graph.name(id), role: this.#role.name };
    if (await ask(this.#context, 'people.role.removeRole', values)) await this.#change('RemoveRelation', id);
  }

  async #change(operation, id) {
    await this.#context.client.send('PUT', `classes/_Role/${this.#id}`, {
      roles: { __op: operation, objects: [pointer('_Role', id)] },
    });
    await this.#options.onchange();
    keepFocus(this.#heading);
  }

  async #delete() {
    const { client, words, notices } = this.#context;
    const { name } = this.#role;
    const values = { name, count: this.#members.count, roles: this.#graph?.children(this.#id).length ?? 0 };
    if (!(await ask(this.#context, 'people.role.delete', values, [words('people.role.deleteName', { name })]))) return;
    await client.send('DELETE', `classes/_Role/${this.#id}`);
    notices.say(words('people.role.deleted', { name }));
    if (!this.#closing.signal.aborted) this.#options.ondelete();
  }
}
