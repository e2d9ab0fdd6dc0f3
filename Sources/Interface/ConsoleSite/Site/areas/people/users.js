// The list of users: the newest first, or those that a search finds.

import { element, fill } from '../../scripts/element.js';
import { replace } from '../../scripts/router.js';
import { escaped } from '../../scripts/search.js';
import { moment } from '../../scripts/words.js';
import { userAddress } from './links.js';
import { pager } from './pager.js';

const pageSize = 50;
const pause = 300;
const fields = 'username,email,emailVerified,mobilePhoneNumber,mobilePhoneVerified';

/// The condition of a search: the whole name, mail address, phone number or id, or a part of one of the first three.
function conditionOf(text, isWhole) {
  if (text === '') return undefined;
  const like = isWhole ? text : { $regex: escaped(text), $options: 'i' };
  // Numbers are stored without what people write between the digits.
  const number = text.replace(/[\s()./-]/g, '');
  const isNumber = /^\+?\d{3,}$/.test(number);
  return { $or: [
    { username: like }, { email: like }, { objectId: text },
    ...(isNumber ? [{ mobilePhoneNumber: isWhole ? number : { $regex: escaped(number) } }] : []),
  ] };
}

/// Shows the list.
export function openUsers(place, path, context) {
  const list = new Users(place, context);
  list.move(path);
  return list;
}

class Users {
  #context;
  #page = 1;
  #text = '';
  #timer = 0;
  #loading = new AbortController();
  #search;
  #state = element('p', { class: 'people-state', role: 'status' });
  #body = element('tbody');
  #table;
  #pager;
  #keys = (event) => this.#key(event);

  constructor(place, context) {
    this.#context = context;
    const { words } = context;
    this.#search = element('input', {
      class: 'field', type: 'search', autocomplete: 'off', spellcheck: 'false', maxlength: '200',
      oninput: () => this.#typed(),
    });
    this.#pager = pager({ words, label: words('people.users.pages'), onpage: (page) => this.#go(page, this.#text) });
    const head = ['name', 'email', 'phone', 'created', 'id']
      .map((name) => element('th', { scope: 'col' }, words(`people.user.${name}`)));
    this.#table = element('div', { class: 'scroll', tabindex: '0', role: 'group', 'aria-label': words('people.users') },
      element('table', { class: 'people-users' }, element('thead', {}, element('tr', {}, head)), this.#body));
    place.append(
      element('form', { class: 'people-search', role: 'search', onsubmit: (event) => {
        event.preventDefault();
        this.#searched();
      } }, element('label', { class: 'labelled' }, words('people.users.search'), this.#search)),
      this.#state, this.#table, this.#pager.node,
    );
    document.addEventListener('keydown', this.#keys);
  }

  /// Shows the page and the search of an address.
  move([, page = '1', text = '']) {
    this.#page = Math.max(1, Math.min(Number.parseInt(page, 10) || 1, 100_000));
    this.#text = text.trim();
    if (document.activeElement !== this.#search) this.#search.value = this.#text;
    this.#load();
  }

  close() {
    clearTimeout(this.#timer);
    this.#loading.abort();
    document.removeEventListener('keydown', this.#keys);
  }

  #go(page, text) {
    this.#context.go('people', 'users', String(page), ...(text === '' ? [] : [text]));
  }

  #typed() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#searched(), pause);
  }

  /// A search replaces the one before in the history of the browser.
  #searched() {
    clearTimeout(this.#timer);
    const text = this.#search.value.trim();
    if (text !== this.#text) replace('people', 'users', '1', ...(text === '' ? [] : [text]));
  }

  async #load() {
    const { client, words, notices } = this.#context;
    this.#loading.abort();
    const loading = new AbortController();
    this.#loading = loading;
    fill(this.#state, words('loading'));
    try {
      // The server finds whole values by its indexes at once; for a part of a value it reads all users.
      const isFirst = this.#text !== '' && this.#page === 1;
      const whole = isFirst ? (await this.#find({ where: conditionOf(this.#text, true) }, loading.signal)).results : [];
      if (whole.length > 0) this.#show(whole);
      const { results, count } = await this.#find({
        where: conditionOf(this.#text, false), count: 1, limit: pageSize, skip: (this.#page - 1) * pageSize,
      }, loading.signal);
      const key = count > 0 ? 'count' : this.#text === '' ? 'none' : 'notFound';
      fill(this.#state, words(`people.users.${key}`, { count, text: this.#text }));
      const ids = new Set(whole.map((user) => user.objectId));
      this.#show([...whole, ...results.filter((user) => !ids.has(user.objectId))]);
      this.#pager.show(this.#page, Math.ceil(count / pageSize));
    } catch (error) {
      if (loading.signal.aborted) return;
      fill(this.#state, words('people.failed'));
      notices.fail(error);
    }
  }

  #find(query, signal) {
    return this.#context.client.get('classes/_User', { order: '-createdAt', keys: fields, ...query }, { signal });
  }

  #show(users) {
    fill(this.#body, users.map((user) => this.#row(user)));
    this.#table.hidden = users.length === 0;
  }

  #row(user) {
    const { words } = this.#context;
    const verified = (value, isVerified) => value && [
      value, ' ',
      element('span', { class: 'badge' }, words(isVerified ? 'people.verified' : 'people.unverified')),
    ];
    const name = user.username || user.objectId;
    return element('tr', {},
      element('th', { scope: 'row' }, element('a', { href: userAddress(user.objectId) }, name)),
      element('td', {}, verified(user.email, user.emailVerified)),
      element('td', {}, verified(user.mobilePhoneNumber, user.mobilePhoneVerified)),
      element('td', {}, moment(user.createdAt)),
      element('td', {}, element('code', {}, user.objectId)));
  }

  #key(event) {
    const isTyping = event.target.closest?.('input, textarea, select, dialog');
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
    event.preventDefault();
    this.#search.focus();
    this.#search.select();
  }
}
