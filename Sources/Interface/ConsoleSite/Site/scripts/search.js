// Finds objects of a class by what is typed: an id, or the beginning of a name.

import { memberOf } from './values.js';

/// The field by which objects of a class are searched and named.
const nameFields = new Map([['_User', 'username'], ['_Role', 'name'], ['_File', 'name']]);
/// The fields whose values name an object, the better ones first.
const likelyNames = ['name', 'title', 'username', 'subject', 'label'];
const resultCount = 20;

/// The field that names objects of a class: a well-known one, otherwise its first String field.
///
/// Resolves to `null` if the class has no String field.
export async function nameField(client, className) {
  if (nameFields.has(className)) return nameFields.get(className);
  const schema = await client.get(`schemas/${className}`);
  const strings = Object.keys(schema).filter((name) => name !== 'objectId' && schema[name].type === 'String').sort();
  return likelyNames.find((name) => strings.includes(name)) ?? strings[0] ?? null;
}

/// Objects whose name begins with a text or whose id is the text; the newest objects for an empty text.
///
/// Resolves to at most 20 of `{ id, name }`.
export async function findByName(client, className, text) {
  const field = await nameField(client, className);
  const tests = [{ objectId: text }, ...(field === null ? [] : [{ [field]: { $regex: `^${escaped(text)}` } }])];
  const reply = await client.get(`classes/${className}`, {
    where: text === '' ? {} : { $or: tests }, limit: resultCount,
    order: text === '' ? '-createdAt' : 'createdAt', ...(field === null ? {} : { keys: field }),
  });
  return reply.results.map((object) => ({ id: object.objectId, name: nameOf(object, field) }));
}

/// The names of objects by their ids; those that do not exist have none.
export async function namesOf(client, className, ids) {
  if (ids.length === 0) return new Map();
  const field = await nameField(client, className);
  const reply = await client.get(`classes/${className}`, {
    where: { objectId: { $in: ids.slice(0, 200) } }, limit: 200, ...(field === null ? {} : { keys: field }),
  });
  return new Map(reply.results.map((object) => [object.objectId, nameOf(object, field)]));
}

/// The name of an object by the field that `nameField` has found; empty without one.
export function nameOf(object, field) {
  return field === null ? '' : String(memberOf(object, field) ?? '');
}

/// A text as the regular expression that finds it.
export function escaped(text) {
  return text.replace(/[\\^$.*+?()[\]{}|#\s]/g, (character) => (/\s/.test(character) ? character : `\\${character}`));
}
