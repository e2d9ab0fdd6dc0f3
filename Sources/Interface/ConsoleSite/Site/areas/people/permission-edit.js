// What is changed in the permissions of a class before it is saved.

/// The operations in the order in which they are shown.
export const operations = ['get', 'find', 'create', 'update', 'delete', 'add_fields'];
/// The entries that every class has a column for.
export const general = ['everyone', 'users'];

/// Operations with which a caller changes what others see, and `find` of users, which shows them all.
function isGrave(className, operation) {
  return operation === 'update' || operation === 'delete' || operation === 'add_fields'
    || (className === '_User' && operation === 'find') || (className === '_Role' && operation === 'create');
}

export class PermissionEdit {
  #className;
  #base = new Map();
  #now = new Map();
  #columns = new Set(general);

  /// - `permissions`: the answer of `GET /1.1/permissions/<Class>`.
  constructor(className, permissions) {
    this.#className = className;
    this.#read(permissions);
    for (const operation of operations) this.#now.set(operation, new Set(this.#base.get(operation)));
  }

  #read(permissions) {
    for (const operation of operations) {
      const entries = new Set(permissions[operation] ?? []);
      this.#base.set(operation, entries);
      for (const entry of entries) this.#columns.add(entry);
    }
  }

  /// The entries: everyone, users, then roles and users in the order in which they were named.
  get columns() { return [...this.#columns]; }

  /// Adds a column for a role or a user, with no rights at first.
  addColumn(entry) { this.#columns.add(entry); }

  has(operation, entry) { return this.#now.get(operation).has(entry); }

  /// Whether the value differs from what is stored.
  isChanged(operation, entry) { return this.has(operation, entry) !== this.#base.get(operation).has(entry); }

  /// Whether a caller of a column is allowed to do it without an entry of its own.
  isImplied(operation, entry) {
    return entry !== 'everyone' && (this.has(operation, 'everyone')
      || (entry !== 'users' && this.has(operation, 'users')));
  }

  set(operation, entry, isAllowed) {
    if (isAllowed) this.#now.get(operation).add(entry);
    else this.#now.get(operation).delete(entry);
  }

  /// Whether only the master key is allowed to do it.
  isClosed(operation) { return this.#now.get(operation).size === 0; }

  /// The changes: `{ operation, added, removed }` for each operation that differs from what is stored.
  get changes() {
    return operations.map((operation) => {
      const [base, now] = [this.#base.get(operation), this.#now.get(operation)];
      return {
        operation, added: [...now].filter((entry) => !base.has(entry)),
        removed: [...base].filter((entry) => !now.has(entry)),
      };
    }).filter(({ added, removed }) => added.length + removed.length > 0);
  }

  /// The body of the call that saves the changes.
  get body() {
    return Object.fromEntries(this.changes.map(({ operation }) => [operation, [...this.#now.get(operation)]]));
  }

  /// What the changes open to many, or close to all: `{ kind, operation }`, with `isGrave` where data is at risk.
  get warnings() {
    return this.changes.flatMap(({ operation, added }) => {
      const grave = isGrave(this.#className, operation);
      if (added.includes('everyone')) return [{ kind: 'everyone', operation, isGrave: grave }];
      if (added.includes('users') && !this.#base.get(operation).has('everyone') && grave) {
        return [{ kind: 'users', operation, isGrave: true }];
      }
      if (this.isClosed(operation)) return [{ kind: 'closed', operation, isGrave: false }];
      return [];
    });
  }

  /// Takes all changes back.
  undo() {
    for (const operation of operations) this.#now.set(operation, new Set(this.#base.get(operation)));
  }

  /// Takes what the server has now as the base, with the changes on top of it.
  ///
  /// Returns whether another client has changed an operation that is changed here.
  rebase(permissions) {
    const { changes } = this;
    const before = new Map(this.#base);
    this.#read(permissions);
    this.undo();
    for (const { operation, added, removed } of changes) {
      for (const entry of added) this.set(operation, entry, true);
      for (const entry of removed) this.set(operation, entry, false);
    }
    const text = (entries) => [...entries].sort().join(' ');
    return changes.some(({ operation }) => text(before.get(operation)) !== text(this.#base.get(operation)));
  }
}
