// Files that are dropped on an element.

/// Calls `onfiles(files)` for dropped files, and `onfolders()` if folders were among them, which are not read.
///
/// Returns `{ close() }`.
export function acceptDrops(place, onfiles, onfolders) {
  const closing = new AbortController();
  const listen = (node, name, listener) => node.addEventListener(name, listener, { signal: closing.signal });
  const hasFiles = (event) => event.dataTransfer?.types.includes('Files');
  // Without this the browser leaves the page for a file that misses the element.
  listen(window, 'dragover', (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    if (!place.contains(event.target)) event.dataTransfer.dropEffect = 'none';
  });
  listen(window, 'drop', (event) => {
    if (hasFiles(event)) event.preventDefault();
    place.classList.remove('files-dropping');
  });
  listen(place, 'dragenter', (event) => {
    if (hasFiles(event)) place.classList.add('files-dropping');
  });
  listen(place, 'dragleave', (event) => {
    if (!place.contains(event.relatedTarget)) place.classList.remove('files-dropping');
  });
  listen(place, 'drop', (event) => {
    if (!hasFiles(event)) return;
    const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry?.() ?? null);
    const files = [...event.dataTransfer.files].filter((_, index) => !entries[index]?.isDirectory);
    if (files.length > 0) onfiles(files);
    if (entries.some((entry) => entry?.isDirectory)) onfolders();
  });
  return { close: () => closing.abort() };
}
