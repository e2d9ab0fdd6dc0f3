// The page of class permissions: the classes, and the matrix of one of them.

import { isInternal } from '../../scripts/classes.js';
import { element, fill } from '../../scripts/element.js';
import { permissionsAddress } from './links.js';
import { MatrixPage } from './matrix.js';
import { isExplained, titleOf } from './titles.js';

/// A name that cannot become another path of the API: addresses come from links, also those of other sites.
const className = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

/// Shows the page.
export function openPermissions(place, path, context) {
  const page = new Permissions(place, context);
  page.load();
  page.move(path);
  return page;
}

class Permissions {
  #context;
  #closing = new AbortController();
  #names = [];
  #shown = null;
  #current = null;
  #search;
  #state = element('p', { role: 'status', class: 'hint' });
  #groups = element('div', { class: 'people-classes' });
  #beside = element('div', { class: 'people-beside' });

  constructor(place, context) {
    this.#context = context;
    const { words } = context;
    const label = words('people.permissions.search');
    this.#search = element('input', {
      class: 'field', type: 'search', 'aria-label': label, placeholder: label, oninput: () => this.#showClasses(),
    });
    place.append(element('div', { class: 'people-split' },
      element('nav', { class: 'stack people-side', 'aria-label': words('people.permissions.classes') },
        this.#search, this.#state, this.#groups),
      this.#beside));
  }

  async load() {
    const { client, words, notices } = this.#context;
    fill(this.#state, words('loading'));
    try {
      const classes = await client.get('permissions', {}, { signal: this.#closing.signal });
      this.#names = Object.keys(classes).filter((name) => !isInternal(name))
        .sort((a, b) => isExplained(b) - isExplained(a) || a.localeCompare(b));
      this.#showClasses();
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      fill(this.#state, words('people.failed'));
      notices.fail(error);
    }
  }

  move([, name]) {
    this.#current = name ?? null;
    this.#mark();
    this.#shown?.close();
    this.#shown = null;
    const { words } = this.#context;
    if (name === undefined) {
      fill(this.#beside, element('p', {}, words('people.permissions.welcome')));
    } else if (!className.test(name)) {
      fill(this.#beside, element('p', {}, words('people.permissions.unknown')));
    } else {
      fill(this.#beside);
      this.#shown = new MatrixPage(this.#beside, name, this.#context);
    }
  }

  focus() { this.#shown?.focus(); }

  unsaved() { return this.#shown?.unsaved() ?? false; }

  close() {
    this.#closing.abort();
    this.#shown?.close();
  }

  #showClasses() {
    const { words } = this.#context;
    const text = this.#search.value.trim().toLowerCase();
    const wanted = this.#names.filter((name) => `${name} ${titleOf(name, words)}`.toLowerCase().includes(text));
    const group = (key, names) => names.length > 0 && element('section', {},
      element('h2', { class: 'people-group' }, words(`people.permissions.${key}`)),
      element('ul', { class: 'class-list' }, names.map((name) => this.#link(name))));
    fill(this.#state, wanted.length === 0 && words('people.permissions.none'));
    fill(this.#groups, group('builtIn', wanted.filter((name) => name.startsWith('_'))),
      group('own', wanted.filter((name) => !name.startsWith('_'))));
    this.#mark();
  }

  #link(name) {
    const title = titleOf(name, this.#context.words);
    const link = element('a', { class: 'class-link', href: permissionsAddress(name), dataset: { name } },
      element('span', { class: 'class-name' }, title), title !== name && element('code', {}, name));
    return element('li', {}, link);
  }

  #mark() {
    for (const link of this.#groups.querySelectorAll('a')) {
      if (link.dataset.name === this.#current) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    }
  }
}
