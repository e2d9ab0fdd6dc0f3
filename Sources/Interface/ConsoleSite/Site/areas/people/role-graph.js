// Which roles contain which others. Roles can contain each other in loops, and one role can be in several.

const pageSize = 200;
/// The most roles and memberships that are read; a search finds further roles.
const mostRoles = 2000;
const mostLinks = 10_000;

/// The roles of an app by their ids, and how they contain each other.
export class RoleGraph {
  #names = new Map();
  #children = new Map();
  #parents = new Map();

  /// Whether all roles and memberships were read.
  isWhole = true;

  /// Reads the roles.
  static async load(client, signal) {
    const graph = new RoleGraph();
    for (let skip = 0; ; skip += pageSize) {
      const query = { order: 'name', keys: 'name', limit: pageSize, skip };
      const { results } = await client.get('classes/_Role', query, { signal });
      for (const { objectId, name } of results) graph.#names.set(objectId, name);
      if (results.length < pageSize) break;
      if (skip + pageSize >= mostRoles) {
        graph.isWhole = false;
        break;
      }
    }
    let [cursor, count] = [undefined, 0];
    do {
      const page = await client.get('nestedRoles', { limit: pageSize, cursor }, { signal });
      for (const { role, contains } of page.results) graph.#link(role, contains);
      count += page.results.length;
      cursor = page.cursor ?? undefined;
    } while (cursor !== undefined && count < mostLinks);
    if (cursor !== undefined) graph.isWhole = false;
    return graph;
  }

  #link(role, contained) {
    if (!this.#names.has(role) || !this.#names.has(contained)) {
      // A role that was not read is no part of the tree.
      this.isWhole = false;
      return;
    }
    if (!this.#children.has(role)) this.#children.set(role, []);
    if (!this.#parents.has(contained)) this.#parents.set(contained, []);
    this.#children.get(role).push(contained);
    this.#parents.get(contained).push(role);
  }

  /// The number of roles.
  get size() { return this.#names.size; }

  /// The name of a role; `undefined` if it was not read.
  name(id) { return this.#names.get(id); }

  /// The roles that a role contains, in the order of their names.
  children(id) { return this.#sorted(this.#children.get(id) ?? []); }

  /// The roles that contain a role, in the order of their names.
  parents(id) { return this.#sorted(this.#parents.get(id) ?? []); }

  /// The roles where the tree begins: those in no other role, and for each loop that is in no other role its first one.
  roots() {
    const roots = [...this.#names.keys()].filter((id) => !this.#parents.has(id));
    const met = new Set();
    for (const root of roots) this.#meet(root, met);
    for (const id of this.#names.keys()) {
      if (met.has(id)) continue;
      roots.push(id);
      this.#meet(id, met);
    }
    return this.#sorted(roots);
  }

  /// Whether a role is another one, or contains it, directly or through others.
  contains(role, other) {
    return this.#meet(role, new Set()).has(other);
  }

  #meet(start, met) {
    const waiting = [start];
    met.add(start);
    while (waiting.length > 0) {
      for (const child of this.#children.get(waiting.pop()) ?? []) {
        if (met.has(child)) continue;
        met.add(child);
        waiting.push(child);
      }
    }
    return met;
  }

  #sorted(ids) {
    return [...ids].sort((a, b) => this.#names.get(a).localeCompare(this.#names.get(b)));
  }
}
