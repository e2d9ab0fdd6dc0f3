// The changes of objects as they happen: each call waits on the server until there are some.

import { element, fill, freshID } from '../../scripts/element.js';
import { address } from '../../scripts/router.js';
import { locale } from '../../scripts/words.js';
import { pause, Presence } from '../../scripts/refresh.js';

const most = 200;
const longestWait = 20;
const columns = ['time', 'operation', 'class', 'object', 'by'];
const clock = new Intl.DateTimeFormat(locale, {
  hour: 'numeric', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3,
});

/// Shows the changes in an element; returns `{ close(), keys }`.
export function openChanges(place, context) {
  const changes = new Changes(context);
  place.append(...changes.nodes);
  changes.run();
  return {
    close: () => changes.close(),
    keys: { p: () => changes.toggle(), '/': () => changes.focus() },
  };
}

class Changes {
  #context;
  #closing = new AbortController();
  #presence = new Presence();
  /// Ends the call that waits, for another filter or a pause.
  #call = new AbortController();
  #cursor;
  #classes = '';
  #isPaused = false;
  #resume = () => {};
  #count = 0;
  #rows = element('tbody');
  #field;
  #button;
  #state = element('p', { role: 'status', class: 'server-watch' });

  nodes;

  constructor(context) {
    this.#context = context;
    const { words } = context;
    const id = freshID('classes');
    this.#field = element('input', { id, type: 'search', autocomplete: 'off', spellcheck: 'false' });
    this.#button = element('button', { type: 'button', 'aria-pressed': 'false', onclick: () => this.toggle() },
      words('server.changes.pause'));
    const filter = (event) => {
      event.preventDefault();
      this.#filter(this.#field.value);
    };
    this.nodes = [
      element('p', { class: 'hint' }, words('server.changes.hint')),
      element(
        'form',
        { class: 'server-line', onsubmit: filter },
        element('div', {}, element('label', { for: id }, words('server.changes.classes')), this.#field),
        element('button', { type: 'submit' }, words('server.changes.apply')),
        this.#button,
        element('button', { type: 'button', onclick: () => this.#clear() }, words('server.changes.clear')),
      ),
      this.#state,
      element(
        'div',
        { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': words('server.changes') },
        element('table', { class: 'server-changes' }, element('thead', {}, element('tr', {}, columns.map((column) => (
          element('th', { scope: 'col' }, words(`server.changes.${column}`))
        )))), this.#rows),
      ),
    ];
  }

  close() {
    this.#closing.abort();
    this.#call.abort();
    this.#presence.close();
    this.#resume();
  }

  focus() {
    this.#field.focus();
  }

  toggle() {
    this.#isPaused = !this.#isPaused;
    this.#button.setAttribute('aria-pressed', String(this.#isPaused));
    this.#show();
    if (this.#isPaused) this.#call.abort();
    else this.#resume();
  }

  async run() {
    const { notices } = this.#context;
    this.#show();
    while (!this.#closing.signal.aborted) {
      if (this.#isPaused) await new Promise((resolve) => (this.#resume = resolve));
      await this.#presence.back();
      if (this.#closing.signal.aborted) return;
      const call = new AbortController();
      this.#call = call;
      if (this.#isPaused) continue;
      try {
        await this.#load(call.signal);
      } catch (error) {
        if (call.signal.aborted) continue;
        notices.fail(error);
        // The reader continues when the cause is gone.
        if (!this.#isPaused) this.toggle();
      }
    }
  }

  async #load(signal) {
    const { client } = this.#context;
    const query = { cursor: this.#cursor, classes: this.#classes || undefined, wait: longestWait };
    const answer = await client.get('changes', query, { signal });
    this.#cursor = answer.cursor;
    if (answer.missed) this.#add(element('tr', {}, element(
      'td', { colspan: String(columns.length), class: 'hint' }, this.#context.words('server.changes.missed'),
    )));
    this.#count += answer.results.length;
    for (const change of answer.results.slice(-most)) this.#add(this.#row(change));
    this.#show();
    // Many writers together would otherwise cause a call for each change.
    if (answer.results.length > 0) await pause(300, signal);
  }

  #add(row) {
    this.#rows.prepend(row);
    while (this.#rows.childElementCount > most) this.#rows.lastElementChild.remove();
  }

  #row({ time, operation, className, objectId, by, user }) {
    const { words } = this.#context;
    const condition = JSON.stringify({ where: { objectId } });
    const cell = (...content) => element('td', {}, content);
    return element(
      'tr',
      {},
      cell(clock.format(new Date(time))),
      cell(words(`server.operation.${operation}`)),
      cell(element('a', { href: address('data', 'class', className) }, className)),
      cell(operation === 'deleted' ? element('code', {}, objectId)
        : element('a', { href: address('data', 'class', className, condition) }, element('code', {}, objectId))),
      cell(words(`server.by.${by}`), user && [' ', element('code', {}, user)]),
    );
  }

  #filter(text) {
    this.#classes = text.split(',').map((name) => name.trim()).filter(Boolean).join(',');
    this.#cursor = undefined;
    this.#clear();
    this.#call.abort();
  }

  #clear() {
    this.#count = 0;
    fill(this.#rows);
    this.#show();
  }

  #show() {
    const { words } = this.#context;
    fill(this.#button, words(this.#isPaused ? 'server.changes.continue' : 'server.changes.pause'));
    const state = this.#isPaused ? 'server.changes.paused' : 'server.changes.watching';
    const shown = Math.min(this.#count, most);
    fill(this.#state, words(state, { count: this.#count }), this.#count > most && ' ',
      this.#count > most && words('server.changes.bounded', { shown }));
  }
}
