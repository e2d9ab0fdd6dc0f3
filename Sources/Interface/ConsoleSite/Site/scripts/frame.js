// What surrounds an area: the name of the app, the navigation, the log-out, the shortcuts.

import * as dialogs from './dialogs.js';
import { areas, pages } from './areas.js';
import { element, fill } from './element.js';
import { languageChoice } from './login.js';
import { fail, say } from './notices.js';
import { address, currentPath, go } from './router.js';
import { showShortcuts } from './shortcuts.js';
import { words } from './words.js';

/// Shows the areas until the reader logs out.
export class Frame {
  #root;
  #notices;
  #client;
  #session;
  #open = null;
  #title = element('h1', { id: 'title', tabindex: '-1' });
  #place = element('div', { class: 'place' });
  #links = new Map();
  #status = element('span', { class: 'badge' });
  #hash = '';

  constructor(root, notices, client, session) {
    this.#root = root;
    this.#notices = notices;
    this.#client = client;
    this.#session = session;
  }

  start() {
    fill(this.#root, this.#skipLink(), this.#header(), this.#navigation(), this.#main(), this.#notices);
    window.addEventListener('hashchange', () => this.#move().catch(fail));
    window.addEventListener('beforeunload', (event) => {
      if (this.#open?.shown.unsaved?.()) event.preventDefault();
    });
    document.addEventListener('keydown', (event) => this.#key(event));
    this.sessionChanged();
    this.#move(true).catch(fail);
  }

  /// Shows whether the session only reads, which can change with a new log-in.
  sessionChanged() {
    document.documentElement.dataset.readOnly = this.#session.readOnly;
    fill(this.#status, words('readOnly'));
    this.#status.hidden = !this.#session.readOnly;
  }

  #skipLink() {
    const target = () => this.#title.focus();
    return element('button', { type: 'button', class: 'skip', onclick: target }, words('skip'));
  }

  #header() {
    const button = (text, onclick) => element('button', { type: 'button', class: 'quiet', onclick }, text);
    return element(
      'header',
      { class: 'top' },
      element('span', { class: 'product' }, 'lcfile'),
      element('span', { class: 'app', title: words('login.app') }, this.#session.app),
      this.#status,
      element('span', { class: 'space' }),
      languageChoice(),
      button(words('shortcuts.button'), () => showShortcuts(this.#open?.area)),
      button(words('logout'), () => this.#logOut().catch(fail)),
    );
  }

  #navigation() {
    const links = areas.map((area) => {
      const link = element('a', { href: address(area.name) }, words(area.title));
      this.#links.set(area.name, link);
      return element('li', {}, link);
    });
    return element('nav', { class: 'areas', 'aria-label': words('navigation') }, element('ul', {}, links));
  }

  #main() {
    return element('main', { 'aria-labelledby': 'title' }, this.#title, this.#place);
  }

  async #mayLeave() {
    if (!this.#open?.shown.unsaved?.()) return true;
    return dialogs.askToLeave();
  }

  async #move(isFirst = false) {
    if (location.hash === this.#hash && !isFirst) return;
    const [name, ...path] = currentPath();
    const area = pages.find((candidate) => candidate.name === name) ?? areas[0];
    const before = this.#hash;
    if (this.#open?.area === area && this.#open.shown.move) {
      this.#hash = location.hash;
      this.#open.shown.move(path);
      return;
    }
    const wanted = location.hash;
    if (!(await this.#mayLeave())) {
      history.replaceState(null, '', before);
      return;
    }
    if (location.hash !== wanted) return;
    this.#hash = wanted;
    this.#show(area, path, isFirst);
  }

  #show(area, path, isFirst) {
    this.#open?.shown.close?.();
    this.#open = null;
    this.#place.replaceChildren();
    const title = words(area.title);
    fill(this.#title, title);
    document.title = `${title} – lcfile`;
    for (const [name, link] of this.#links) {
      if (name === area.name) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    }
    const context = {
      client: this.#client, words, go, notices: { say, fail }, dialogs, session: this.#session,
    };
    this.#open = { area, shown: area.open(this.#place, path, context) ?? {} };
    if (!isFirst) this.#title.focus();
  }

  #key(event) {
    const isTyping = event.target.closest?.('input, textarea, select, [contenteditable], dialog');
    if (event.defaultPrevented || event.ctrlKey || event.metaKey) return;
    const number = /^Digit([1-9])$/.exec(event.code)?.[1];
    if (event.altKey && event.shiftKey && number && areas[number - 1]) {
      event.preventDefault();
      go(areas[number - 1].name);
    } else if (event.key === '?' && !isTyping && !event.altKey) {
      event.preventDefault();
      showShortcuts(this.#open?.area);
    }
  }

  async #logOut() {
    if (!(await this.#mayLeave())) return;
    await this.#client.logOut();
    this.#open?.shown.close?.();
    this.#open = null;
    location.reload();
  }
}
