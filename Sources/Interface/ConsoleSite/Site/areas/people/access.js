// An ACL in words.

/// Who reads and who writes: `Everyone: read · Role Editors: read, write`.
///
/// The entry `owner` is that of default ACLs: the user who creates the object.
export function accessText(acl, words) {
  const entries = Object.entries(acl ?? {}).map(([name, rights]) => {
    const granted = ['read', 'write'].filter((right) => rights?.[right] === true)
      .map((right) => words(`people.access.${right}`));
    return granted.length > 0 && `${nameOf(name, words)}: ${granted.join(words('people.access.comma'))}`;
  }).filter(Boolean);
  return entries.length === 0 ? words('people.matrix.masterOnly') : entries.join(' · ');
}

function nameOf(entry, words) {
  if (entry === '*') return words('people.audience.everyone');
  if (entry === 'owner') return words('people.access.owner');
  if (entry.startsWith('role:')) return words('people.audience.role', { name: entry.slice(5) });
  return words('people.audience.user', { name: entry });
}
