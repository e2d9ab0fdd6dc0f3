// The area Activity: who is logged in at the console, and what was changed through it.

import { element, fill } from '../../scripts/element.js';
import { moment } from '../../scripts/words.js';
import { activityWords } from './words.js';

const pageSize = 50;

export const area = {
  name: 'activity',
  title: 'activity.title',
  words: activityWords,
  open(place, path, context) {
    const activity = new Activity(place, context);
    activity.load();
    return { close: () => activity.close() };
  },
};

class Activity {
  #context;
  #closing = new AbortController();
  #sessions = element('div', { class: 'scroll', tabindex: '0' });
  #entries = element('tbody');
  #more;
  /// The last entry that is shown.
  #last = null;

  constructor(place, context) {
    this.#context = context;
    const { words } = context;
    this.#more = element('button', { type: 'button', onclick: () => this.#loadEntries() }, words('more'));
    this.#sessions.setAttribute('aria-label', words('activity.sessions'));
    place.append(
      element('section', { class: 'activity' }, element('h2', {}, words('activity.sessions')), this.#sessions),
      element(
        'section',
        { class: 'activity' },
        element('h2', {}, words('activity.changes')),
        element('p', { class: 'hint' }, words('activity.changes.hint')),
        element(
          'div',
          { class: 'scroll', tabindex: '0', 'aria-label': words('activity.changes') },
          element(
            'table',
            {},
            this.#head('time', 'change', 'status', 'session', 'address', 'request'),
            this.#entries,
          ),
        ),
        element('p', {}, this.#more),
      ),
    );
  }

  close() {
    this.#closing.abort();
  }

  load() {
    this.#loadSessions();
    this.#loadEntries();
  }

  #head(...names) {
    const cells = names.map((name) => element('th', { scope: 'col' }, this.#context.words(`activity.${name}`)));
    return element('thead', {}, element('tr', {}, cells));
  }

  async #loadSessions() {
    const { client, notices } = this.#context;
    try {
      const { results } = await client.get('console/sessions', {}, { signal: this.#closing.signal });
      fill(
        this.#sessions,
        element(
          'table',
          {},
          this.#head('begin', 'used', 'rights', 'address', 'browser', 'session', 'action'),
          element('tbody', {}, results.map((session) => this.#sessionRow(session))),
        ),
      );
    } catch (error) {
      notices.fail(error);
    }
  }

  #sessionRow(session) {
    const { words, session: own } = this.#context;
    const isOwn = session.objectId === own.session;
    const end = element(
      'button',
      { type: 'button', class: 'danger', onclick: () => this.#end(session) },
      words('activity.end'),
    );
    const cell = (...content) => element('td', {}, content);
    return element(
      'tr',
      {},
      cell(moment(session.createdAt)),
      cell(moment(session.lastUsedAt)),
      cell(words(session.readOnly ? 'activity.reads' : 'activity.everything')),
      cell(session.address),
      element('td', { class: 'long' }, session.browser),
      cell(element('code', {}, session.objectId)),
      cell(isOwn ? words('activity.own') : own.readOnly ? null : end),
    );
  }

  async #end(session) {
    const { client, dialogs, notices, words } = this.#context;
    const isWanted = await dialogs.ask({
      title: words('activity.end.title'),
      text: words('activity.end.text', { time: moment(session.createdAt), address: session.address }),
      confirm: words('activity.end'),
      danger: true,
    });
    if (!isWanted) return;
    try {
      await client.send('DELETE', `console/sessions/${encodeURIComponent(session.objectId)}`);
      notices.say(words('activity.ended'));
      await this.#loadSessions();
    } catch (error) {
      notices.fail(error);
    }
  }

  async #loadEntries() {
    const { client, notices } = this.#context;
    this.#more.disabled = true;
    try {
      const { results } = await client.get(
        'classes/_ConsoleAudit',
        { where: this.#last ? conditionAfter(this.#last) : undefined, order: '-createdAt,-objectId', limit: pageSize },
        { signal: this.#closing.signal },
      );
      this.#entries.append(...results.map((entry) => this.#entryRow(entry)));
      this.#last = results.at(-1) ?? this.#last;
      this.#more.hidden = results.length < pageSize;
      if (this.#entries.childElementCount === 0) this.#entries.append(this.#noEntries());
    } catch (error) {
      notices.fail(error);
    } finally {
      this.#more.disabled = false;
    }
  }

  #noEntries() {
    return element('tr', {}, element('td', { colspan: '6' }, this.#context.words('activity.none')));
  }

  #entryRow(entry) {
    const { words } = this.#context;
    const cell = (...content) => element('td', {}, content);
    return element(
      'tr',
      {},
      cell(moment(entry.createdAt)),
      element('td', { class: 'long' }, entry.summary, ' ', element('code', {}, `${entry.method} ${entry.path}`)),
      cell(entry.status ?? words('activity.unknown')),
      cell(element('code', {}, entry.session)),
      cell(entry.address),
      cell(element('code', {}, entry.requestId)),
    );
  }
}

/// The condition for the entries after one in the list; several can have its time.
function conditionAfter({ createdAt, objectId }) {
  const time = { __type: 'Date', iso: createdAt };
  return { $or: [{ createdAt: { $lt: time } }, { createdAt: time, objectId: { $lt: objectId } }] };
}
