// The calls for verdicts of people, and what undoes them.

/// What changed is in the log under this name; the audit log of the console has the session.
const by = 'console';

const path = (id) => `files/${encodeURIComponent(id)}/censor`;

/// The verdict about a file with its history.
export function stateOf(client, id, signal) {
  return client.get(path(id), {}, { signal });
}

/// A person's verdict: `passed` or `rejected`.
export function decide(client, id, verdict, note) {
  return client.send('PUT', path(id), { verdict, by, ...(note ? { note } : {}) });
}

/// Brings back what was in force before a verdict: another person's, or that of a checker.
export function undo(client, before) {
  const { objectId: id, decidedBy, censorResult, note } = before;
  if (decidedBy === 'person') return decide(client, id, censorResult, note);
  return client.send('DELETE', path(id), { by });
}
