// What takes the space: the quota, and the files by type and by age.

import { element, fill } from '../../scripts/element.js';
import { address } from '../../scripts/router.js';
import { bytes, locale } from '../../scripts/words.js';

const mostTypes = 20;
const mostMonths = 24;
const share = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });

/// Shows the usage in an element; returns `{ close() }`.
export function openSpace(place, context) {
  const closing = new AbortController();
  const space = new Space(context, closing.signal);
  place.append(space.node);
  space.load();
  return { close: () => closing.abort() };
}

/// Adds the files and bytes of groups under the keys that `key` gives; the largest first.
function summed(groups, key) {
  const sums = new Map();
  for (const group of groups) {
    const name = key(group);
    const sum = sums.get(name) ?? { name, files: 0, bytes: 0 };
    sum.files += group.files;
    sum.bytes += group.bytes;
    sums.set(name, sum);
  }
  return [...sums.values()].sort((left, right) => right.bytes - left.bytes);
}

/// The first rows, and one row for the rest.
function shortened(rows, most, name) {
  if (rows.length <= most) return rows;
  const rest = summed(rows.slice(most), () => name)[0];
  return [...rows.slice(0, most), { ...rest, isRest: true }];
}

class Space {
  #context;
  #signal;
  #total = element('div', { class: 'files-total' });
  #types = element('div');
  #ages = element('div');
  #status = element('p', { role: 'status' });

  node;

  constructor(context, signal) {
    this.#context = context;
    this.#signal = signal;
    this.node = element('div', {}, this.#total, this.#status, this.#types, this.#ages);
  }

  async load() {
    const { client, words, notices } = this.#context;
    try {
      const usage = await client.get('usage', {}, { signal: this.#signal });
      this.#showTotal(usage);
      const groups = new Map();
      let cursor;
      let read = 0;
      do {
        const page = await client.get('usage/groups', { cursor }, { signal: this.#signal });
        for (const group of page.results) {
          const key = `${group.mime_type} ${group.month}`;
          const sum = groups.get(key) ?? { ...group, files: 0, bytes: 0 };
          groups.set(key, { ...sum, files: sum.files + group.files, bytes: sum.bytes + group.bytes });
          read += group.files;
        }
        cursor = page.cursor;
        fill(this.#status, cursor && words('files.space.reading', { count: read, total: usage.files }));
        this.#showGroups([...groups.values()]);
      } while (cursor);
    } catch (error) {
      if (!this.#signal.aborted) notices.fail(error);
    }
  }

  #showTotal({ files, bytes: used, trashFiles, trashBytes, uploads, announced, quota }) {
    const { words } = this.#context;
    const all = used + trashBytes + announced;
    const row = (key, size, count) => [
      element('dt', {}, words(key)), element('dd', {}, words('files.space.amount', { size: bytes(size), count })),
    ];
    const isOver = quota !== undefined && all > 0.9 * quota;
    fill(
      this.#total,
      element('dl', { class: 'files-facts-list' },
        row('files.space.files', used, files), row('files.space.trash', trashBytes, trashFiles),
        row('files.space.uploads', announced, uploads)),
      quota === undefined
        ? element('p', {}, words('files.space.noQuota', { size: bytes(all) }))
        : [
          element('p', { class: isOver ? 'files-error' : null },
            words('files.space.quota', { size: bytes(all), quota: bytes(quota), share: share.format(all / quota) })),
          element('meter', {
            min: '0', max: String(quota), high: String(0.9 * quota), value: String(all),
            'aria-label': words('files.space.quotaLabel'),
          }),
        ],
    );
  }

  #showGroups(groups) {
    const { words } = this.#context;
    const all = summed(groups, () => '')[0] ?? { files: 0, bytes: 0 };
    const types = shortened(summed(groups, ({ mime_type: type }) => type), mostTypes, words('files.space.rest'));
    fill(this.#types, this.#table('files.space.byType', types, all, ({ name, isRest }) => (
      isRest ? name : element('a', { href: address('files', 'type', name) }, name))));
    const months = summed(groups, ({ month }) => month).sort((left, right) => right.name.localeCompare(left.name));
    const ages = shortened(months, mostMonths, words('files.space.older'));
    fill(this.#ages, this.#table('files.space.byMonth', ages, all, ({ name }) => name));
  }

  #table(caption, rows, all, label) {
    const { words } = this.#context;
    if (rows.length === 0) return null;
    const most = Math.max(...rows.map((row) => row.bytes), 1);
    const head = ['files.space.name', 'files.space.size', 'files.space.share', 'files.space.count', 'files.space.bar'];
    return element('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': words(caption) }, element(
      'table',
      { class: 'files-space' },
      element('caption', {}, words(caption)),
      element('thead', {}, element('tr', {}, head.map((key) => element(
        'th', { scope: 'col', class: key === 'files.space.bar' ? 'files-bar-cell' : null }, words(key),
      )))),
      element('tbody', {}, rows.map((row) => element(
        'tr',
        {},
        element('th', { scope: 'row' }, label(row)),
        element('td', {}, bytes(row.bytes)),
        element('td', {}, share.format(all.bytes > 0 ? row.bytes / all.bytes : 0)),
        element('td', {}, row.files.toLocaleString(locale)),
        element('td', { class: 'files-bar-cell', 'aria-hidden': 'true' },
          element('span', { class: 'files-bar', style: { width: `${(100 * row.bytes) / most}%` } })),
      ))),
    ));
  }
}
