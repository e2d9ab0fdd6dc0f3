// The verdict about one file in the dialog of the area Files, with the buttons for another one.

import { append, element, fill } from '../../scripts/element.js';
import { decide, Overtaken, stateOf } from './decisions.js';
import { badge, decisionList, scoresOf } from './verdict-words.js';

/// Shows the verdict about an image in `node`. `onchange(state)` is called when it is known, and after each change;
/// `signal` ends the requests.
export class VerdictPanel {
  #id;
  #context;
  #onchange;
  #signal;
  #verdict = element('div', { role: 'status' });
  #history = element('div');
  #buttons;
  #parts;
  /// The time of the decision that is shown.
  #decidedAt;

  node;

  constructor(id, context, signal, onchange) {
    this.#id = id;
    this.#context = context;
    this.#signal = signal;
    this.#onchange = onchange;
    const { words, session } = context;
    const button = (key, verdict, kind) => element(
      'button', { type: 'button', class: kind, onclick: () => this.#decide(verdict) }, words(key),
    );
    this.#buttons = { passed: button('censor.pass', 'passed'), rejected: button('censor.block', 'rejected', 'danger') };
    this.#parts = [
      this.#verdict,
      !session.readOnly && element('p', { class: 'censor-buttons' }, Object.values(this.#buttons)),
      element('details', {}, element('summary', {}, words('censor.history')), this.#history),
    ];
    this.node = element('section', { class: 'censor-panel', 'aria-label': words('censor.title'), hidden: true });
    this.#load();
  }

  async #load() {
    const { client, notices } = this.#context;
    try {
      this.#show(await stateOf(client, this.#id, this.#signal));
    } catch (error) {
      // 400: the file is not an image, so it has no verdict.
      if (!this.#signal.aborted && error.status !== 400 && error.status !== 404) notices.fail(error);
    }
  }

  #show(state) {
    const { words } = this.#context;
    const { censorResult: verdict, decidedAt, decidedBy, history } = state;
    this.#decidedAt = decidedAt;
    // A file that is no image has nothing here.
    if (this.node.hidden) append(this.node, this.#parts);
    this.node.hidden = false;
    fill(this.#verdict, badge(verdict, words), ' ',
      element('span', {}, words(`censor.meaning.${verdict ?? 'none'}`)), ' ',
      element('span', { class: 'hint' }, [scoresOf(state), state.reason].filter(Boolean).join(' · ')));
    fill(this.#history, decisionList(history ?? [], words));
    fill(this.#buttons.passed, words(verdict === 'rejected' ? 'censor.restore' : 'censor.pass'));
    for (const [name, button] of Object.entries(this.#buttons)) {
      button.disabled = name === verdict && decidedBy === 'person';
    }
    this.#onchange(state);
  }

  async #decide(verdict) {
    const { client, words, notices } = this.#context;
    for (const button of Object.values(this.#buttons)) button.disabled = true;
    try {
      await decide(client, this.#id, [this.#decidedAt], verdict);
      notices.say(words(`censor.done.${verdict}`));
    } catch (error) {
      if (error instanceof Overtaken) notices.say(words('censor.overtaken.file'));
      else notices.fail(error);
    }
    await this.#load();
    Object.values(this.#buttons).find((button) => !button.disabled)?.focus();
  }
}
