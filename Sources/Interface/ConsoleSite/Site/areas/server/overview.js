// The state of the server, and the charts of the last hour.

import { element, fill } from '../../scripts/element.js';
import { moment } from '../../scripts/words.js';
import { Chart } from './chart.js';
import { duration, number, rate, share, size } from './format.js';
import { History } from './history.js';
import { merge } from './merge.js';
import { appParts, queueTable } from './parts.js';
import { refresh } from '../../scripts/refresh.js';

const charts = [
  ['requests', number], ['refused', number], ['failed', number], ['median', duration], ['slow', duration],
  ['received', rate], ['sent', rate], ['processor', share], ['memory', size], ['connections', number],
  ['waiting', number], ['freeSpace', size],
];
const seconds = 10;
/// The mirror is read with every sixth load.
const mirrorEvery = 6;

/// Shows the state in an element; returns `{ close() }`.
export function openOverview(place, context) {
  const overview = new Overview(context);
  place.append(...overview.nodes);
  return refresh((signal) => overview.load(signal), seconds, context.notices.fail);
}

/// A text, if there is one: a newer server can have more names.
function known(words, key) {
  const text = words(key);
  return text === key ? null : text;
}

class Overview {
  #context;
  #history = new History();
  #status = element('div', { role: 'status', class: 'server-state' });
  #facts = element('div');
  #charts = element('div', { class: 'server-charts' });
  #parts = element('div', { class: 'server-parts' });
  #drawn = [];
  #names = '';
  #mirror = null;
  #loads = 0;

  constructor(context) {
    this.#context = context;
  }

  get nodes() {
    return [this.#status, this.#facts, this.#charts, this.#parts];
  }

  async load(signal) {
    const { client } = this.#context;
    const state = await client.get('server', {}, { signal });
    // It counts the files that are missing, so it is asked less often.
    if (state.hasMirror && this.#loads % mirrorEvery === 0) this.#mirror = await client.get('mirror', {}, { signal });
    this.#loads += 1;
    this.#showState(state);
    merge(this.#parts, element(
      'div',
      { class: 'server-parts' },
      state.machine && queueTable(state.machine, this.#context),
      appParts(state, this.#mirror, this.#context),
    ));
    if (!state.machine) return;
    await this.#history.load(client, signal);
    this.#showCharts();
  }

  #showState(state) {
    const { words } = this.#context;
    const { machine } = state;
    // The other faults are reasons, too.
    const problems = [...state.faults.filter(({ name }) => name === 'damaged'), ...state.reasons];
    const names = problems.map(({ name }) => name).join();
    // Said again only when it changes: a screen reader reads it out.
    if (this.#status.childElementCount === 0 || names !== this.#names) {
      this.#names = names;
      const summary = state.ready ? (problems.length > 0 ? 'server.faulty' : 'server.ready') : 'server.notReady';
      fill(
        this.#status,
        element('p', { class: problems.length > 0 ? 'server-problem' : 'server-fine' }, words(summary)),
        problems.length > 0 && element('ul', {}, problems.map(({ name, message }) => (
          element('li', {}, known(words, `server.reason.${name}`) ?? message, ' ', element('code', {}, name))
        ))),
      );
    }
    const fact = (key, value) => value !== null && value !== undefined && [
      element('dt', {}, words(key)), element('dd', {}, value),
    ];
    const running = (Date.parse(state.time) - Date.parse(state.startedAt)) / 1000;
    const figures = machine?.figures ?? {};
    merge(this.#facts, element(
      'div',
      {},
      element(
        'dl',
        { class: 'server-facts' },
        fact('server.fact.version', state.version),
        fact('server.fact.started', words('server.fact.since', {
          time: moment(state.startedAt), duration: duration(running),
        })),
        machine && [
          fact('server.fact.disk', words('server.fact.of', {
            part: size(figures.storage_free_bytes ?? 0), whole: size(figures.storage_size_bytes ?? 0),
          })),
          fact('server.fact.memory', size(figures.process_resident_memory_bytes ?? 0)),
          fact('server.fact.connections', words('server.fact.of', {
            part: number(machine.connections.open), whole: number(machine.connections.limit),
          })),
          fact('server.fact.files', words('server.fact.of', {
            part: number(figures.process_open_fds ?? 0), whole: number(figures.process_max_fds ?? 0),
          })),
          fact('server.fact.log', figures.log_lines_dropped_total > 0 ? number(figures.log_lines_dropped_total) : null),
          fact('server.fact.certificate', machine.certificateEnd && moment(machine.certificateEnd)),
        ],
      ),
      !machine && element('p', { class: 'hint' }, words('server.closed')),
    ));
  }

  #showCharts() {
    const { words } = this.#context;
    if (this.#drawn.length === 0) {
      this.#drawn = charts.map(([name, format]) => (
        { name, chart: new Chart(words(`server.chart.${name}`), format, words) }
      ));
      fill(
        this.#charts,
        element('h2', {}, words('server.hour')),
        element('p', { class: 'hint' }, words('server.hour.hint')),
        element('div', { class: 'server-grid' }, this.#drawn.map(({ chart }) => chart.node)),
      );
    }
    for (const { name, chart } of this.#drawn) chart.show(this.#history.times, this.#history.series[name] ?? []);
  }
}
