// The records of files that match a filter, of which only pages near the view are in memory.

/// The number of records of one request.
export const pageSize = 100;
const mostPages = 30;
// The tiles show the size alone, and the rest of metaData can be long.
const fields = 'name,mime_type,metaData.size,url,key,censorResult';

/// A list of file records by position.
export class FileList {
  #client;
  #filter;
  #pages = new Map();
  #loading = new Map();
  #onchange;
  #onfail;
  #closing = new AbortController();
  #counts = true;

  /// The number of records; `null` before it is known.
  count = null;

  /// - `filter`: `{ where, order }`.
  /// - `onchange()`: called when records or the number are known.
  /// - `onfail(error)`: called when a request fails.
  constructor(client, filter, { onchange, onfail }) {
    this.#client = client;
    this.#filter = filter;
    this.#onchange = onchange;
    this.#onfail = onfail;
  }

  /// The record at a position, if its page is in memory.
  at(index) {
    return this.#pages.get(Math.floor(index / pageSize))?.[index % pageSize];
  }

  /// Loads the pages of a range of positions, and stops loading others.
  show(first, last) {
    const from = Math.floor(first / pageSize);
    const to = Math.floor(Math.max(first, last) / pageSize);
    for (const [page, controller] of this.#loading) {
      if (page >= from && page <= to) continue;
      controller.abort();
      this.#loading.delete(page);
    }
    for (let page = from; page <= to; page += 1) this.#load(page);
  }

  /// Forgets the records, after files were changed or deleted; the number stays until it is known again.
  refresh() {
    this.#pages.clear();
    for (const controller of this.#loading.values()) controller.abort();
    this.#loading.clear();
    this.#counts = true;
    this.#onchange();
  }

  /// Ends all requests.
  close() {
    this.#closing.abort();
    for (const controller of this.#loading.values()) controller.abort();
  }

  async #load(page) {
    if (this.#pages.has(page)) {
      const records = this.#pages.get(page);
      this.#pages.delete(page);
      this.#pages.set(page, records);
      return;
    }
    if (this.#loading.has(page) || this.#closing.signal.aborted) return;
    const controller = new AbortController();
    this.#loading.set(page, controller);
    try {
      this.#pages.set(page, await this.#records(page, controller.signal));
      for (const old of this.#pages.keys()) {
        if (this.#pages.size <= mostPages) break;
        this.#pages.delete(old);
      }
      this.#onchange();
    } catch (error) {
      if (!controller.signal.aborted) this.#onfail(error);
    } finally {
      if (this.#loading.get(page) === controller) this.#loading.delete(page);
    }
  }

  /// The records of one page. An answer can have fewer than it was asked for, because its bytes are limited.
  async #records(page, signal) {
    const records = [];
    for (;;) {
      const { results, count } = await this.#client.get('files', {
        ...this.#filter, keys: fields, limit: String(pageSize - records.length),
        skip: String(page * pageSize + records.length), count: this.#counts ? '1' : undefined,
      }, { signal });
      if (count !== undefined) {
        this.count = count;
        this.#counts = false;
        this.#onchange();
      }
      records.push(...results);
      const isWhole = records.length >= Math.min(pageSize, this.count - page * pageSize);
      if (isWhole || results.length === 0) return records;
    }
  }
}
