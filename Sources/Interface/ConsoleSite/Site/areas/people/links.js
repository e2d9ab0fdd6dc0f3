// Addresses of other places, and values for queries.

import { address } from '../../scripts/router.js';

/// An id that cannot become another path of the API: addresses come from links, also those of other sites.
export function isID(text) {
  return /^[0-9A-Za-z]{1,64}$/.test(text ?? '');
}

/// A pointer as values and conditions have it.
export function pointer(className, objectId) {
  return { __type: 'Pointer', className, objectId };
}

/// The condition that finds the members of a relation.
export function membersOf(className, objectId, key) {
  return { $relatedTo: { object: pointer(className, objectId), key } };
}

/// The address of a class in the area Data, with a condition.
export function tableAddress(className, where) {
  return address('data', 'class', className, ...(where ? [JSON.stringify({ where })] : []));
}

/// The address of an object in the area Data.
export function rowAddress(className, objectId) {
  return tableAddress(className, { objectId });
}

/// The address of a user, a role, or the permissions of a class.
export const userAddress = (id) => address('people', 'user', id);
export const roleAddress = (id) => address('people', 'roles', id);
export const permissionsAddress = (className) => address('people', 'permissions', className);
