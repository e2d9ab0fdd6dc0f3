// Entries of permissions with the names of their roles and users.

import { element } from '../../scripts/element.js';
import { roleAddress, userAddress } from './links.js';

const most = 200;

export class Audience {
  #context;
  #signal;
  /// The ids of roles by name, and the names of users by id; `null` for those that do not exist.
  #roles = new Map();
  #users = new Map();

  constructor(context, signal) {
    this.#context = context;
    this.#signal = signal;
  }

  /// Looks up the roles and users of entries.
  async learn(entries) {
    const parts = (kind, known) => entries.filter((entry) => entry.startsWith(kind))
      .map((entry) => entry.slice(kind.length)).filter((name) => !known.has(name)).slice(0, most);
    await this.#look(
      '_Role', 'name', parts('role:', this.#roles), ({ name, objectId }) => [name, objectId], this.#roles,
    );
    await this.#look(
      '_User', 'objectId', parts('user:', this.#users),
      ({ objectId, username }) => [objectId, username || objectId], this.#users,
    );
  }

  /// Remembers a role or a user that was just found.
  note(entry, { id, name }) {
    if (entry.startsWith('role:')) this.#roles.set(name, id);
    else this.#users.set(id, name || id);
  }

  async #look(className, field, values, pairOf, known) {
    if (values.length === 0) return;
    const { results } = await this.#context.client.get(`classes/${className}`, {
      where: { [field]: { $in: values } }, keys: className === '_Role' ? 'name' : 'username', limit: most,
    }, { signal: this.#signal });
    for (const value of values) known.set(value, null);
    for (const object of results) known.set(...pairOf(object));
  }

  /// An entry in words.
  title(entry) {
    const { words } = this.#context;
    if (entry.startsWith('role:')) return words('people.audience.role', { name: entry.slice(5) });
    if (!entry.startsWith('user:')) return words(`people.audience.${entry}`);
    const id = entry.slice(5);
    return words('people.audience.user', { name: this.#users.get(id) ?? id });
  }

  /// The heading of a column, with a link to the role or user.
  heading(entry) {
    const { words } = this.#context;
    const [kind, name] = [entry.slice(0, 5), entry.slice(5)];
    if (kind !== 'role:' && kind !== 'user:') return this.title(entry);
    const known = kind === 'role:' ? this.#roles : this.#users;
    const target = known.get(name);
    const missing = target === null && element('span', { class: 'hint' }, words('people.audience.missing'));
    if (target === null || target === undefined) return [this.title(entry), ' ', missing];
    const href = kind === 'role:' ? roleAddress(target) : userAddress(name);
    return element('a', { href }, this.title(entry));
  }
}
