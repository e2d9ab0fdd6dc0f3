// One tile of the grid.

import { element, fill } from '../../scripts/element.js';
import { bytes, moment } from '../../scripts/words.js';
import { isRendered, sign, sizeOf } from './kinds.js';

/// Shows a record, or for `undefined` an empty tile, which is one node: a fast way through the grid makes many.
/// `options`: `{ words, thumbnails }`.
export class Tile {
  #record;
  #cancel = () => {};

  node;

  constructor(record, options) {
    this.#record = record;
    this.node = element('div', { class: 'files-tile', role: 'option', 'aria-selected': 'false' });
    if (record) this.#fill(record, options);
    else this.node.setAttribute('aria-label', options.words('loading'));
  }

  /// The id of the record.
  get id() {
    return this.#record?.objectId;
  }

  /// Whether the tile shows this record.
  isCurrent(record) {
    return record === this.#record;
  }

  setSelected(isSelected) {
    this.node.setAttribute('aria-selected', String(isSelected));
  }

  close() {
    this.#cancel();
    this.node.remove();
  }

  #fill(record, { words, thumbnails }) {
    const size = sizeOf(record);
    const verdict = record.censorResult === 'rejected' ? words('censor.verdict.rejected') : null;
    const facts = [verdict, size === null ? null : bytes(size), record.mime_type].filter(Boolean).join(' · ');
    const name = record.name ?? '';
    const picture = element('span', { class: 'files-picture' }, element('span', { class: 'files-sign' }, sign(record)));
    this.node.title = name;
    this.node.setAttribute('aria-label', words('files.tile', { name, facts, time: moment(record.createdAt) }));
    this.node.append(
      element('span', { class: 'files-check' }),
      picture,
      element('span', { class: 'files-name' }, name),
      element('span', { class: 'files-facts' }, facts),
    );
    for (const child of this.node.children) child.setAttribute('aria-hidden', 'true');
    if (!isRendered(record)) return;
    this.#cancel = thumbnails.request(record, (url) => {
      if (url) fill(picture, element('img', { src: url, alt: '', decoding: 'async' }));
    });
  }
}
