// The fields of a class as columns of its table.

import { isInternal } from '../../scripts/classes.js';

const widths = {
  Boolean: 90, Number: 120, Date: 175, GeoPoint: 220, Pointer: 250, File: 220, Array: 240, Object: 260, ACL: 180,
  Relation: 140, Bytes: 160,
};

/// Fields that the server sets and that no call changes.
const fixed = new Set(['objectId', 'createdAt', 'updatedAt']);
/// Fields of files that can change; the bytes of a file and what describes them never do.
const changeableOfFiles = new Set(['ACL', 'name', 'metaData']);

/// The columns of a class: the id, the fields by name, the times, the ACL.
///
/// `schema` is the answer of `GET /1.1/schemas/<Class>`, `indexes` the results of `GET /1.1/indexes/<Class>`. Each
/// column has `name`, `type`, `className` (of the target), `width` (pixels), `sortable`, `editable`, `required`, and
/// `given`: whether the server sets the value.
export function columnsOf(className, schema, indexes) {
  const indexed = new Set([...fixed, ...indexes.map((index) => index.fields[0])]);
  const last = ['createdAt', 'updatedAt', 'ACL'];
  const own = Object.keys(schema).filter((name) => name !== 'objectId' && !last.includes(name)).sort();
  return ['objectId', ...own, ...last].filter((name) => schema[name] !== undefined).map((name) => {
    const { type, className: target, required = false, autoIncrement = false } = schema[name];
    return {
      name, type, className: target, required,
      width: name === 'objectId' ? 225 : widths[type] ?? 220,
      sortable: indexed.has(name) && !['GeoPoint', 'ACL', 'Array', 'Object', 'Relation'].includes(type),
      editable: isEditable(className, name, type),
      given: fixed.has(name) || autoIncrement,
    };
  });
}

/// The columns of values that a new object of a class has and that the server never returns.
export function hiddenColumnsOf(className) {
  if (className !== '_User') return [];
  return [{ name: 'password', type: 'Password', required: true, editable: true, given: false }];
}

function isEditable(className, name, type) {
  if (fixed.has(name) || isInternal(className)) return false;
  if (className === '_File') return changeableOfFiles.has(name);
  if (className === '_Role' && name === 'name') return false;
  return type !== undefined;
}
