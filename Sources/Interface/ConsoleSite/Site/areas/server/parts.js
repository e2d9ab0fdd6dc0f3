// The parts of the server that work by themselves: queues, backup, scrubber, mirror, and what waits.

import { element } from '../../scripts/element.js';
import { address } from '../../scripts/router.js';
import { moment } from '../../scripts/words.js';
import { duration, number, share, size } from './format.js';

/// The figures of an app that are numbers of what waits or is open.
const waiting = [
  'deletions_waiting', 'mails_waiting', 'mails_dead', 'sms_waiting', 'sms_dead', 'censorship_waiting',
  'censorship_waiting_bulk', 'people_jobs_waiting', 'live_queries_connections', 'live_queries_subscriptions',
];

function section(title, words, ...content) {
  return element('section', { class: 'server-part' }, element('h2', {}, words(title)), content);
}

function facts(words, rows) {
  return element(
    'dl',
    { class: 'server-facts' },
    rows.filter(([, value]) => value !== undefined && value !== null).map(([key, value]) => [
      element('dt', {}, words(key)), element('dd', {}, value),
    ]),
  );
}

/// The queues of requests.
export function queueTable({ queues }, { words }) {
  const head = ['queue', 'running', 'waiting', 'limit'];
  const name = (queue) => {
    const text = words(`server.queue.${queue}`);
    return text === `server.queue.${queue}` ? queue : text;
  };
  return section('server.queues', words, element(
    'div',
    { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': words('server.queues') },
    element(
      'table',
      { class: 'server-numbers' },
      element('thead', {}, element('tr', {}, head.map((key) => (
        element('th', { scope: 'col' }, words(`server.queues.${key}`))
      )))),
      element('tbody', {}, queues.map((queue) => element(
        'tr',
        {},
        element('th', { scope: 'row' }, name(queue.name)),
        element('td', {}, number(queue.jobs - queue.waiting)),
        element('td', {}, number(queue.waiting)),
        element('td', {}, queue.limit === undefined ? '–' : number(queue.limit)),
      ))),
    ),
  ));
}

function backup(app, words) {
  if (app.backup_lag_seconds === undefined) return element('p', {}, words('server.backup.off'));
  return facts(words, [
    ['server.backup.lag', duration(app.backup_lag_seconds)],
    ['server.backup.waiting', size(app.backup_waiting_bytes ?? 0)],
    ['server.backup.segments', number(app.backup_segments_total ?? 0)],
    ['server.backup.generations', number(app.backup_generations_total ?? 0)],
    ['server.backup.failures', number(app.backup_failures_total ?? 0)],
  ]);
}

function scrubber(app, words) {
  const damaged = (app['damage.blob'] ?? 0) + (app['damage.row'] ?? 0);
  const last = app.scrub_last_round_timestamp_seconds;
  return [
    facts(words, [
      ['server.scrub.progress', app.scrub_progress_ratio === undefined ? null : share(app.scrub_progress_ratio)],
      ['server.scrub.last', last > 0 ? moment(last * 1000) : words('server.scrub.never')],
      ['server.scrub.read', size(app.scrub_bytes_total ?? 0)],
      ['server.scrub.files', number(app['damage.blob'] ?? 0)],
      ['server.scrub.rows', number(app['damage.row'] ?? 0)],
    ]),
    damaged > 0 && element('p', { class: 'server-problem' },
      element('a', { href: address('data', 'class', '_Damage') }, words('server.scrub.damage', { count: damaged }))),
  ];
}

function migration(app, mirror, words) {
  const run = app.censorship_run_files > 0 && element('p', {}, words('server.migration.run', {
    done: app.censorship_run_examined ?? 0, count: app.censorship_run_files,
  }));
  if (!mirror) return [element('p', {}, words('server.migration.off')), run];
  return [
    facts(words, [
      ['server.migration.origin', element('code', {}, mirror.origin)],
      ['server.migration.missing', words('server.migration.amount', {
        count: mirror.missing, size: size(mirror.missingBytes),
      })],
      ['server.migration.mirrored', number(mirror.mirrored)],
      ['server.migration.created', number(mirror.created)],
      ['server.migration.failed', number(mirror.failed)],
    ]),
    run,
  ];
}

/// What concerns the app: the parts that work for it, and what waits.
export function appParts({ app }, mirror, { words }) {
  const rows = waiting.filter((name) => app[name] !== undefined)
    .map((name) => [`server.work.${name}`, number(app[name])]);
  const [database, log] = [app['database_size_bytes.database'], app['database_size_bytes.log']];
  if (app.trash_files !== undefined) {
    rows.push(['server.work.trash', words('server.migration.amount', {
      count: app.trash_files, size: size(app.trash_bytes ?? 0),
    })]);
  }
  if (database !== undefined) rows.push(['server.work.database', size(database)]);
  if (log !== undefined) rows.push(['server.work.log', size(log)]);
  return [
    section('server.work', words, facts(words, rows)),
    section('server.backup', words, backup(app, words)),
    section('server.scrub', words, scrubber(app, words)),
    section('server.migration', words, migration(app, mirror, words)),
  ];
}
