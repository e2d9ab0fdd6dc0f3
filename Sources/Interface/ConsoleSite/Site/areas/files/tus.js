// One resumable upload by tus 1.0 (docs/uploads.md, section 7).

import { ServerError } from '../../scripts/client.js';

const smallest = 256 * 1024;
const largest = 8 * 1024 * 1024;
// Milliseconds that one piece should take: short enough for progress, long enough that requests do not matter.
const wanted = 1000;
const pauses = [1000, 2000, 4000, 8000, 15_000, 30_000];

/// The file could not be read: it was changed, moved or deleted since it was chosen.
export class UnreadableFile extends Error {}

function encoded(text) {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

function isTemporary(error) {
  return error instanceof ServerError && (error.status === 0 || error.status === 429 || error.status >= 500)
    && error.status !== 507;
}

function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    }, { once: true });
  });
}

export class TusUpload {
  #client;
  #file;
  #hooks;
  #offset = 0;
  #piece = smallest;
  #objectId = null;

  /// The path of the upload; `null` before it is created.
  path;

  /// - `path`: that of an upload that was begun before, or `null`.
  /// - `hooks`: `{ oncreated(path), onprogress(bytes) }`; `oncreated` can return a promise.
  constructor(client, file, path, hooks) {
    this.#client = client;
    this.#file = file;
    this.path = path;
    this.#hooks = hooks;
  }

  /// Sends the bytes that the server does not have. Temporary failures are tried again for about a minute.
  ///
  /// Returns the id of the file. Throws a ServerError, an UnreadableFile, or the reason of the signal.
  async run(signal) {
    for (let failures = 0; ; ) {
      const before = this.#offset;
      try {
        return await this.#send(signal);
      } catch (error) {
        signal.throwIfAborted();
        // Another offset than the server's: a request whose answer was lost, or a second tab.
        const isConflict = error.status === 409;
        if (!isTemporary(error) && !isConflict) throw error;
        if (this.#offset > before) failures = 0;
        if (failures === pauses.length) throw error;
        await pause(pauses[failures], signal);
        failures += 1;
      }
    }
  }

  /// Ends the upload at the server.
  async cancel() {
    if (this.path) await this.#request('DELETE', this.path, {});
  }

  async #send(signal) {
    if (this.path) await this.#continue(signal);
    if (!this.path) await this.#create(signal);
    while (!this.#isComplete) await this.#sendPiece(signal);
    return this.#objectId;
  }

  get #isComplete() {
    return this.#offset === this.#file.size;
  }

  async #create(signal) {
    const metadata = [`filename ${encoded(this.#file.name)}`];
    if (this.#file.type) metadata.push(`filetype ${encoded(this.#file.type)}`);
    const headers = { 'Upload-Length': String(this.#file.size), 'Upload-Metadata': metadata.join(',') };
    // The answer has the path by which the upload is continued or ended, so a request that was sent is not aborted.
    signal.throwIfAborted();
    const response = await this.#request('POST', 'uploads', { headers });
    this.path = this.#client.pathOf(response.headers.get('Location'));
    this.#offset = 0;
    await this.#hooks.oncreated(this.path);
  }

  /// Asks how many bytes the server has; an upload that ended there begins anew.
  async #continue(signal) {
    try {
      const response = await this.#request('HEAD', this.path, { signal });
      this.#offset = Number(response.headers.get('Upload-Offset'));
      this.#hooks.onprogress(this.#offset);
    } catch (error) {
      if (error.status !== 404) throw error;
      this.path = null;
    }
  }

  async #sendPiece(signal) {
    const piece = this.#file.slice(this.#offset, this.#offset + this.#piece);
    let body;
    try {
      body = await piece.arrayBuffer();
    } catch (error) {
      throw new UnreadableFile(error.message);
    }
    const start = performance.now();
    const headers = { 'Upload-Offset': String(this.#offset), 'Content-Type': 'application/offset+octet-stream' };
    const response = await this.#request('PATCH', this.path, { headers, body, signal });
    const duration = performance.now() - start;
    this.#offset = Number(response.headers.get('Upload-Offset'));
    if (duration < wanted / 2) this.#piece = Math.min(largest, this.#piece * 2);
    else if (duration > 2 * wanted) this.#piece = Math.max(smallest, this.#piece / 2);
    this.#hooks.onprogress(this.#offset);
  }

  async #request(method, path, { headers = {}, body, signal }) {
    const response = await this.#client.request(method, path, {
      headers: { 'Tus-Resumable': '1.0.0', ...headers }, body, signal,
    });
    this.#objectId = response.headers.get('X-LC-Object-Id') ?? this.#objectId;
    return response;
  }
}
