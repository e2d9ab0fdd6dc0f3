// What is known about a user, without its secrets.

import { element } from '../../scripts/element.js';
import { cellText } from '../../scripts/values.js';
import { moment } from '../../scripts/words.js';

/// Fields that the page shows elsewhere, or that are secret.
const known = new Set([
  'objectId', 'createdAt', 'updatedAt', 'username', 'email', 'emailVerified', 'mobilePhoneNumber',
  'mobilePhoneVerified', 'authData', 'ACL', 'password', 'salt', 'sessionToken', 'className', '__type',
]);

function list(rows) {
  return element('dl', { class: 'people-facts' }, rows
    .filter(([, value]) => value !== undefined && value !== null && value !== '')
    .map(([name, value]) => [element('dt', {}, name), element('dd', {}, value)]));
}

function verified(value, isVerified, words) {
  return value && [
    element('span', {}, value), ' ',
    element('span', { class: 'badge' }, words(isVerified ? 'people.verified' : 'people.unverified')),
  ];
}

/// The platforms by which the user logs in, with its identities there; the tokens of the platforms are not shown.
function platforms(authData) {
  const names = Object.entries(authData ?? {}).filter(([name, data]) => !name.startsWith('_') && data);
  return names.map(([name, data]) => {
    const identity = data.openid ?? data.uid ?? data.id;
    // A client can give an object in its place, which has no text.
    const isText = typeof identity === 'string' || typeof identity === 'number';
    return element('div', {}, `${name} `, isText && element('code', {}, String(identity)));
  });
}

/// The built-in fields of a user.
export function facts(user, words) {
  const logins = platforms(user.authData);
  return list([
    [words('people.user.email'), verified(user.email, user.emailVerified, words)],
    [words('people.user.phone'), verified(user.mobilePhoneNumber, user.mobilePhoneVerified, words)],
    [words('people.user.platforms'), logins.length > 0 ? logins : undefined],
    [words('people.user.created'), moment(user.createdAt)],
    [words('people.user.updated'), user.updatedAt === user.createdAt ? undefined : moment(user.updatedAt)],
    [words('people.user.id'), element('code', {}, user.objectId)],
  ]);
}

/// The fields that the app has added.
export function otherFields(user, words) {
  const names = Object.keys(user).filter((name) => !known.has(name)).sort();
  if (names.length === 0) return element('p', { class: 'hint' }, words('people.fields.none'));
  return list(names.map((name) => [name, cellText(user[name])]));
}
