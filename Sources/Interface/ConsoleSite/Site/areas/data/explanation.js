// How a SELECT runs: the condition that it means, the SQL, and the database's plan.
import { element } from '../../scripts/element.js';

/// Shows an explanation.
///
/// - the answer of `cloudQuery` with `explain=1`; the frame's `words` and `go`.
export function explanation({ className, where = {}, queries }, { words, go }) {
  const open = () => go('data', 'class', className, JSON.stringify({ where }));
  const table = element('button', { type: 'button', onclick: open }, words('data.query.asTable'));
  return element('div', { class: 'explanation' },
    titled('where', JSON.stringify(where, null, 2)), table,
    ...queries.map(({ kind, className: name, sql, plan }) => element('section', {},
      element('h2', {}, words(`data.query.kind.${kind}`, { className: name })),
      titled('SQL', sql), titled(words('data.query.plan'), plan.join('\n')),
      plan.some((line) => /^\s*SCAN /.test(line)) && element('p', { class: 'hint' }, words('data.query.scan')))));
}

function titled(title, text) {
  return element(
    'figure',
    { class: 'listing' },
    element('figcaption', {}, title),
    element('pre', { tabindex: '0' }, text),
  );
}
