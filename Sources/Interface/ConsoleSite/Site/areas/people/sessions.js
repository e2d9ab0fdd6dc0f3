// The sessions of a user, which can be ended.

import { element, fill } from '../../scripts/element.js';
import { moment } from '../../scripts/words.js';
import { actionButton, ask, keepFocus } from './confirm.js';
import { pointer } from './links.js';
import { pager } from './pager.js';

const pageSize = 20;

export class Sessions {
  #options;
  #page = 1;
  #count = 0;
  #state = element('p', { role: 'status' });
  #place = element('div');
  #pager;
  #endAll;

  node;

  /// - `options`: `{ id, name, context, signal }` of the page of the user.
  constructor(options) {
    this.#options = options;
    const { context } = options;
    const { words } = context;
    this.#pager = pager({ words, label: words('people.section.sessions'), onpage: (page) => this.#load(page) });
    this.#endAll = actionButton(context, words('people.sessions.endAll'), () => this.#askToEndAll(), 'danger writes');
    this.#endAll.hidden = true;
    this.node = element('div', {}, this.#state, this.#place, this.#pager.node, this.#endAll);
    this.#load(1);
  }

  /// Reads the list again, after sessions were ended elsewhere.
  reload() {
    return this.#load(1);
  }

  async #load(page) {
    const { id, context, signal } = this.#options;
    const { client, words, notices } = context;
    try {
      const { results, count } = await client.get('classes/_Session', {
        where: { user: pointer('_User', id) }, order: '-updatedAt', count: 1, limit: pageSize,
        skip: (page - 1) * pageSize,
      }, { signal });
      if (results.length === 0 && count > 0) return void (await this.#load(Math.ceil(count / pageSize)));
      this.#page = page;
      this.#count = count;
      fill(this.#state, words(count === 0 ? 'people.sessions.none' : 'people.sessions.count', { count }));
      fill(this.#place, count > 0 && this.#table(results));
      this.#pager.show(page, Math.ceil(count / pageSize));
      this.#endAll.hidden = count === 0;
    } catch (error) {
      if (signal.aborted) return;
      fill(this.#state, words('people.failed'));
      notices.fail(error);
    }
  }

  #table(sessions) {
    const { words } = this.#options.context;
    const head = ['begin', 'used', 'id']
      .map((name) => element('th', { scope: 'col' }, words(`people.sessions.${name}`)));
    return element('div', {
      class: 'scroll', tabindex: '0', role: 'group', 'aria-label': words('people.section.sessions'),
    }, element('table', {},
      element('thead', {}, element('tr', {}, head, element('td', { class: 'writes' }))),
      element('tbody', {}, sessions.map((session) => this.#row(session)))));
  }

  #row(session) {
    const { context } = this.#options;
    const { words } = context;
    const end = actionButton(context, words('people.sessions.end'), () => this.#end(session), 'danger small');
    end.setAttribute('aria-label', words('people.sessions.endOne', { id: session.objectId }));
    return element('tr', {},
      element('td', {}, moment(session.createdAt)),
      element('td', {}, moment(session.updatedAt)),
      element('td', {}, element('code', {}, session.objectId)),
      element('td', { class: 'writes' }, end));
  }

  async #end(session) {
    const { name, context } = this.#options;
    const values = { name, time: moment(session.updatedAt) };
    if (!(await ask(context, 'people.sessions.end', values))) return;
    await context.client.send('DELETE', `classes/_Session/${session.objectId}`);
    context.notices.say(context.words('people.sessions.ended', { count: 1 }));
    await this.#load(this.#page);
    keepFocus(this.#state);
  }

  async #askToEndAll() {
    const { id, name, context } = this.#options;
    if (!(await ask(context, 'people.sessions.endAll', { name, count: this.#count }))) return;
    const { ended } = await context.client.send('DELETE', `users/${id}/sessions`);
    context.notices.say(context.words('people.sessions.ended', { count: ended }));
    await this.#load(1);
    keepFocus(this.#state);
  }
}
