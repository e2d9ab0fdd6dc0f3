// Thumbnails as URLs of blobs in memory: they need the session's token, which an <img> cannot send, and private files
// are shown like public ones. The server renders them, so no byte of a file is interpreted by the page.

import { rasterBlob } from '../../scripts/images.js';

const parallel = 6;
const retryAfter = 2000;
const mostTries = 4;

/// The operators for a preview that fits a square; an animation becomes its first frame.
export function previewOperators(record, side) {
  const isFlat = record.mime_type === 'image/gif' || record.mime_type === 'image/jpeg';
  return `imageView2/2/w/${side}/h/${side}/format/${isFlat ? 'jpg' : 'webp'}`;
}

/// Gets an image of a file as a blob whose type is that of a raster image.
export function imageBlob(client, id, chain, signal) {
  return rasterBlob(client, `files/${encodeURIComponent(id)}/content?${encodeURI(chain)}`, signal);
}

/// A verdict changes whether the server shows an image.
function keyOf(record) {
  return `${record.objectId} ${record.censorResult ?? ''}`;
}

/// Loads the thumbnails of the tiles in view, the last requested first, and keeps the newest ones.
export class Thumbnails {
  #client;
  #most;
  #entries = new Map();
  #waiting = [];
  #running = 0;

  constructor(client, most = 300) {
    this.#client = client;
    this.#most = most;
  }

  /// Calls `show` with the URL of the thumbnail, or with `null` if the file has none; at once if it is known.
  ///
  /// Returns a function that ends the request when the tile leaves the view.
  request(record, show) {
    const key = keyOf(record);
    const known = this.#entries.get(key);
    if (known) {
      this.#entries.delete(key);
      this.#entries.set(key, known);
      show(known.url);
      return () => {};
    }
    const job = { record, show, controller: new AbortController(), tries: 0 };
    this.#waiting.push(job);
    this.#next();
    return () => {
      job.controller.abort();
      this.#waiting = this.#waiting.filter((other) => other !== job);
    };
  }

  /// Frees the memory of all thumbnails.
  close() {
    for (const job of this.#waiting) job.controller.abort();
    this.#waiting = [];
    for (const { url } of this.#entries.values()) if (url) URL.revokeObjectURL(url);
    this.#entries.clear();
  }

  #next() {
    while (this.#running < parallel && this.#waiting.length > 0) {
      this.#running += 1;
      this.#load(this.#waiting.pop()).finally(() => {
        this.#running -= 1;
        this.#next();
      });
    }
  }

  async #load(job) {
    const { record, controller } = job;
    try {
      const blob = await imageBlob(this.#client, record.objectId, previewOperators(record, 320), controller.signal);
      if (!controller.signal.aborted) this.#keep(job, URL.createObjectURL(blob));
    } catch (error) {
      if (controller.signal.aborted) return;
      job.tries += 1;
      // A lost connection, or a server that starts or is busy, says nothing about the file.
      const isLasting = error.status >= 400 && error.status < 500 && error.status !== 429;
      if (isLasting) {
        this.#keep(job, null);
      } else if (job.tries < mostTries) {
        setTimeout(() => {
          if (controller.signal.aborted) return;
          this.#waiting.push(job);
          this.#next();
        }, retryAfter);
      } else {
        job.show(null);
      }
    }
  }

  #keep({ record, show }, url) {
    this.#entries.set(keyOf(record), { url });
    show(url);
    for (const [key, entry] of this.#entries) {
      if (this.#entries.size <= this.#most) break;
      this.#entries.delete(key);
      if (entry.url) URL.revokeObjectURL(entry.url);
    }
  }
}
