// The journal of unfinished uploads in the browser, with which they continue after a reload.
//
// An entry is { id, app, name, type, size, lastModified, path, at, file }. `file` is a copy of a small file, which
// continues by itself; of a large one the reader chooses the file again.

const name = 'lcfile-console-uploads';
const store = 'uploads';
const copied = 64 * 1024 * 1024;
// The server removes an upload after a week without a byte (uploads.expireAfter).
const lifetime = 6 * 86_400_000;

let opened = null;

function result(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function database() {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(store, { keyPath: 'id' });
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  return opened;
}

async function write(change) {
  const transaction = (await database()).transaction(store, 'readwrite');
  const isDone = new Promise((resolve, reject) => {
    transaction.oncomplete = resolve;
    transaction.onerror = transaction.onabort = () => reject(transaction.error);
  });
  change(transaction.objectStore(store));
  await isDone;
}

/// Writes an entry. Without space for the copy of the file, it is written without it; without a journal, not at all.
export async function record(entry, file) {
  try {
    const isCopied = file && file.size <= copied;
    await write((entries) => entries.put(isCopied ? { ...entry, file } : entry));
  } catch (error) {
    if (file && error?.name === 'QuotaExceededError') await record(entry, null);
    else console.warn('The journal of uploads cannot be written.', error);
  }
}

/// Notes the path of an upload in its entry.
export async function recordPath(id, path) {
  try {
    const entry = await result((await database()).transaction(store).objectStore(store).get(id));
    if (entry) await write((entries) => entries.put({ ...entry, path }));
  } catch (error) {
    console.warn('The journal of uploads cannot be written.', error);
  }
}

/// Removes an entry.
export async function forget(id) {
  try {
    await write((entries) => entries.delete(id));
  } catch (error) {
    console.warn('The journal of uploads cannot be written.', error);
  }
}

/// The entries of an app; older ones are removed.
export async function entriesOf(app) {
  try {
    const all = await result((await database()).transaction(store).objectStore(store).getAll());
    const start = Date.now() - lifetime;
    for (const entry of all) if (entry.at < start) await forget(entry.id);
    return all.filter((entry) => entry.app === app && entry.at >= start);
  } catch (error) {
    console.warn('The journal of uploads cannot be read.', error);
    return [];
  }
}
