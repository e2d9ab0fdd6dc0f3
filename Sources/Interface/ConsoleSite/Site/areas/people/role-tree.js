// The tree of roles (ARIA's pattern "tree"). The branches of a role are made when it is opened, so that loops end.

import { element } from '../../scripts/element.js';

/// Shows a tree.
///
/// - `graph`: a RoleGraph; `words`; `onopen(id)`: called when a role is chosen.
export class RoleTree {
  #graph;
  #words;
  #onopen;
  #active = null;
  #current = null;

  node;

  constructor({ graph, words, onopen }) {
    this.#graph = graph;
    this.#words = words;
    this.#onopen = onopen;
    this.node = element('ul', { class: 'people-tree', role: 'tree', 'aria-label': words('people.roles') });
    this.node.append(...graph.roots().map((id) => this.#item(id, [])));
    this.#activate(this.#items()[0] ?? null);
    this.node.addEventListener('keydown', (event) => this.#key(event));
  }

  /// Shows which role is open beside the tree, wherever it is in it.
  mark(id) {
    this.#current = id;
    for (const item of this.#items()) this.#select(item);
  }

  /// Puts the focus on the active role.
  focus() {
    this.#active?.focus();
  }

  #select(item) {
    item.setAttribute('aria-selected', String(item.dataset.id === this.#current));
  }

  /// - `above`: the ids of the roles above the item, of which none can be opened again below itself.
  #item(id, above) {
    const children = this.#graph.children(id);
    const isAgain = above.includes(id);
    const name = this.#graph.name(id);
    const item = element('li', {
      role: 'treeitem', tabindex: '-1', dataset: { id }, 'aria-level': String(above.length + 1), 'aria-label': name,
    });
    const twist = element('span', { class: 'people-twist', 'aria-hidden': 'true' });
    const row = element('div', { class: 'people-branch' }, twist,
      element('span', { class: 'people-role' }, name),
      isAgain && element('span', { class: 'hint' }, this.#words('people.roles.loop')));
    if (isAgain) item.setAttribute('aria-label', `${name}, ${this.#words('people.roles.loop')}`);
    item.append(row);
    item.above = above;
    if (children.length > 0 && !isAgain) item.setAttribute('aria-expanded', 'false');
    this.#select(item);
    row.addEventListener('click', (event) => {
      this.#activate(item);
      item.focus();
      if (event.target === twist) this.#toggle(item);
      else this.#onopen(id);
    });
    return item;
  }

  #toggle(item, isOpen = item.getAttribute('aria-expanded') === 'false') {
    if (!item.hasAttribute('aria-expanded')) return;
    item.setAttribute('aria-expanded', String(isOpen));
    const group = item.querySelector(':scope > ul');
    if (group) {
      group.hidden = !isOpen;
    } else if (isOpen) {
      const above = [...item.above, item.dataset.id];
      const items = this.#graph.children(item.dataset.id).map((id) => this.#item(id, above));
      item.append(element('ul', { role: 'group' }, items));
    }
    if (!isOpen && item !== this.#active && item.contains(this.#active)) this.#activate(item);
  }

  #items() {
    return [...this.node.querySelectorAll('[role=treeitem]')];
  }

  /// The items that are not inside a closed one, from top to bottom.
  #visible() {
    return this.#items().filter((item) => item.parentNode.closest('ul[hidden]') === null);
  }

  #activate(item) {
    if (this.#active) this.#active.tabIndex = -1;
    this.#active = item;
    if (item) item.tabIndex = 0;
  }

  #move(item) {
    if (!item) return;
    this.#activate(item);
    item.focus();
  }

  #key(event) {
    const item = event.target.closest('[role=treeitem]');
    if (item === null || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const visible = this.#visible();
    const position = visible.indexOf(item);
    const isOpen = item.getAttribute('aria-expanded') === 'true';
    const above = item.parentNode.closest('[role=treeitem]');
    switch (event.key) {
    case 'ArrowDown': this.#move(visible[position + 1]); break;
    case 'ArrowUp': this.#move(visible[position - 1]); break;
    case 'Home': this.#move(visible[0]); break;
    case 'End': this.#move(visible.at(-1)); break;
    case 'ArrowRight':
      if (isOpen) this.#move(visible[position + 1]);
      else this.#toggle(item, true);
      break;
    case 'ArrowLeft':
      if (isOpen) this.#toggle(item, false);
      else this.#move(above);
      break;
    case 'Enter': case ' ': this.#onopen(item.dataset.id); break;
    default: return;
    }
    event.preventDefault();
  }
}
