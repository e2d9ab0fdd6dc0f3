// The area Files: the grid, uploads, details, the trash, and what takes the space.
//
//   #/files                the grid            #/files/type/image%2Fpng   the grid of one type
//   #/files/owner/<id>     the grid of one user
//   #/files/file/<id>      the details over it
//   #/files/trash          the trash           #/files/space              what takes the space

import { element, fill } from '../../scripts/element.js';
import { address, replace } from '../../scripts/router.js';
import { tabList } from '../../scripts/tabs.js';
import { Browser } from './browser.js';
import { openSpace } from './space.js';
import { openTrash } from './trash.js';
import { filesWords } from './words.js';

const tabs = [
  { path: [], title: 'files.all' },
  { path: ['trash'], title: 'files.trash' },
  { path: ['space'], title: 'files.space' },
];

export const area = {
  name: 'files',
  title: 'files.title',
  words: filesWords,
  shortcuts: [
    { keys: '← ↑ → ↓', text: 'files.key.arrows' },
    { keys: 'Home End PageUp PageDown', text: 'files.key.pages' },
    { keys: 'Enter', text: 'files.key.open' },
    { keys: 'Space', text: 'files.key.select' },
    { keys: 'Shift+←↑→↓', text: 'files.key.range' },
    { keys: 'Delete', text: 'files.key.delete' },
    { keys: 'Esc', text: 'files.key.escape' },
    { keys: '/', text: 'files.key.search' },
    { keys: 'u', text: 'files.key.upload' },
  ],
  open(place, path, context) {
    const view = new FilesView(place, context);
    view.move(path);
    return view;
  },
};

/// The tabs, and the view below them.
class FilesView {
  #context;
  #tabs;
  #place = element('div');
  #shown = null;
  #name = null;
  #path = [];

  constructor(place, context) {
    this.#context = context;
    const { words } = context;
    this.#tabs = tabList(words('files.views'), tabs.map(({ path, title }) => ({
      name: path[0] ?? 'files', href: address('files', ...path), title: words(title),
    })));
    place.append(this.#tabs.node, this.#place);
  }

  async move(path) {
    if (this.#shown && path.join('/') === this.#path.join('/')) return;
    const wanted = location.hash;
    // The browser's own buttons change the address behind a dialog.
    if (this.unsaved() && !(await this.#context.dialogs.askToLeave())) {
      replace('files', ...this.#path);
      return;
    }
    if (location.hash !== wanted) return;
    this.#path = path;
    const name = path[0] === 'trash' || path[0] === 'space' ? path[0] : 'files';
    if (name !== this.#name) this.#open(name);
    this.#shown.move?.(path);
  }

  unsaved() {
    return this.#shown?.unsaved?.() ?? false;
  }

  close() {
    this.#shown?.close();
  }

  #open(name) {
    this.#shown?.close();
    fill(this.#place);
    this.#name = name;
    this.#tabs.mark(name);
    if (name === 'trash') this.#shown = openTrash(this.#place, this.#context);
    else if (name === 'space') this.#shown = openSpace(this.#place, this.#context);
    else this.#shown = new Browser(this.#place, { ...this.#context, replace });
  }
}
