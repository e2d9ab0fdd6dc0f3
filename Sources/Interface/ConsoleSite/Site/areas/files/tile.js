// One tile of the grid.

import { element, fill } from '../../scripts/element.js';
import { bytes, moment } from '../../scripts/words.js';
import { isRendered, sign, sizeOf } from './kinds.js';

/// Shows a record, or an empty tile for `undefined`. `options`: `{ words, thumbnails }`.
export class Tile {
  #record;
  #cancel = () => {};

  node;

  constructor(record, options) {
    this.#record = record;
    const picture = element('span', { class: 'files-picture', 'aria-hidden': 'true' });
    const size = record && sizeOf(record);
    const facts = record ? [size === null ? null : bytes(size), record.mime_type].filter(Boolean).join(' · ') : '';
    const label = record
      ? options.words('files.tile', { name: record.name ?? '', facts, time: moment(record.createdAt) })
      : options.words('loading');
    this.node = element(
      'div',
      { class: 'files-tile', role: 'option', 'aria-selected': 'false', 'aria-label': label, title: record?.name },
      element('span', { class: 'files-check', 'aria-hidden': 'true' }),
      picture,
      element('span', { class: 'files-name', 'aria-hidden': 'true' }, record?.name),
      element('span', { class: 'files-facts', 'aria-hidden': 'true' }, facts),
    );
    if (record) this.#fill(picture, options);
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

  #fill(picture, { thumbnails }) {
    fill(picture, element('span', { class: 'files-sign' }, sign(this.#record)));
    if (!isRendered(this.#record)) return;
    this.#cancel = thumbnails.request(this.#record, (url) => {
      if (url) fill(picture, element('img', { src: url, alt: '', decoding: 'async' }));
    });
  }
}
