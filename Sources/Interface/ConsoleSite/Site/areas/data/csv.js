// Rows of comma-separated values (RFC 4180), in the form that spreadsheets read.
import { typeOf } from '../../scripts/values.js';

/// The bytes that tell spreadsheets that a file is UTF-8.
export const byteOrderMark = '\uFEFF';

/// One line with its end.
export function line(cells) {
  return `${cells.map(quoted).join(',')}\r\n`;
}

/// The cell of a value: text as it is, times in ISO 8601, the id of a pointer, the URL of a file, JSON for the rest.
///
/// A spreadsheet runs a text that begins like a formula. Clients write the values, so such a text gets an apostrophe in
/// front, which spreadsheets take for the mark of a text.
export function cell(value) {
  switch (typeOf(value)) {
  case '': case 'Null': return '';
  case 'String': return /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  case 'Number': case 'Boolean': return String(value);
  case 'Date': return value.iso;
  case 'Pointer': return value.objectId;
  case 'File': return value.url ?? value.objectId ?? value.id ?? '';
  case 'GeoPoint': return `${value.latitude},${value.longitude}`;
  case 'Bytes': return value.base64;
  case 'Relation': return '';
  default: return JSON.stringify(value);
  }
}

function quoted(text) {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
