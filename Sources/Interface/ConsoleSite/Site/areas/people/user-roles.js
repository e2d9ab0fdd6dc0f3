// The roles of a user: those that it is in, and those whose rights it has through them.

import { element, fill } from '../../scripts/element.js';
import { finder } from '../../scripts/finder.js';
import { actionButton, ask, keepFocus } from './confirm.js';
import { pointer, roleAddress } from './links.js';

/// The most roles of one level, and the most levels, that are shown.
const mostRoles = 200;
const mostLevels = 16;

export class UserRoles {
  #options;
  #state = element('p', { role: 'status' });
  #list = element('ul', { class: 'people-list' });

  node;

  /// - `options`: `{ id, name, context, signal }` of the page of the user.
  constructor(options) {
    this.#options = options;
    const { client, words } = options.context;
    const add = finder({
      client, className: '_Role', words, label: words('people.userRoles.add'),
      onChoose: (role) => this.#add(role).catch(options.context.notices.fail),
    });
    this.node = element('div', {}, this.#state, this.#list,
      element('details', { class: 'writes' }, element('summary', {}, words('people.userRoles.add')), add.node));
    this.#load();
  }

  async #load() {
    const { context, signal } = this.#options;
    const { words, notices } = context;
    try {
      const { direct, indirect, isWhole } = await this.#roles();
      const key = direct.length + indirect.length === 0 ? 'none' : 'count';
      fill(this.#state, words(`people.userRoles.${key}`, { count: direct.length + indirect.length }));
      fill(
        this.#list,
        direct.map((role) => this.#item(role, true)),
        indirect.map((role) => this.#item(role, false)),
        !isWhole && element('li', { class: 'hint' }, words('people.userRoles.more')),
      );
    } catch (error) {
      if (signal.aborted) return;
      fill(this.#state, words('people.failed'));
      notices.fail(error);
    }
  }

  /// Goes from the user upwards, as the server does; each role is met once, so that loops end.
  async #roles() {
    const { id } = this.#options;
    const direct = await this.#holding('users', [pointer('_User', id)]);
    const met = new Set(direct.map((role) => role.objectId));
    const indirect = [];
    let isWhole = direct.length < mostRoles;
    let level = direct;
    for (let depth = 0; level.length > 0; depth += 1) {
      if (depth === mostLevels) return { direct, indirect, isWhole: false };
      const found = await this.#holding('roles', level.map((role) => pointer('_Role', role.objectId)));
      isWhole &&= found.length < mostRoles;
      level = found.filter((role) => !met.has(role.objectId));
      for (const role of level) met.add(role.objectId);
      indirect.push(...level);
    }
    return { direct, indirect, isWhole };
  }

  async #holding(relation, members) {
    const { context, signal } = this.#options;
    const where = { [relation]: members.length === 1 ? members[0] : { $in: members } };
    const { results } = await context.client.get(
      'classes/_Role', { where, keys: 'name', order: 'name', limit: mostRoles }, { signal },
    );
    return results;
  }

  #item(role, isDirect) {
    const { context } = this.#options;
    const { words } = context;
    const remove = isDirect && actionButton(context, '×', () => this.#remove(role), 'small writes');
    if (remove) remove.setAttribute('aria-label', words('people.userRoles.remove', { role: role.name }));
    return element('li', {},
      element('a', { href: roleAddress(role.objectId) }, role.name),
      element('span', { class: 'hint' }, words(isDirect ? 'people.userRoles.direct' : 'people.userRoles.indirect')),
      remove);
  }

  async #add({ id, name }) {
    await this.#change('AddRelation', id);
    this.#options.context.notices.say(
      this.#options.context.words('people.role.userAdded', { role: name, name: this.#options.name }),
    );
  }

  async #remove(role) {
    const { name, context } = this.#options;
    if (!(await ask(context, 'people.role.removeUser', { name, role: role.name }))) return;
    await this.#change('RemoveRelation', role.objectId);
  }

  async #change(operation, role) {
    const { id, context } = this.#options;
    await context.client.send('PUT', `classes/_Role/${role}`, {
      users: { __op: operation, objects: [pointer('_User', id)] },
    });
    await this.#load();
    keepFocus(this.#state);
  }
}
