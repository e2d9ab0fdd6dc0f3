// The page of one user: what is known about it, its sessions, roles, files and objects.

import { element, fill } from '../../scripts/element.js';
import { closePanels, hasUnsavedPanel } from '../../scripts/panel.js';
import { address } from '../../scripts/router.js';
import { Belongings } from './belongings.js';
import { actionButton, ask } from './confirm.js';
import { isID, rowAddress } from './links.js';
import { setPassword } from './password.js';
import { Sessions } from './sessions.js';
import { facts, otherFields } from './user-facts.js';
import { UserRoles } from './user-roles.js';

/// Shows a user.
export function openUser(place, [, id], context) {
  const page = new UserPage(place, id, context);
  page.load();
  return page;
}

class UserPage {
  #place;
  #id;
  #context;
  #closing = new AbortController();
  #parts = [];
  #heading = element('h2', { tabindex: '-1', class: 'people-name' });
  #content = element('div', { class: 'people-user' });

  constructor(place, id, context) {
    this.#id = id;
    this.#context = context;
    this.#place = place;
    const { words } = context;
    fill(this.#heading, words('loading'));
    const back = element('a', { href: address('people', 'users') }, words('people.user.back'));
    place.append(element('p', {}, back), this.#heading, this.#content);
  }

  focus() {
    this.#heading.focus();
  }

  unsaved() {
    return hasUnsavedPanel();
  }

  close() {
    this.#closing.abort();
    for (const part of this.#parts) part.close?.();
    closePanels();
  }

  async load() {
    const { client, words, notices } = this.#context;
    if (!isID(this.#id)) return void fill(this.#heading, words('people.user.unknown'));
    try {
      const user = await client.get(`users/${this.#id}`, {}, { signal: this.#closing.signal });
      this.#show(user);
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      // Code 211: there is no such user.
      fill(this.#heading, words(error.code === 211 ? 'people.user.unknown' : 'people.failed'));
      if (error.code !== 211) notices.fail(error);
    }
  }

  #show(user) {
    const { words } = this.#context;
    const name = user.username || user.objectId;
    fill(this.#heading, name);
    const options = { id: this.#id, name, context: this.#context, signal: this.#closing.signal };
    const belongings = new Belongings(options, user);
    const [sessions, roles] = [new Sessions(options), new UserRoles(options)];
    this.#parts = [belongings, sessions, roles];
    const openPassword = () => setPassword({ ...options, onsaved: () => sessions.reload() });
    fill(
      this.#content,
      facts(user, words),
      element('p', { class: 'people-actions' },
        element('a', { href: address('files', 'owner', this.#id) }, words('people.user.files')),
        element('a', { href: rowAddress('_User', this.#id) }, words('people.user.row')),
        actionButton(this.#context, words('people.password'), openPassword, 'writes'),
        actionButton(this.#context, words('people.user.delete'), () => this.#delete(name), 'danger writes')),
      this.#section('belongings', belongings.node),
      this.#section('sessions', sessions.node),
      this.#section('roles', roles.node),
      this.#section('fields', otherFields(user, words)),
    );
  }

  #section(name, node) {
    return element('section', { class: `people-section people-${name}` },
      element('h3', {}, this.#context.words(`people.section.${name}`)), node);
  }

  async #delete(name) {
    const { client, words, notices, go } = this.#context;
    if (!(await ask(this.#context, 'people.user.delete', { name, id: this.#id }))) return;
    await client.send('DELETE', `users/${this.#id}`);
    notices.say(words('people.user.deleted', { name }));
    // The reader can be elsewhere by then.
    if (this.#place.isConnected && !this.#closing.signal.aborted) go('people', 'users');
  }
}
