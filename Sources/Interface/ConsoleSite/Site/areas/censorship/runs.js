// Bulk runs: checks of the images that are here already, with their progress.

import { element, fill, freshID } from '../../scripts/element.js';
import { Presence } from '../../scripts/refresh.js';
import { locale, moment } from '../../scripts/words.js';

const pause = 1000;
const number = (value) => value.toLocaleString(locale);
const share = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 });

/// Shows the runs in an element; returns `{ close() }`.
export function openRuns(place, context) {
  const runs = new Runs(context);
  place.append(runs.node);
  runs.load();
  return { close: () => runs.close() };
}

class Runs {
  #context;
  #closing = new AbortController();
  #timer = 0;
  #presence = new Presence();
  #from;
  #to;
  #recheck = element('input', { type: 'checkbox' });
  #start;
  #active = element('div');
  #body = element('tbody');
  #state = element('p', { role: 'status', class: 'censor-state' });

  node;

  constructor(context) {
    this.#context = context;
    const { words, session } = context;
    const field = (key) => element('input', { id: freshID(key), type: 'datetime-local', max: '9999-12-31T23:59' });
    [this.#from, this.#to] = [field('from'), field('to')];
    this.#start = element('button', { class: 'primary' }, words('censor.run.start'));
    const labelled = (key, input) => element(
      'div', { class: 'censor-field' }, element('label', { for: input.id }, words(key)), input,
    );
    const form = element(
      'form', { class: 'censor-tools', onsubmit: (event) => {
        event.preventDefault();
        this.#ask();
      } },
      labelled('censor.run.from', this.#from), labelled('censor.run.to', this.#to),
      element('label', { class: 'censor-check' }, this.#recheck, words('censor.run.recheck')), this.#start,
    );
    const heads = ['begin', 'range', 'state', 'examined', 'passed', 'review', 'rejected'].map((name) => element(
      'th', { scope: 'col' }, words(`censor.run.${name}`),
    ));
    this.node = element(
      'div', {},
      element('p', { class: 'hint' }, words('censor.run.hint')),
      !session.readOnly && form,
      this.#state, this.#active,
      element('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': words('censor.tab.runs') }, element(
        'table', {}, element('caption', {}, words('censor.run.all')),
        element('thead', {}, element('tr', {}, heads)), this.#body,
      )),
    );
  }

  close() {
    clearTimeout(this.#timer);
    this.#presence.close();
    this.#closing.abort();
  }

  async load() {
    const { client, words, notices } = this.#context;
    try {
      const { results } = await client.get('censorship/jobs', {}, { signal: this.#closing.signal });
      const run = results.find(({ state }) => state === 'running') ?? null;
      this.#showActive(run);
      fill(this.#body, results.map((each) => this.#row(each)));
      if (results.length === 0) {
        fill(this.#body, element('tr', {}, element('td', { colspan: '7' }, words('censor.run.none'))));
      }
      this.#start.disabled = run !== null;
      clearTimeout(this.#timer);
      if (run) this.#timer = setTimeout(() => this.#loadLater(), pause);
    } catch (error) {
      if (!this.#closing.signal.aborted) notices.fail(error);
    }
  }

  /// Loads the runs again when the page is seen and used.
  async #loadLater() {
    await this.#presence.back();
    if (!this.#closing.signal.aborted) await this.load();
  }

  /// The progress of the run that goes on; its node stays, so that the focus does.
  #showActive(run) {
    const { words, session } = this.#context;
    if (!run) {
      fill(this.#active);
      fill(this.#state);
      return;
    }
    if (this.#active.dataset.run !== run.id || this.#active.childElementCount === 0) {
      this.#active.dataset.run = run.id;
      const cancel = element(
        'button', { type: 'button', class: 'danger', onclick: () => this.#change(run, 'cancelled') },
        words('censor.run.cancel'),
      );
      const bar = element('progress', { class: 'censor-progress', 'aria-label': words('censor.run.progress') });
      fill(this.#active, bar, !session.readOnly && cancel);
    }
    const bar = this.#active.querySelector('progress');
    [bar.max, bar.value] = [Math.max(1, run.total), run.examined];
    const part = share.format(run.total > 0 ? Math.min(1, run.examined / run.total) : 0);
    fill(this.#state, words('censor.run.going', { count: run.examined, total: run.total, share: part }));
  }

  #row(run) {
    const { words, session } = this.#context;
    const cell = (...content) => element('td', {}, content);
    const resume = element(
      'button', { type: 'button', onclick: () => this.#change(run, 'running') }, words('censor.run.resume'),
    );
    const range = Date.parse(run.from) === 0
      ? words('censor.run.before', { time: moment(run.to) }) : `${moment(run.from)} – ${moment(run.to)}`;
    return element(
      'tr', {}, cell(moment(run.createdAt)), cell(range),
      cell(words(`censor.run.state.${run.state}`), ' ', run.state === 'cancelled' && !session.readOnly && resume),
      cell(`${number(run.examined)} / ${number(run.total)}`),
      [run.passed, run.review, run.rejected].map((value) => cell(number(value))),
    );
  }

  async #ask() {
    const { client, words, dialogs, notices } = this.#context;
    // Without a first or last time, all images count.
    const from = new Date(this.#from.value || 0).toISOString();
    const to = (this.#to.value ? new Date(this.#to.value) : new Date()).toISOString();
    const date = (iso) => ({ __type: 'Date', iso });
    try {
      const where = { mime_type: { $regex: '^image/' }, createdAt: { $gte: date(from), $lt: date(to) } };
      const { count } = await client.get('files', { where, limit: '0', count: '1' }, { signal: this.#closing.signal });
      const recheck = this.#recheck.checked;
      const isWanted = await dialogs.ask({
        title: words('censor.run.ask', { count }),
        text: words(recheck ? 'censor.run.ask.recheck' : 'censor.run.ask.new'), confirm: words('censor.run.start'),
      });
      if (!isWanted) return;
      await client.send('POST', 'censorship/jobs', { from, to, recheck, by: 'console' });
      notices.say(words('censor.run.started'));
      await this.load();
    } catch (error) {
      notices.fail(error);
    }
  }

  async #change(run, state) {
    const { client, notices } = this.#context;
    try {
      await client.send('PUT', `censorship/jobs/${encodeURIComponent(run.id)}`, { state, by: 'console' });
    } catch (error) {
      notices.fail(error);
    }
    await this.load();
  }
}
