// The area Censorship: review, history, bulk runs, thresholds.
//
//   #/censorship                   what a person must decide
//   #/censorship/list/<verdict>    the images with another verdict
//   #/censorship/history  #/censorship/runs  #/censorship/thresholds

import { element, fill } from '../../scripts/element.js';
import { address, replace } from '../../scripts/router.js';
import { tabList } from '../../scripts/tabs.js';
import { openHistory } from './history.js';
import { Review, verdicts } from './review.js';
import { openRuns } from './runs.js';
import { Status } from './status.js';
import { openThresholds } from './thresholds.js';
import { censorshipWords } from './words.js';

const tabs = ['review', 'history', 'runs', 'thresholds'];

export const area = {
  name: 'censorship',
  title: 'censor.title',
  words: censorshipWords,
  shortcuts: [
    { keys: 'v', text: 'censor.key.look' },
    { keys: 'p', text: 'censor.key.pass' },
    { keys: 'b', text: 'censor.key.block' },
    { keys: 'n', text: 'censor.key.next' },
    { keys: 'Shift+N', text: 'censor.key.previous' },
    { keys: 'u', text: 'censor.key.undo' },
  ],
  open(place, path, context) {
    const view = new CensorshipView(place, context);
    view.move(path);
    return view;
  },
};

/// The tabs, what is switched off, and the view below them.
class CensorshipView {
  #context;
  #tabs;
  #place = element('div');
  #status;
  #shown = null;
  #name = null;
  #path = [];

  constructor(place, context) {
    this.#context = context;
    const { words } = context;
    this.#tabs = tabList(words('censor.views'), tabs.map((name) => ({
      name,
      href: name === 'review' ? address('censorship') : address('censorship', name),
      title: words(`censor.tab.${name}`),
    })));
    this.#status = new Status(context, () => this.#shown?.settingsChanged?.());
    place.append(
      this.#tabs.node,
      this.#status.node,
      this.#place,
    );
  }

  async move(path) {
    const name = tabs.includes(path[0]) ? path[0] : 'review';
    const wanted = location.hash;
    if (name !== this.#name && this.unsaved() && !(await this.#context.dialogs.askToLeave())) {
      replace('censorship', ...this.#path);
      return;
    }
    if (location.hash !== wanted) return;
    this.#path = path;
    if (name !== this.#name) this.#open(name);
    this.#shown.move?.(path[0] === 'list' && verdicts.includes(path[1]) ? path[1] : 'review');
  }

  unsaved() {
    return this.#shown?.unsaved?.() ?? false;
  }

  close() {
    this.#shown?.close();
    this.#status.close();
  }

  #open(name) {
    this.#shown?.close();
    fill(this.#place);
    this.#name = name;
    this.#tabs.mark(name);
    this.#status.load();
    if (name === 'history') this.#shown = openHistory(this.#place, this.#context);
    else if (name === 'runs') this.#shown = openRuns(this.#place, this.#context);
    else if (name === 'thresholds') {
      this.#shown = openThresholds(this.#place, this.#context, () => this.#status.load());
    } else this.#shown = new Review(this.#place, this.#context);
  }
}
