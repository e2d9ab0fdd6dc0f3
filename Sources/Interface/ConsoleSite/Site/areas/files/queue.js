// The queue of uploads. It exists once for the page, so uploads go on while the reader is in another area.

import * as journal from './journal.js';
import { TusUpload } from './tus.js';

const parallel = 2;

/// An upload of the queue.
///
/// `state` is `waiting`, `running`, `paused`, `failed` (with `error`), `done` (with `objectId`), or `missing`: the file
/// must be chosen again.
class QueuedUpload {
  sent = 0;
  error = null;
  objectId = null;
  controller = null;
  /// The end of the newest run, as a promise; `null` before the first one.
  ended = null;
  release = () => {};

  constructor(entry, file) {
    this.entry = entry;
    this.file = file;
    this.state = file ? 'waiting' : 'missing';
  }

  /// Whether a chosen file is the one of this upload.
  matches(file) {
    const { name, size, lastModified } = this.entry;
    return file.name === name && file.size === size && file.lastModified === lastModified;
  }
}

export class UploadQueue extends EventTarget {
  #client;
  #app;
  #running = 0;

  /// The uploads in the order in which they were added.
  uploads = [];

  constructor(client, app) {
    super();
    this.#client = client;
    this.#app = app;
  }

  /// Adds files; one that an interrupted upload waits for continues that upload.
  async add(files) {
    for (const file of files) {
      const waiting = this.uploads.find((upload) => upload.state === 'missing' && upload.matches(file));
      if (waiting) this.continue(waiting, file);
      else await this.#addNew(file);
    }
  }

  /// Adds the uploads of an earlier page that no other tab works on.
  async restore() {
    for (const entry of await journal.entriesOf(this.#app)) {
      if (this.uploads.some((upload) => upload.entry.id === entry.id)) continue;
      const upload = new QueuedUpload(entry, entry.file ?? null);
      if (await this.#lock(upload)) this.uploads.push(upload);
    }
    this.#changed();
    this.#next();
  }

  /// Continues an upload whose file was missing.
  continue(upload, file) {
    upload.file = file;
    upload.state = 'waiting';
    this.#next();
  }

  pause(upload) {
    upload.state = 'paused';
    upload.controller?.abort();
    this.#changed();
  }

  /// Continues a paused or failed upload.
  resume(upload) {
    upload.state = 'waiting';
    upload.error = null;
    this.#next();
  }

  /// Ends an upload, here and at the server; a finished one only leaves the list.
  async remove(upload) {
    this.uploads = this.uploads.filter((other) => other !== upload);
    upload.controller?.abort();
    this.#changed();
    // If the upload is being created, its path, which the server needs to end it, comes with the answer.
    await upload.ended;
    if (upload.state === 'done') return;
    await journal.forget(upload.entry.id);
    // Not before: another tab that gets the lock would continue what is in the journal.
    upload.release();
    try {
      await new TusUpload(this.#client, null, upload.entry.path, {}).cancel();
    } catch (error) {
      // It ended already, or expires.
      if (error.status !== 404) throw error;
    }
  }

  async #addNew(file) {
    const { name, type, size, lastModified } = file;
    const entry = {
      id: crypto.randomUUID(), app: this.#app, name, type, size, lastModified, path: null, at: Date.now(),
    };
    const upload = new QueuedUpload(entry, file);
    await this.#lock(upload);
    this.uploads.push(upload);
    this.#changed();
    await journal.record(entry, file);
    this.#next();
  }

  /// Holds the lock of an upload until it is released or the page is closed; whether no other tab has it.
  #lock(upload) {
    return new Promise((resolve) => {
      navigator.locks.request(`lcfile-upload-${upload.entry.id}`, { ifAvailable: true }, (lock) => {
        resolve(lock !== null);
        return lock && new Promise((release) => { upload.release = release; });
      });
    });
  }

  #next() {
    for (const upload of this.uploads) {
      if (this.#running >= parallel) break;
      if (upload.state === 'waiting') upload.ended = this.#run(upload, upload.ended);
    }
    this.#changed();
  }

  /// Sends an upload. The run `before` has to end first: it can be in a call that its signal does not end, and two that
  /// send together would have different offsets.
  async #run(upload, before) {
    this.#running += 1;
    upload.state = 'running';
    const controller = new AbortController();
    upload.controller = controller;
    await before;
    const tus = new TusUpload(this.#client, upload.file, upload.entry.path, {
      oncreated: (path) => {
        upload.entry.path = path;
        return journal.recordPath(upload.entry.id, path);
      },
      onprogress: (sent) => {
        upload.sent = sent;
        this.#changed();
      },
    });
    try {
      // The run before has sent the last bytes although it was paused.
      if (upload.state === 'done') return;
      upload.objectId = await tus.run(controller.signal);
      upload.sent = upload.entry.size;
      upload.state = 'done';
      upload.release();
      await journal.forget(upload.entry.id);
      this.dispatchEvent(new Event('finished'));
    } catch (error) {
      if (!controller.signal.aborted) {
        upload.state = 'failed';
        upload.error = error;
      }
    } finally {
      this.#running -= 1;
      this.#next();
    }
  }

  #changed() {
    this.dispatchEvent(new Event('change'));
  }
}

const queues = new Map();

/// The queue of an app.
export function queueOf(client, app) {
  if (!queues.has(app)) queues.set(app, new UploadQueue(client, app));
  return queues.get(app);
}
