// The calls for verdicts of people, and what undoes them.

/// What changed is in the log under this name; the audit log of the console has the session.
const by = 'console';

const path = (id) => `files/${encodeURIComponent(id)}/censor`;

/// The verdict about a file with its history.
export function stateOf(client, id, signal) {
  return client.get(path(id), {}, { signal });
}

/// Thrown instead of a change of the verdict if another decision is in force; `state` is that of the file.
export class Overtaken extends Error {
  constructor(state) {
    super('another decision is in force');
    this.name = 'Overtaken';
    this.state = state;
  }
}

/// Throws `Overtaken` if the decision in force has none of the times that are known here; a file without a decision
/// has the time `undefined`.
async function requireInForce(client, id, times) {
  const state = await stateOf(client, id);
  if (!times.includes(state.decidedAt)) throw new Overtaken(state);
}

/// A person's verdict: `passed` or `rejected`. Returns the state with it.
///
/// `times`: those of the decisions that the person knows; throws `Overtaken` if another one is in force.
export async function decide(client, id, times, verdict, note) {
  await requireInForce(client, id, times);
  return put(client, id, verdict, note);
}

function put(client, id, verdict, note) {
  return client.send('PUT', path(id), { verdict, by, ...(note ? { note } : {}) });
}

/// Brings back what was in force before a verdict: another person's, or that of a checker. Returns the state with it.
///
/// `time`: that of the verdict; throws `Overtaken` if it is no longer in force.
export async function undo(client, before, time) {
  const { objectId: id, decidedBy, censorResult, note } = before;
  await requireInForce(client, id, [time]);
  if (decidedBy === 'person') return put(client, id, censorResult, note);
  return client.send('DELETE', path(id), { by });
}
