// The users of a role, page by page: a role can have any number.

import { element, fill } from '../../scripts/element.js';
import { finder } from '../../scripts/finder.js';
import { actionButton, ask, keepFocus } from './confirm.js';
import { membersOf, pointer, tableAddress, userAddress } from './links.js';
import { pager } from './pager.js';

const pageSize = 50;

export class Members {
  #options;
  #where;
  #page = 1;
  #state = element('p', { role: 'status' });
  #list = element('ul', { class: 'people-list' });
  #pager;

  /// The number of users.
  count = 0;
  node;

  /// - `options`: `{ id, name, context, signal }` of the page of the role.
  constructor(options) {
    this.#options = options;
    this.#where = membersOf('_Role', options.id, 'users');
    const { client, words, notices } = options.context;
    this.#pager = pager({ words, label: words('people.role.users'), onpage: (page) => this.#load(page) });
    const add = finder({
      client, className: '_User', words, label: words('people.role.addUser'),
      onChoose: (user) => this.#add(user).catch(notices.fail),
    });
    this.node = element('div', {}, this.#state, this.#list, this.#pager.node,
      element('p', {}, element('a', { href: tableAddress('_User', this.#where) }, words('people.role.table'))),
      element('details', { class: 'writes' }, element('summary', {}, words('people.role.addUser')), add.node));
    this.#load(1);
  }

  async #load(page) {
    const { context, signal } = this.#options;
    const { client, words, notices } = context;
    try {
      const { results, count } = await client.get('classes/_User', {
        where: this.#where, keys: 'username', limit: pageSize, skip: (page - 1) * pageSize, count: 1,
      }, { signal });
      const pages = Math.ceil(count / pageSize);
      if (results.length === 0 && page > 1) return void (await this.#load(Math.max(1, pages)));
      this.#page = page;
      this.count = count;
      fill(this.#state, words(count === 0 ? 'people.role.noUsers' : 'people.role.userCount', { count }));
      fill(this.#list, results.map((user) => this.#item(user)));
      this.#pager.show(page, pages);
    } catch (error) {
      if (signal.aborted) return;
      fill(this.#state, words('people.failed'));
      notices.fail(error);
    }
  }

  #item(user) {
    const { context } = this.#options;
    const name = user.username || user.objectId;
    const remove = actionButton(context, '×', () => this.#remove(user.objectId, name), 'small writes');
    remove.setAttribute('aria-label', context.words('people.role.removeUserLabel', { name }));
    return element('li', {}, element('a', { href: userAddress(user.objectId) }, name),
      element('code', {}, user.objectId), remove);
  }

  async #add({ id, name }) {
    const { context } = this.#options;
    await this.#change('AddRelation', id);
    context.notices.say(context.words('people.role.userAdded', { name, role: this.#options.name }));
  }

  async #remove(id, name) {
    const { context } = this.#options;
    if (!(await ask(context, 'people.role.removeUser', { name, role: this.#options.name }))) return;
    await this.#change('RemoveRelation', id);
  }

  async #change(operation, id) {
    await this.#options.context.client.send('PUT', `classes/_Role/${this.#options.id}`, {
      users: { __op: operation, objects: [pointer('_User', id)] },
    });
    await this.#load(this.#page);
    keepFocus(this.#state);
  }
}
