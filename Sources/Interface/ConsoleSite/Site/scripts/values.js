// Values of objects as text of one line: for cells, for labels, and for the cells of an export.

/// The most characters of a value that a cell shows.
const cellLength = 200;

/// The value of a field whose name comes from data; `undefined` if the object has no such field.
///
/// A client can call a field `constructor` or `toString`, members that every object of JavaScript inherits.
export function memberOf(object, name) {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/// The type of a value, by the names that schemas use.
///
/// An empty string for a missing value, `Null` for null.
export function typeOf(value) {
  if (value === undefined) return '';
  if (value === null) return 'Null';
  if (Array.isArray(value)) return 'Array';
  switch (typeof value) {
  case 'string': return 'String';
  case 'number': return 'Number';
  case 'boolean': return 'Boolean';
  default: return value.__type === undefined ? 'Object' : value.__type === 'Object' ? 'Pointer' : value.__type;
  }
}

/// The time of a Date value, or of `createdAt` and `updatedAt`, which are bare strings; `null` if there is no time.
export function timeOf(value) {
  const time = new Date(typeof value === 'string' ? value : value?.iso ?? NaN);
  return Number.isNaN(time.getTime()) ? null : time;
}

/// `2026-11-26 13:05:09` in the time zone of the browser.
export function localText(time) {
  const two = (number) => String(number).padStart(2, '0');
  const day = `${String(time.getFullYear()).padStart(4, '0')}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
}

/// The entries of an ACL in short: `* rw, role:Editors r`.
export function aclText(acl) {
  if (acl === undefined || acl === null) return '';
  const entries = Object.entries(acl)
    .map(([name, rights]) => `${name} ${rights?.read === true ? 'r' : ''}${rights?.write === true ? 'w' : ''}`.trim());
  return entries.length === 0 ? '{}' : entries.join(', ');
}

/// A value as the text of a cell.
///
/// `type` is that of the field, which decides about `createdAt`, `updatedAt` and `ACL`. Returns at most 200 characters;
/// an empty string for a missing value.
export function cellText(value, type) {
  const text = fullText(value, type);
  return text.length > cellLength ? `${text.slice(0, cellLength)}…` : text;
}

function fullText(value, type) {
  if (value === undefined) return '';
  if (type === 'ACL') return aclText(value);
  if (type === 'Date') {
    const time = timeOf(value);
    return time === null ? String(value) : localText(time);
  }
  switch (typeOf(value)) {
  case 'String': return value.slice(0, cellLength + 1).replace(/\s+/g, ' ');
  case 'Date': return localText(timeOf(value) ?? new Date(0));
  case 'Pointer': return `${value.className}:${value.objectId}`;
  case 'Relation': return value.className === undefined ? '→' : `→ ${value.className}`;
  case 'File': return value.name ?? value.id ?? value.objectId ?? '';
  case 'GeoPoint': return `${value.latitude}, ${value.longitude}`;
  case 'Bytes': return value.base64 ?? '';
  default: return JSON.stringify(value) ?? '';
  }
}
