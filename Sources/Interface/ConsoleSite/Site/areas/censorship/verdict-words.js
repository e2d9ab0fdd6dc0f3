// Verdicts and decisions as nodes, in the review, in the history and in the dialog of a file.

import { element } from '../../scripts/element.js';
import { locale, moment } from '../../scripts/words.js';

const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 4 });

/// The badge of a verdict; `null` and `undefined` mean that there is none.
export function badge(verdict, words) {
  const name = verdict ?? 'none';
  return element('span', { class: 'censor-badge', dataset: { verdict: name } }, words(`censor.verdict.${name}`));
}

/// The scores of a decision as text: `nsfw 0.41`; `null` without scores.
export function scoresOf({ scores }) {
  const entries = Object.entries(scores ?? {});
  return entries.length > 0 ? entries.map(([name, value]) => `${name} ${number.format(value)}`).join(' · ') : null;
}

/// Who decided, as text.
export function deciderOf({ kind, by, checker }, words) {
  if (kind === 'person') return by ? words('censor.by.person', { name: by }) : words('censor.by.someone');
  return checker ? words('censor.by.checker', { name: checker }) : words('censor.by.server');
}

/// The list of decisions about a file, the newest first.
export function decisionList(history, words) {
  if (history.length === 0) return element('p', { class: 'hint' }, words('censor.history.none'));
  return element('ol', { class: 'censor-decisions' }, history.map((decision) => element(
    'li', {},
    badge(decision.verdict, words), ' ', moment(decision.at), ' · ', deciderOf(decision, words),
    [scoresOf(decision), decision.reason, decision.note && words('censor.noted', decision)]
      .filter(Boolean).map((line) => element('span', { class: 'censor-line' }, line)),
  )));
}
