// The objects of a query by their position, read in pages as the table needs them.

/// The number of objects of one request.
const pageSize = 100;
/// The number of pages in memory; those that were used last.
const pagesInMemory = 12;
/// The most rows that the table scrolls through: browsers limit the height of an element.
export const mostRows = 200_000;

export class Rows {
  #client;
  #path;
  #query;
  #pages = new Map();
  #reading = new Set();
  #wanted = [];
  #closed = false;
  #hasFailed = false;

  /// Called with no value whenever rows have arrived.
  onChange = () => {};
  /// Called with no value when the count has arrived.
  onCount = () => {};
  /// Called with the error of the first page that could not be read; further ones are read again when they are needed.
  onError = () => {};

  /// - `query`: `where`, and `order` as in the API.
  constructor(client, className, query) {
    this.#client = client;
    this.#path = `classes/${className}`;
    this.#query = query;
    /// The number of objects that match; 0 until the first page has arrived.
    this.count = 0;
    /// Whether the count is known.
    this.isCounted = false;
  }

  /// The number of rows of the table.
  get length() { return Math.min(this.count, mostRows); }

  /// The object at a position, or `undefined` if it is not in memory.
  at(position) {
    const page = this.#pages.get(Math.floor(position / pageSize));
    return page?.[position % pageSize];
  }

  /// Puts a changed object in the place of the old one.
  replace(object) {
    for (const page of this.#pages.values()) {
      const position = page.findIndex((one) => one.objectId === object.objectId);
      if (position >= 0) page[position] = object;
    }
    this.onChange();
  }

  /// Reads the count and the first page.
  start() { this.need(0, pageSize - 1); }

  /// Reads the rows from `first` to `last`, the visible ones; earlier wishes that have not begun are forgotten.
  need(first, last) {
    this.#wanted = [];
    for (let page = Math.floor(first / pageSize); page <= Math.floor(last / pageSize); page += 1) {
      const known = this.#pages.get(page);
      if (known !== undefined) {
        this.#pages.delete(page);
        this.#pages.set(page, known);
      } else if (!this.#reading.has(page)) {
        this.#wanted.push(page);
      }
    }
    this.#next();
  }

  /// Ends all reading.
  close() { this.#closed = true; }

  #next() {
    while (this.#reading.size < 2 && this.#wanted.length > 0) this.#read(this.#wanted.shift());
  }

  async #read(page) {
    this.#reading.add(page);
    try {
      const objects = await this.#objects(page);
      if (this.#closed) return;
      this.#pages.set(page, objects);
      if (this.#pages.size > pagesInMemory) this.#pages.delete(this.#pages.keys().next().value);
      this.onChange();
    } catch (error) {
      if (!this.#closed && !this.#hasFailed) this.onError(error);
      this.#hasFailed = true;
    } finally {
      this.#reading.delete(page);
      if (!this.#closed) this.#next();
    }
  }

  /// The objects of one page. An answer can have fewer than it was asked for, because its bytes are limited.
  async #objects(page) {
    const objects = [];
    for (;;) {
      const reply = await this.#client.get(this.#path, {
        where: this.#query.where, order: this.#query.order, returnACL: true,
        skip: page * pageSize + objects.length, limit: pageSize - objects.length,
        ...(this.isCounted ? {} : { count: 1 }),
      });
      if (reply.count !== undefined) {
        this.count = reply.count;
        this.isCounted = true;
        if (!this.#closed) this.onCount();
      }
      objects.push(...reply.results);
      const isWhole = objects.length >= Math.min(pageSize, this.count - page * pageSize);
      if (isWhole || reply.results.length === 0 || this.#closed) return objects;
    }
  }
}
