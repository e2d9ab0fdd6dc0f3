// The addresses inside the page: #/<area>/<segment>/…, each segment encoded.

/// The decoded segments of the current address.
export function currentPath() {
  return location.hash
    .replace(/^#\/?/, '')
    .split('/')
    .filter((segment) => segment !== '')
    .map((segment) => {
      try {
        return decodeURIComponent(segment);
      } catch {
        return segment;
      }
    });
}

/// The address of a path, for links.
export function address(...segments) {
  return `#/${segments.map((segment) => encodeURIComponent(segment)).join('/')}`;
}

/// Goes to a path.
export function go(...segments) {
  location.hash = address(...segments);
}

/// Goes to a path without an entry in the history of the browser.
export function replace(...segments) {
  location.replace(address(...segments));
}
