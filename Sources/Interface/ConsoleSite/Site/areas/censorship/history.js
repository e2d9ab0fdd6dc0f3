// The log of censorship: verdicts, settings, bulk runs, known images.

import { element } from '../../scripts/element.js';
import { address } from '../../scripts/router.js';
import { moment } from '../../scripts/words.js';
import { badge, deciderOf, scoresOf } from './verdict-words.js';

const pageSize = 50;

/// Shows the log in an element; returns `{ close() }`.
export function openHistory(place, context) {
  const { words } = context;
  const closing = new AbortController();
  const body = element('tbody');
  const more = element('button', { type: 'button', onclick: () => load() }, words('more'));
  const heads = ['time', 'what', 'by', 'details'].map((name) => element(
    'th', { scope: 'col' }, words(`censor.log.${name}`),
  ));
  place.append(
    element('p', { class: 'hint' }, words('censor.log.hint')),
    element('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': words('censor.tab.history') },
      element('table', { class: 'censor-log' }, element('thead', {}, element('tr', {}, heads)), body)),
    element('p', {}, more),
  );
  let cursor = null;

  async function load() {
    more.disabled = true;
    try {
      const query = { limit: String(pageSize), cursor };
      const page = await context.client.get('censorship/log', query, { signal: closing.signal });
      body.append(...page.results.map((entry) => row(entry, words)));
      cursor = page.cursor ?? null;
      more.hidden = cursor === null;
      if (body.childElementCount === 0) {
        body.append(element('tr', {}, element('td', { colspan: '4' }, words('censor.log.none'))));
      }
    } catch (error) {
      if (!closing.signal.aborted) context.notices.fail(error);
    } finally {
      more.disabled = false;
    }
  }

  load();
  return { close: () => closing.abort() };
}

function row(entry, words) {
  const cell = (...content) => element('td', {}, content);
  const decider = entry.event === 'verdict' ? deciderOf(entry, words) : entry.by && words('censor.by.person', {
    name: entry.by,
  });
  return element('tr', {}, cell(moment(entry.at)), cell(what(entry, words)), cell(decider),
    element('td', { class: 'long' }, details(entry, words)));
}

function what(entry, words) {
  const { event, verdict, file, state, added, removed } = entry;
  if (event === 'verdict') {
    const link = element('a', { href: address('files', 'file', file) }, element('code', {}, file));
    return [badge(verdict, words), ' ', link];
  }
  if (event === 'run') return words(`censor.log.run.${state}`);
  if (event === 'known') return words('censor.log.known', { added: added ?? 0, removed: removed ?? 0 });
  return words('censor.log.settings');
}

function details(entry, words) {
  if (entry.event === 'settings') {
    return Object.keys(entry.after ?? {}).map((name) => element(
      'span', { class: 'censor-line' },
      `${name}: ${JSON.stringify(entry.before?.[name] ?? null)} → ${JSON.stringify(entry.after[name])}`,
    ));
  }
  if (entry.event === 'run') return element('code', {}, entry.run);
  return [scoresOf(entry), entry.reason, entry.note && words('censor.noted', entry)]
    .filter(Boolean).map((line) => element('span', { class: 'censor-line' }, line));
}
