// The images of one verdict, newest first, read page by page.

const pageSize = 50;

/// The entries that are loaded. `onchange()` is called when there are others.
export class ReviewList {
  #client;
  #verdict;
  #onchange;
  #closing = new AbortController();
  #cursor = null;
  #loading = null;

  entries = [];
  /// Whether there can be entries after those that are loaded.
  hasMore = true;

  constructor(client, verdict, onchange) {
    this.#client = client;
    this.#verdict = verdict;
    this.#onchange = onchange;
  }

  get verdict() {
    return this.#verdict;
  }

  close() {
    this.#closing.abort();
  }

  /// Loads the next page.
  more() {
    this.#loading ??= this.#load().finally(() => {
      this.#loading = null;
    });
    return this.#loading;
  }

  /// Removes an entry that has another verdict now.
  remove(entry) {
    this.entries = this.entries.filter((other) => other !== entry);
    this.#onchange();
  }

  /// Puts an entry back where it was.
  restore(entry, index) {
    if (!this.entries.includes(entry)) this.entries.splice(Math.min(index, this.entries.length), 0, entry);
    this.#onchange();
  }

  async #load() {
    const query = { verdict: this.#verdict, limit: String(pageSize), cursor: this.#cursor };
    const { results, cursor } = await this.#client.get('censorship', query, { signal: this.#closing.signal });
    const known = new Set(this.entries.map(({ objectId }) => objectId));
    this.entries.push(...results.filter(({ objectId }) => !known.has(objectId)));
    this.#cursor = cursor ?? null;
    this.hasMore = this.#cursor !== null;
    this.#onchange();
  }
}
