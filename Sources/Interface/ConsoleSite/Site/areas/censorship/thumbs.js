// Small images of the entries that are in sight, a few at a time.

import { element, fill } from '../../scripts/element.js';
import { imageOf } from './picture.js';

const parallel = 4;
const side = 96;

export class Thumbs {
  #client;
  #jobs = new Map();
  #waiting = [];
  #running = 0;
  #sight;

  constructor(client) {
    this.#client = client;
    this.#sight = new IntersectionObserver((changes) => {
      for (const { target, isIntersecting } of changes) {
        if (isIntersecting) this.#begin(target);
        else this.#end(target);
      }
    }, { rootMargin: '100px' });
  }

  /// Shows the image of an entry in an element while that is in sight.
  watch(place, entry) {
    this.#jobs.set(place, { entry, controller: null, url: null });
    this.#sight.observe(place);
  }

  /// Frees what belongs to an element that is removed.
  forget(place) {
    this.#sight.unobserve(place);
    this.#end(place);
    this.#jobs.delete(place);
  }

  close() {
    this.#sight.disconnect();
    for (const place of this.#jobs.keys()) this.#end(place);
    this.#jobs.clear();
  }

  #begin(place) {
    const job = this.#jobs.get(place);
    if (!job || job.controller) return;
    job.controller = new AbortController();
    this.#waiting.push(place);
    this.#next();
  }

  #end(place) {
    const job = this.#jobs.get(place);
    if (!job) return;
    job.controller?.abort();
    if (job.url) URL.revokeObjectURL(job.url);
    Object.assign(job, { controller: null, url: null });
    this.#waiting = this.#waiting.filter((other) => other !== place);
    fill(place);
  }

  #next() {
    while (this.#running < parallel && this.#waiting.length > 0) this.#load(this.#waiting.shift());
  }

  async #load(place) {
    const job = this.#jobs.get(place);
    const { signal } = job.controller;
    this.#running += 1;
    try {
      const blob = await imageOf(this.#client, job.entry, side, signal);
      if (signal.aborted) return;
      job.url = URL.createObjectURL(blob);
      fill(place, element('img', { src: job.url, alt: '' }));
    } catch {
      // The entry has its name, and its picture says why there is none.
    } finally {
      this.#running -= 1;
      this.#next();
    }
  }
}
