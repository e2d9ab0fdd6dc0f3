// The thresholds of the classifier with the histogram of its scores, and the other settings of the app.

import { codeBlock } from '../../scripts/code-block.js';
import { element, fill, freshID } from '../../scripts/element.js';
import { locale } from '../../scripts/words.js';
import { inSteps, readScores, steps } from './estimate.js';
import { Histogram } from './histogram.js';

const thresholds = ['passBelow', 'rejectAbove'];
const verdicts = ['passed', 'review', 'rejected'];
const example = 'lcfile censor settings cacheSeconds=600';
const flags = ['auto', 'hold', 'showToOwner'];
const others = ['hashDistance', 'cacheSeconds', 'blockedImage'];
const score = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 4 });

/// Shows them in an element; returns `{ close(), settingsChanged(), unsaved() }`. `onchange()` is called after a
/// change.
export function openThresholds(place, context, onchange) {
  const view = new Thresholds(context, onchange);
  place.append(view.node);
  view.load();
  return view;
}

class Thresholds {
  #context;
  #onchange;
  #closing = new AbortController();
  #settings = null;
  #scores = null;
  #sliders = {};
  #outputs = {};
  #histogram;
  #state = element('p', { role: 'status', class: 'censor-state' });
  #estimate = element('tbody');
  #commands;
  #save;
  #reset;
  #flags = element('div', { class: 'censor-flags' });
  #frame = 0;

  node;

  constructor(context, onchange) {
    this.#context = context;
    this.#onchange = onchange;
    const { words, session } = context;
    this.#histogram = new Histogram(context);
    const button = (key, onclick, kind) => element('button', { type: 'button', class: kind, onclick }, words(key));
    this.#save = button('censor.use', () => this.#use(), 'primary');
    this.#reset = button('censor.reset', () => this.#show(thresholds));
    // Until the thresholds in force are known.
    this.#save.disabled = this.#reset.disabled = true;
    this.#commands = codeBlock(words('censor.command'), '', context);
    const heads = ['values', ...verdicts].map((name) => element(
      'th', { scope: 'col' }, words(name === 'values' ? 'censor.estimate.values' : `censor.verdict.${name}`),
    ));
    this.node = element(
      'div', { class: 'censor-thresholds' },
      element('p', {}, words('censor.thresholds.hint')),
      this.#state, this.#histogram.node,
      element('div', { class: 'censor-sliders' }, this.#slider('passBelow'), this.#slider('rejectAbove')),
      element('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': words('censor.estimate') }, element(
        'table', {}, element('caption', {}, words('censor.estimate')),
        element('thead', {}, element('tr', {}, heads)), this.#estimate,
      )),
      !session.readOnly && element('p', { class: 'censor-buttons' }, this.#save, this.#reset),
      this.#commands,
      element('h2', {}, words('censor.settings')), this.#flags,
    );
  }

  close() {
    cancelAnimationFrame(this.#frame);
    this.#closing.abort();
  }

  settingsChanged() {
    this.#loadSettings();
  }

  unsaved() {
    return this.#settings !== null && this.#isChanged;
  }

  async load() {
    const { client, words, notices } = this.#context;
    fill(this.#state, words('loading'));
    try {
      await this.#loadSettings();
      await readScores(client, this.#closing.signal, (scores, isPart) => {
        this.#scores = scores;
        const total = scores.total;
        const key = total === 0 && !isPart ? 'censor.scores.none' : 'censor.scores';
        fill(this.#state, words(key, { count: total }), isPart && ` ${words('loading')}`);
        this.#draw();
      });
    } catch (error) {
      if (!this.#closing.signal.aborted) notices.fail(error);
    }
  }

  async #loadSettings() {
    const { client, notices } = this.#context;
    try {
      this.#take(await client.get('censorship/settings', {}, { signal: this.#closing.signal }));
      this.#showFlags();
      this.#draw();
    } catch (error) {
      if (!this.#closing.signal.aborted) notices.fail(error);
    }
  }

  #slider(name) {
    const { words } = this.#context;
    const id = freshID(name);
    this.#outputs[name] = element('output', { for: id });
    this.#sliders[name] = element('input', {
      id, name, type: 'range', min: '0', max: String(steps), step: '1', oninput: () => this.#moved(name),
    });
    return element('div', { class: 'censor-slider' }, element('label', { for: id }, words(`censor.${name}`)),
      this.#sliders[name], this.#outputs[name]);
  }

  #value(name) {
    return Number(this.#sliders[name].value);
  }

  /// The nearest step of a threshold in force, which can have more digits.
  #step(name) {
    return Math.round(this.#settings[name] * steps);
  }

  /// The thresholds of the sliders that are elsewhere than those in force.
  get #changes() {
    const names = thresholds.filter((name) => this.#value(name) !== this.#step(name));
    const changes = Object.fromEntries(names.map((name) => [name, this.#value(name) / steps]));
    // Sliders at the same step, of which one stands for more digits.
    const { passBelow = this.#settings.passBelow, rejectAbove = this.#settings.rejectAbove } = changes;
    if (names.length === 1 && passBelow > rejectAbove) {
      for (const name of thresholds) changes[name] = this.#value(name) / steps;
    }
    return changes;
  }

  get #isChanged() {
    return Object.keys(this.#changes).length > 0;
  }

  /// Takes other settings; sliders that were not moved show their thresholds.
  #take(settings) {
    const names = thresholds.filter((name) => this.#settings === null || this.#value(name) === this.#step(name));
    this.#settings = settings;
    this.#show(names);
  }

  /// The first threshold is never above the second.
  #moved(name) {
    const other = name === 'passBelow' ? 'rejectAbove' : 'passBelow';
    const isCrossed = this.#value('passBelow') > this.#value('rejectAbove');
    if (isCrossed) this.#sliders[other].value = this.#sliders[name].value;
    this.#draw();
  }

  /// Shows thresholds in force.
  #show(names) {
    for (const name of names) this.#sliders[name].value = String(this.#step(name));
    this.#draw();
  }

  #draw() {
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => this.#drawNow());
  }

  #drawNow() {
    const { words } = this.#context;
    if (!this.#settings) return;
    const changes = this.#changes;
    const isChanged = Object.keys(changes).length > 0;
    const { passBelow, rejectAbove } = this.#settings;
    const wanted = { passBelow, rejectAbove, ...changes };
    for (const [name, slider] of Object.entries(this.#sliders)) {
      const text = score.format(wanted[name]);
      fill(this.#outputs[name], text);
      slider.setAttribute('aria-valuetext', text);
    }
    this.#save.disabled = this.#reset.disabled = !isChanged;
    const values = Object.entries(isChanged ? changes : wanted).map(([name, value]) => `${name}=${value}`);
    this.#commands.set(`lcfile censor settings ${values.join(' ')}`);
    if (!this.#scores) return;
    const [low, high] = [inSteps(wanted.passBelow), inSteps(wanted.rejectAbove)];
    this.#histogram.show(this.#scores.bars, low, high);
    const now = this.#scores.verdicts(inSteps(passBelow), inSteps(rejectAbove));
    const then = this.#scores.verdicts(low, high);
    const row = (title, sums, cell) => element(
      'tr', {}, element('th', { scope: 'row' }, title),
      verdicts.map((name) => element('td', { dataset: { verdict: name } }, cell(name, sums[name]))),
    );
    const plain = (name, count) => count.toLocaleString(locale);
    const withChange = (name, count) => {
      const change = count - now[name];
      const sign = change > 0 ? '+' : '−';
      return change === 0 ? plain(name, count) : `${plain(name, count)} (${sign}${plain(name, Math.abs(change))})`;
    };
    const title = (key, a, b) => words(key, { low: score.format(a), high: score.format(b) });
    fill(this.#estimate, row(title('censor.estimate.now', passBelow, rejectAbove), now, plain),
      row(title('censor.estimate.then', wanted.passBelow, wanted.rejectAbove), then, withChange));
  }

  async #use() {
    const { words } = this.#context;
    const changes = this.#changes;
    this.#save.disabled = true;
    await this.#put(changes, words('censor.used'));
  }

  async #put(values, text) {
    const { client, notices } = this.#context;
    try {
      this.#take(await client.send('PUT', 'censorship/settings', { ...values, by: 'console' }));
      notices.say(text);
      this.#onchange();
    } catch (error) {
      notices.fail(error);
    }
    this.#showFlags();
    this.#draw();
  }

  /// The other settings: those that are on or off can be changed here.
  #showFlags() {
    const { words, session } = this.#context;
    const focused = this.#flags.contains(document.activeElement) ? document.activeElement.name : null;
    const boxes = flags.map((name) => {
      const box = element('input', {
        type: 'checkbox', name, checked: this.#settings[name], disabled: session.readOnly,
        onchange: () => this.#set(name, box),
      });
      return element('label', { class: 'censor-check' }, box,
        element('span', {}, words(`censor.setting.${name}`), ' ', element('code', {}, name)));
    });
    const values = others.map((name) => [
      element('dt', {}, element('code', {}, name)),
      element('dd', {}, `${this.#settings[name] ?? words('censor.setting.unset')} – ${words(`censor.setting.${name}`)}`),
    ]);
    fill(this.#flags, boxes, element('dl', { class: 'censor-facts' }, values),
      element('p', { class: 'hint' }, words('censor.settings.hint'), ' ', element('code', {}, example)));
    if (focused) this.#flags.querySelector(`[name="${focused}"]`)?.focus();
  }

  async #set(name, box) {
    const { words, dialogs } = this.#context;
    const isWanted = name !== 'hold' || !box.checked || await dialogs.ask({
      title: words('censor.hold.ask'), text: words('censor.hold.text'), confirm: words('censor.hold.on'), danger: true,
    });
    if (!isWanted) {
      box.checked = false;
      return;
    }
    await this.#put({ [name]: box.checked }, words('censor.setting.saved', { name }));
  }
}
