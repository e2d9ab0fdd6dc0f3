// The version of the program, and the notes about it: its part of the changelog, which is in the binary.

import { element, fill } from '../../scripts/element.js';
import { notes } from './notes.js';

/// Shows the version in an element; returns `{ close() }`.
export function openVersion(place, context) {
  const { client, words, notices } = context;
  const closing = new AbortController();
  const facts = element('dl', { class: 'server-facts' });
  const text = element('section', { class: 'server-notes' });
  place.append(facts, text);
  const load = async () => {
    const options = { signal: closing.signal };
    const [state, answer] = await Promise.all([
      client.get('server', {}, options), client.get('server/notes', {}, options),
    ]);
    const rows = [
      ['lcfile', state.version],
      [words('server.version.commit'), state.commit],
      ...Object.entries(state.machine?.libraries ?? {}).sort(),
    ];
    fill(facts, rows.filter(([, value]) => value).map(([name, value]) => [
      element('dt', {}, name), element('dd', {}, element('code', {}, value)),
    ]));
    fill(
      text,
      element('h2', {}, words('server.version.notes')),
      // The changelog is written in English.
      answer.notes ? element('div', { lang: 'en' }, notes(answer.notes))
        : element('p', {}, words('server.version.none')),
    );
  };
  load().catch(notices.fail);
  return { close: () => closing.abort() };
}
