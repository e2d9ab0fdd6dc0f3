// The trash: deleted files that can be restored.

import { element, fill } from '../../scripts/element.js';
import { bytes, moment } from '../../scripts/words.js';

const pageSize = 50;
const columns = ['name', 'size', 'deleted', 'by', 'reason', 'expires'];

/// Shows the trash in an element; returns `{ close() }`.
export function openTrash(place, context) {
  const trash = new Trash(context);
  place.append(trash.node);
  trash.load();
  return { close: () => trash.close() };
}

class Trash {
  #context;
  #closing = new AbortController();
  #cursors = [null];
  #next = null;
  #boxes = new Map();
  #all;
  #body = element('tbody');
  #status = element('p', { role: 'status' });
  #buttons;
  #newer;
  #older;

  node;

  constructor(context) {
    this.#context = context;
    const { words, session } = context;
    const button = (key, onclick, kind) => element('button', { type: 'button', class: kind, onclick }, words(key));
    this.#buttons = {
      restore: button('files.trash.restore', () => this.#each('restore')),
      remove: button('files.trash.remove', () => this.#each('remove'), 'danger'),
      empty: button('files.trash.empty', () => this.#empty(), 'danger'),
    };
    this.#newer = button('files.trash.newer', () => this.#turn(-1));
    this.#older = button('files.trash.older', () => this.#turn(1));
    this.#all = element('input', {
      type: 'checkbox', 'aria-label': words('files.trash.all'), onchange: () => this.#checkAll(),
    });
    const heads = columns.map((name) => element('th', { scope: 'col' }, words(`files.trash.${name}`)));
    this.node = element(
      'div',
      { class: 'files-trash' },
      element('p', { class: 'hint' }, words('files.trash.hint')),
      !session.readOnly && element('p', { class: 'files-actions' }, Object.values(this.#buttons)),
      this.#status,
      element('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': words('files.trash') }, element(
        'table',
        {},
        element('thead', {}, element('tr', {}, element('th', { scope: 'col' }, this.#all), heads)),
        this.#body,
      )),
      element('p', { class: 'files-actions' }, this.#newer, this.#older),
    );
  }

  close() {
    this.#closing.abort();
  }

  async load() {
    const { client, words, notices } = this.#context;
    try {
      const signal = this.#closing.signal;
      const cursor = this.#cursors.at(-1);
      const [page, usage] = await Promise.all([
        client.get('trash', { limit: String(pageSize), cursor }, { signal }), client.get('usage', {}, { signal }),
      ]);
      // The entries of an earlier page can be gone.
      if (page.results.length === 0 && this.#cursors.length > 1) return this.#turn(-1);
      this.#next = page.cursor ?? null;
      this.#boxes.clear();
      fill(this.#body, page.results.map((entry) => this.#row(entry)));
      const { trashFiles: count, trashBytes } = usage;
      fill(this.#status, page.results.length === 0
        ? words(usage.trashKeep > 0 ? 'files.trash.none' : 'files.trash.off')
        : words('files.trash.total', { count, size: bytes(trashBytes) }));
      this.#buttons.empty.disabled = page.results.length === 0;
      this.#newer.hidden = this.#cursors.length === 1;
      this.#older.hidden = this.#next === null;
      this.#checked();
    } catch (error) {
      if (!this.#closing.signal.aborted) notices.fail(error);
    }
    return undefined;
  }

  #turn(step) {
    if (step > 0) this.#cursors.push(this.#next);
    else this.#cursors.pop();
    return this.load();
  }

  #row(entry) {
    const { words } = this.#context;
    const box = element('input', {
      type: 'checkbox', 'aria-label': words('files.trash.choose', { name: entry.name ?? '' }),
      onchange: () => this.#checked(),
    });
    this.#boxes.set(box, entry);
    const cell = (...content) => element('td', {}, content);
    return element(
      'tr',
      {},
      cell(box),
      element(
        'th',
        { scope: 'row', class: 'files-trash-name' },
        entry.name ?? entry.file,
        element('span', { class: 'hint' }, ` ${entry.mime_type ?? ''}`),
      ),
      cell(entry.size === undefined ? '' : bytes(entry.size)),
      cell(moment(entry.deletedAt)),
      cell(entry.by),
      cell(words(`files.trash.reason.${entry.reason}`)),
      cell(moment(entry.expiresAt)),
    );
  }

  get #chosen() {
    return [...this.#boxes].filter(([box]) => box.checked).map(([, entry]) => entry);
  }

  #checkAll() {
    for (const box of this.#boxes.keys()) box.checked = this.#all.checked;
    this.#checked();
  }

  #checked() {
    const count = this.#chosen.length;
    this.#all.checked = count > 0 && count === this.#boxes.size;
    this.#all.indeterminate = count > 0 && count < this.#boxes.size;
    this.#buttons.restore.disabled = this.#buttons.remove.disabled = count === 0;
  }

  async #each(action) {
    const { client, words, notices, dialogs } = this.#context;
    const entries = this.#chosen;
    const count = entries.length;
    if (action === 'remove') {
      const isWanted = await dialogs.ask({
        title: words('files.trash.remove.title', { count }), text: words('files.delete.final'),
        confirm: words('files.trash.remove'), danger: true,
      });
      if (!isWanted) return;
    }
    let done = 0;
    for (const { objectId } of entries) {
      const path = `trash/${encodeURIComponent(objectId)}`;
      try {
        if (action === 'remove') await client.send('DELETE', path);
        else await client.send('POST', `${path}/restore`, {});
        done += 1;
      } catch (error) {
        notices.fail(error);
      }
    }
    if (done > 0) notices.say(words(`files.trash.${action}.done`, { count: done }));
    await this.load();
  }

  async #empty() {
    const { client, words, notices, dialogs } = this.#context;
    try {
      const { iso: start } = await client.time();
      const { trashFiles: count, trashBytes } = await client.get('usage');
      const isWanted = await dialogs.ask({
        title: words('files.trash.empty.title', { count }),
        text: [words('files.trash.empty.text', { count, size: bytes(trashBytes) }), words('files.delete.final')],
        confirm: words('files.trash.empty'), danger: true,
      });
      if (!isWanted) return;
      let total = 0;
      for (let removed = 1; removed > 0 && !this.#closing.signal.aborted; total += removed) {
        // Files that are deleted meanwhile were not in the question.
        const query = { deletedBefore: start };
        ({ removed } = await client.send('DELETE', 'trash', undefined, { query }));
        fill(this.#status, words('files.trash.empty.progress', { count: total + removed }));
      }
      notices.say(words('files.trash.remove.done', { count: total }));
    } catch (error) {
      notices.fail(error);
    }
    this.#cursors = [null];
    await this.load();
  }
}
