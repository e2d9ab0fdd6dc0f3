// The area Server: state, figures of the last hour, failed requests, changes as they happen, settings, version.
//
//   #/server           the state and the charts      #/server/settings   the settings in force
//   #/server/failures  failed requests               #/server/version    the version and its notes
//   #/server/changes   changes as they happen

import { element, fill } from '../../scripts/element.js';
import { address } from '../../scripts/router.js';
import { tabList } from '../../scripts/tabs.js';
import { openChanges } from './changes.js';
import { openFailures } from './failures.js';
import { openOverview } from './overview.js';
import { openSettings } from './settings.js';
import { openVersion } from './version.js';
import { en } from './words/en.js';
import { zh } from './words/zh.js';

const views = [
  { name: '', title: 'server.overview', open: openOverview },
  { name: 'failures', title: 'server.failures', open: openFailures },
  { name: 'changes', title: 'server.changes', open: openChanges },
  { name: 'settings', title: 'server.settings', open: openSettings },
  { name: 'version', title: 'server.version', open: openVersion },
];

export const area = {
  name: 'server',
  title: 'server.title',
  words: { en, zh },
  shortcuts: [
    { keys: 'p', text: 'server.key.pause' },
    { keys: '/', text: 'server.key.filter' },
  ],
  open(place, path, context) {
    const server = new Server(place, context);
    server.move(path);
    return server;
  },
};

/// The tabs, and the view below them.
class Server {
  #context;
  #tabs;
  #place = element('div');
  #view = null;
  #shown = null;
  #onkey = (event) => this.#key(event);

  constructor(place, context) {
    this.#context = context;
    const { words } = context;
    this.#tabs = tabList(words('server.views'), views.map(({ name, title }) => ({
      name, href: name ? address('server', name) : address('server'), title: words(title),
    })));
    place.append(this.#tabs.node, this.#place);
    document.addEventListener('keydown', this.#onkey);
  }

  move(path) {
    const index = Math.max(0, views.findIndex(({ name }) => name === (path[0] ?? '')));
    if (views[index] === this.#view) return;
    this.#shown?.close();
    this.#view = views[index];
    fill(this.#place);
    this.#tabs.mark(this.#view.name);
    this.#shown = this.#view.open(this.#place, this.#context);
  }

  close() {
    document.removeEventListener('keydown', this.#onkey);
    this.#shown?.close();
  }

  #key(event) {
    const isTyping = event.target.closest?.('input, textarea, select, [contenteditable], dialog');
    if (isTyping || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (this.#shown?.keys?.[event.key]) {
      event.preventDefault();
      this.#shown.keys[event.key]();
    }
  }
}
