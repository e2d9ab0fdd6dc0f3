// The last requests that failed or were refused, with the ids under which the log has them.

import { element, fill } from '../../scripts/element.js';
import { moment } from '../../scripts/words.js';
import { duration } from './format.js';
import { refresh } from '../../scripts/refresh.js';

const lists = ['failed', 'refused'];
const columns = ['time', 'status', 'request', 'message', 'duration', 'client', 'id'];
const seconds = 10;

/// Shows the requests in an element; returns `{ close() }`.
export function openFailures(place, context) {
  const { client, words, notices } = context;
  const bodies = {};
  const known = {};
  place.append(
    element('p', { class: 'hint' }, words('server.failures.hint')),
    ...lists.map((list) => {
      bodies[list] = element('tbody');
      return element(
        'section',
        { class: 'server-part' },
        element('h2', {}, words(`server.failures.${list}`)),
        element(
          'div',
          { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': words(`server.failures.${list}`) },
          element('table', {}, element('thead', {}, element('tr', {}, columns.map((column) => (
            element('th', { scope: 'col' }, words(`server.failures.${column}`))
          )))), bodies[list]),
        ),
      );
    }),
  );
  return refresh(async (signal) => {
    const answer = await client.get('server/failures', {}, { signal });
    for (const list of lists) {
      const requests = answer[list];
      // What is the same stays, so that text that is selected stays selected.
      const mark = `${requests.length} ${requests[0]?.id} ${requests[0]?.time}`;
      if (known[list] === mark) continue;
      known[list] = mark;
      fill(bodies[list], requests.length > 0 ? requests.map(row) : element(
        'tr', {}, element('td', { colspan: String(columns.length) }, words('server.failures.none')),
      ));
    }
  }, seconds, notices.fail);
}

function row(request) {
  const cell = (content) => element('td', {}, content);
  return element(
    'tr',
    {},
    cell(moment(request.time)),
    cell(request.status),
    element('td', { class: 'long' }, element('code', {}, `${request.method} ${request.path}`)),
    element('td', { class: 'long' }, request.message),
    cell(duration(request.ms / 1000)),
    cell(request.client),
    cell(element('code', {}, request.id)),
  );
}
