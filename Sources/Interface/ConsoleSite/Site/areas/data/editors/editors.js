// The editor of a field by its type.
//
// Each editor is a function of `{ value, column, words, client }` that returns `{ node, read, focus }`: `read` gives
// the value to send, or throws `Invalid` with what to change.
import { aclEditor } from './acl.js';
import { booleanEditor } from './boolean.js';
import { bytesEditor } from './bytes.js';
import { dateEditor } from './date.js';
import { fileEditor } from './file.js';
import { jsonEditor } from './json.js';
import { numberEditor } from './number.js';
import { passwordEditor } from './password.js';
import { placeEditor } from './place.js';
import { pointerEditor } from './pointer.js';
import { stringEditor } from './string.js';

const editors = {
  String: stringEditor, Number: numberEditor, Boolean: booleanEditor, Date: dateEditor, GeoPoint: placeEditor,
  Pointer: pointerEditor, File: fileEditor, Bytes: bytesEditor, ACL: aclEditor, Password: passwordEditor,
};

/// Makes the editor for a column.
export function editorOf(options) {
  return (editors[options.column.type] ?? jsonEditor)(options);
}
