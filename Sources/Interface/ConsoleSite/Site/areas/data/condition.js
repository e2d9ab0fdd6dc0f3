// Rows of the filter builder as a condition (`where`), and conditions as CQL.

import { escaped } from '../../scripts/search.js';

/// The tests that the builder offers for each type of field.
export const testsOfTypes = {
  String: ['is', 'isNot', 'contains', 'begins', 'oneOf', 'less', 'greater', 'exists', 'missing'],
  Number: ['is', 'isNot', 'less', 'atMost', 'greater', 'atLeast', 'oneOf', 'exists', 'missing'],
  Boolean: ['is', 'exists', 'missing'],
  Date: ['before', 'from', 'exists', 'missing'],
  Pointer: ['is', 'isNot', 'exists', 'missing'],
  File: ['is', 'exists', 'missing'],
  Array: ['has', 'hasNot', 'size', 'exists', 'missing'],
  GeoPoint: ['near', 'exists', 'missing'],
  Object: ['exists', 'missing'],
  Bytes: ['exists', 'missing'],
  Any: ['is', 'exists', 'missing'],
};

/// Tests whose value is not typed in.
export const testsWithoutValue = new Set(['exists', 'missing']);

/// The condition of one row.
///
/// - `test`: one of `testsOfTypes`.
/// - `value`: already of the type of the field; a list for `oneOf`, `{ point, kilometers }` for `near`.
///
/// Returns what stands beside the name of the field in a `where`.
export function conditionOf(test, value) {
  switch (test) {
  case 'is': case 'has': return value;
  case 'isNot': case 'hasNot': return { $ne: value };
  case 'contains': return { $regex: escaped(value) };
  case 'begins': return { $regex: `^${escaped(value)}` };
  case 'oneOf': return { $in: value };
  case 'less': case 'before': return { $lt: value };
  case 'atMost': return { $lte: value };
  case 'greater': return { $gt: value };
  case 'atLeast': case 'from': return { $gte: value };
  case 'size': return { $size: value };
  case 'near': return { $nearSphere: value.point, $maxDistanceInKilometers: value.kilometers };
  case 'missing': return { $exists: false };
  default: return { $exists: true };
  }
}

/// The condition of all rows (`{ field, condition }`); with `any` one of them is enough.
export function whereOf(rows, any) {
  const parts = rows.map(({ field, condition }) => ({ [field]: condition }));
  if (any && parts.length > 1) return { $or: parts };
  const fields = new Set(rows.map(({ field }) => field));
  return fields.size === rows.length ? Object.assign({}, ...parts) : { $and: parts };
}

/// The condition that demands two conditions.
export function both(first, second) {
  const names = new Set([...Object.keys(first), ...Object.keys(second)]);
  const isJoint = names.size === Object.keys(first).length + Object.keys(second).length;
  return isJoint ? { ...first, ...second } : { $and: [first, second] };
}

const comparisons = { $ne: '!=', $lt: '<', $lte: '<=', $gt: '>', $gte: '>=' };

/// The statement that selects by a condition; `null` if the condition has a part that CQL cannot express.
export function cqlOf(className, where) {
  try {
    const text = all(where);
    return `select * from ${className}${text === '' ? '' : ` where ${text}`}`;
  } catch (error) {
    if (error instanceof Inexpressible) return null;
    throw error;
  }
}

class Inexpressible extends Error {}

function all(where) {
  return Object.entries(where).map(([name, condition]) => {
    if (name === '$and' || name === '$or') return combined(name, condition.map(all));
    if (name.startsWith('$')) throw new Inexpressible();
    return tests(name, condition);
  }).filter((part) => part !== '').join(' and ');
}

/// Several conditions as one; an empty text is a condition that holds for every object.
function combined(operator, parts) {
  // The server refuses an empty list.
  if (parts.length === 0) throw new Inexpressible();
  const limiting = parts.filter((part) => part !== '');
  if (limiting.length === 0 || (operator === '$or' && limiting.length < parts.length)) return '';
  return limiting.length === 1 ? limiting[0] : `(${limiting.join(operator === '$and' ? ' and ' : ' or ')})`;
}

function tests(field, condition) {
  const isOperators = condition !== null && typeof condition === 'object' && !Array.isArray(condition)
    && condition.__type === undefined;
  if (!isOperators) return `${field} = ${literal(condition)}`;
  if (!Object.keys(condition).some((name) => name.startsWith('$'))) throw new Inexpressible();
  if (condition.$nearSphere !== undefined) return near(field, condition);
  return Object.entries(condition).map(([operator, value]) => test(field, operator, value)).join(' and ');
}

function test(field, operator, value) {
  // CQL has no empty list.
  if ((operator === '$in' || operator === '$nin') && value.length === 0) throw new Inexpressible();
  if (Object.hasOwn(comparisons, operator)) return `${field} ${comparisons[operator]} ${literal(value)}`;
  switch (operator) {
  case '$in': return `${field} in (${value.map(literal).join(', ')})`;
  case '$nin': return `${field} not in (${value.map(literal).join(', ')})`;
  case '$exists': return `${field} is ${value ? '' : 'not '}exists`;
  case '$size': return `size(${field}) = ${literal(value)}`;
  case '$regex': return `${field} regexp ${literal(value)}`;
  default: throw new Inexpressible();
  }
}

function near(field, { $nearSphere: point, $maxDistanceInKilometers: kilometers, ...others }) {
  if (Object.keys(others).length > 0) throw new Inexpressible();
  const distance = kilometers === undefined ? '' : ` max ${literal(kilometers)} km`;
  return `${field} near ${literal(point)}${distance}`;
}

function literal(value) {
  if (value === null) return 'null';
  if (typeof value === 'string') return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  switch (value.__type) {
  case 'Date': return `date(${literal(value.iso)})`;
  case 'Pointer': return `pointer(${literal(value.className)}, ${literal(value.objectId)})`;
  case 'GeoPoint': return `geopoint(${value.longitude}, ${value.latitude})`;
  default: throw new Inexpressible();
  }
}
