// The numbers of objects of classes: those that are in sight, a few at a time.

/// The number of classes that are counted at the same time.
const parallel = 2;

export class Counts {
  #client;
  #known = new Map();
  #waiting = [];
  #running = 0;
  #sight;

  constructor(client) {
    this.#client = client;
    this.#sight = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) {
        if (!isIntersecting) continue;
        this.#sight.unobserve(target);
        this.#waiting.push(target);
      }
      this.#next();
    });
  }

  /// Writes the number of objects of a class into an element, when the element comes into sight.
  show(className, node) {
    node.dataset.class = className;
    if (this.#known.has(className)) node.textContent = this.#known.get(className).toLocaleString();
    else this.#sight.observe(node);
  }

  /// Forgets all numbers, because objects were added or deleted.
  forget() { this.#known.clear(); }

  close() {
    this.#waiting = [];
    this.#sight.disconnect();
  }

  #next() {
    while (this.#running < parallel && this.#waiting.length > 0) this.#count(this.#waiting.shift());
  }

  async #count(node) {
    const className = node.dataset.class;
    this.#running += 1;
    try {
      if (!this.#known.has(className)) {
        const { count } = await this.#client.get(`classes/${className}`, { limit: 0, count: 1 });
        this.#known.set(className, count);
      }
      node.textContent = this.#known.get(className).toLocaleString();
    } catch {
      node.textContent = '?';
    } finally {
      this.#running -= 1;
      this.#next();
    }
  }
}
