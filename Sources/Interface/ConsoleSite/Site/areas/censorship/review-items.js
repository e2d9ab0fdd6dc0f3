// The list of images beside the picture, of which one is shown there.

import { element, fill } from '../../scripts/element.js';
import { moment } from '../../scripts/words.js';
import { Thumbs } from './thumbs.js';
import { scoresOf } from './verdict-words.js';

/// Shows entries in `node`; `onchoose(entry)` is called for the one that the reader chooses.
export class ReviewItems {
  #words;
  #onchoose;
  #thumbs;
  #rows = new Map();
  #hint = element('li', { class: 'hint', hidden: true });
  #list;

  node;

  constructor({ client, words }, onchoose) {
    this.#words = words;
    this.#onchoose = onchoose;
    this.#thumbs = new Thumbs(client);
    this.#list = element('ul', { class: 'censor-items' }, this.#hint);
    this.node = element('nav', { 'aria-label': words('censor.items') }, this.#list);
  }

  /// Shows these entries; rows that stay are the same nodes, so that the focus stays.
  show(entries, current) {
    const hadFocus = this.#list.contains(document.activeElement);
    this.#hint.hidden = entries.length > 0;
    let next = this.#list.firstChild;
    const wanted = new Set(entries.map(({ objectId }) => objectId));
    for (const [id, row] of this.#rows) {
      if (wanted.has(id)) continue;
      if (row.node === next) next = next.nextSibling;
      this.#thumbs.forget(row.picture);
      row.node.remove();
      this.#rows.delete(id);
    }
    for (const entry of entries) {
      const row = this.#rows.get(entry.objectId) ?? this.#add(entry);
      if (row.node === next) next = next.nextSibling;
      else this.#list.insertBefore(row.node, next);
    }
    this.#mark(current, hadFocus && !this.#list.contains(document.activeElement));
  }

  close() {
    this.#thumbs.close();
  }

  #mark(current, takesFocus) {
    for (const [id, { button }] of this.#rows) {
      if (id === current?.objectId) button.setAttribute('aria-current', 'true');
      else button.removeAttribute('aria-current');
    }
    const button = this.#rows.get(current?.objectId)?.button;
    if (button) this.#reveal(button.parentElement);
    if (takesFocus) button?.focus();
  }

  /// Scrolls the list, and not the page, which can show the picture above it.
  #reveal({ offsetTop: top, offsetHeight: height }) {
    const list = this.#list;
    if (top < list.scrollTop) list.scrollTop = top;
    else if (top + height > list.scrollTop + list.clientHeight) list.scrollTop = top + height - list.clientHeight;
  }

  #add(entry) {
    const picture = element('span', { class: 'censor-thumb', 'aria-hidden': 'true' });
    const button = element(
      'button', { type: 'button', onclick: () => this.#onchoose(entry.objectId) }, picture,
      element(
        'span', { class: 'censor-item' },
        element('span', { class: 'censor-item-name' }, entry.name ?? entry.objectId),
        element('span', { class: 'hint' }, [scoresOf(entry), moment(entry.createdAt)].filter(Boolean).join(' · ')),
      ),
    );
    const row = { node: element('li', {}, button), button, picture };
    this.#rows.set(entry.objectId, row);
    this.#thumbs.watch(picture, entry);
    return row;
  }

  /// Shows that there are no entries, or that they are loading.
  say(text) {
    this.show([], null);
    fill(this.#hint, text);
  }
}
