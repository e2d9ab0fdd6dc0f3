// The grid of files with its filter, the selection, uploads and the dialog of one file.

import { element, fill } from '../../scripts/element.js';
import { deleteFiles } from './deletion.js';
import { Details } from './details.js';
import { Filter } from './filter.js';
import { Grid } from './grid.js';
import { FileList } from './list.js';
import { queueOf } from './queue.js';
import { Thumbnails } from './thumbnails.js';
import { UploadPanel } from './upload-panel.js';
import { acceptDrops } from './drop.js';

// After many uploads in a row the grid is loaded once.
const rest = 300;

/// An id that cannot become another path of the API: addresses come from links, also those of other sites.
const objectID = /^[0-9A-Za-z]{1,64}$/;

export class Browser {
  #context;
  #filter;
  #thumbnails;
  #grid;
  #list = null;
  #details = null;
  #queue;
  #panel;
  #input;
  #count = element('span', { role: 'status', class: 'files-count' });
  #selection = element('div', { class: 'files-selection', hidden: true });
  #selected = element('span', { role: 'status' });
  #new = element('button', { type: 'button', hidden: true });
  #reload = () => {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#uploaded(), rest);
  };
  #keys = (event) => this.#key(event);
  #drops;
  #failed = false;
  #timer = 0;

  constructor(place, context) {
    this.#context = context;
    const { client, words, session } = context;
    this.#thumbnails = new Thumbnails(client);
    this.#filter = new Filter(words, () => this.#show(), () => context.go('files'));
    this.#grid = new Grid({
      words, thumbnails: this.#thumbnails, label: words('files.grid'),
      onopen: (record) => context.go('files', 'file', record.objectId),
      onselect: () => this.#selectionChanged(), ondelete: () => this.#delete(),
    });
    this.#queue = queueOf(client, session.app);
    this.#panel = new UploadPanel(this.#queue, context);
    this.#makeSelection();
    this.#new.addEventListener('click', () => this.#show());
    fill(this.#new, words('files.new'));
    place.append(
      element('div', { class: 'files-tools' }, this.#filter.node, !session.readOnly && this.#uploadButton()),
      element('div', { class: 'files-line files-state' }, this.#count, this.#new, this.#selection),
      this.#panel.node,
      this.#grid.node,
      !session.readOnly && element('p', { class: 'hint' }, words('files.drop')),
    );
    if (!session.readOnly) {
      const onfolders = () => context.notices.say(words('files.folders'));
      this.#drops = acceptDrops(place, (files) => this.#add(files), onfolders);
      this.#queue.restore().catch(context.notices.fail);
    }
    this.#queue.addEventListener('finished', this.#reload);
    document.addEventListener('keydown', this.#keys);
  }

  /// Shows the grid, or the dialog of a file over it.
  move(path) {
    const id = path[0] === 'file' && objectID.test(path[1] ?? '') ? path[1] : undefined;
    const owner = path[0] === 'owner' && objectID.test(path[1] ?? '') ? path[1] : null;
    const type = (path[0] === 'type' && path[1]) || null;
    const isOther = owner !== this.#filter.owner || type !== this.#filter.type;
    if (!id && isOther) this.#filter.restrict(owner, type);
    else if (!this.#list) this.#show();
    if (this.#details && this.#details.id !== id) this.#details.close();
    if (id && !this.#details) this.#open(id);
  }

  unsaved() {
    return this.#details?.unsaved() ?? false;
  }

  close() {
    clearTimeout(this.#timer);
    this.#details?.close();
    this.#queue.removeEventListener('finished', this.#reload);
    document.removeEventListener('keydown', this.#keys);
    this.#drops?.close();
    this.#list?.close();
    this.#grid.close();
    this.#panel.close();
    this.#thumbnails.close();
  }

  #uploadButton() {
    const { words } = this.#context;
    this.#input = element('input', {
      type: 'file', multiple: true, class: 'files-input', tabindex: '-1', 'aria-hidden': 'true',
    });
    this.#input.addEventListener('change', () => {
      this.#add([...this.#input.files]);
      this.#input.value = '';
    });
    const choose = () => this.#input.click();
    const button = element('button', { type: 'button', class: 'primary', onclick: choose }, words('files.upload'));
    return element('span', {}, this.#input, button);
  }

  #add(files) {
    this.#queue.add(files).catch(this.#context.notices.fail);
  }

  #show() {
    this.#list?.close();
    this.#failed = false;
    this.#new.hidden = true;
    const { words, notices } = this.#context;
    fill(this.#count, words('loading'));
    const list = new FileList(this.#context.client, this.#filter.value, {
      onchange: () => {
        if (list !== this.#list) return;
        this.#grid.update();
        const isNone = list.count === 0 && !this.#filter.isEmpty;
        fill(this.#count, words(isNone ? 'files.none' : 'files.count', { count: list.count }));
      },
      onfail: (error) => {
        if (list !== this.#list || this.#failed) return;
        // One message for all pages that fail for the same reason.
        this.#failed = true;
        if (list.count === null) fill(this.#count, words('files.failed'));
        notices.fail(error);
      },
    });
    this.#list = list;
    this.#grid.show(list);
  }

  /// A finished upload is shown at once at the beginning of the grid; elsewhere the tiles would move under the reader.
  #uploaded() {
    if (this.#grid.node.scrollTop === 0 && this.#grid.selected.size === 0 && !this.#details) this.#show();
    else this.#new.hidden = false;
  }

  /// Loads what is in view again, after a change here.
  #refresh() {
    this.#grid.select([]);
    this.#failed = false;
    this.#list?.refresh();
  }

  #open(id) {
    this.#details = new Details(id, this.#context, {
      onchange: () => this.#refresh(),
      onclose: () => {
        this.#details = null;
        // The address can be that of another view already.
        if (location.hash.startsWith('#/files/file/')) this.#context.replace('files', ...this.#filter.path);
        this.#grid.node.focus({ preventScroll: true });
      },
    });
  }

  #makeSelection() {
    const { words, session } = this.#context;
    const button = (key, onclick, kind) => element('button', { type: 'button', class: kind, onclick }, words(key));
    const clear = button('files.select.none', () => this.#grid.select([]));
    const remove = button('files.delete', () => this.#delete(), 'danger');
    this.#selection.append(this.#selected, clear, ...(session.readOnly ? [] : [remove]));
  }

  #selectionChanged() {
    const count = this.#grid.selected.size;
    this.#selection.hidden = count === 0;
    fill(this.#selected, this.#context.words('files.selected', { count }));
  }

  async #delete() {
    if (this.#context.session.readOnly) return;
    const { words, notices } = this.#context;
    const records = [...this.#grid.selected.values()];
    try {
      const progress = (count) => {
        fill(this.#selected, words('files.delete.progress', { count, total: records.length }));
      };
      if (await deleteFiles(records, this.#context, progress)) this.#refresh();
    } catch (error) {
      notices.fail(error);
    }
    this.#grid.node.focus({ preventScroll: true });
  }

  #key(event) {
    const isTyping = event.target.closest?.('input, textarea, select, dialog');
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
    if (event.key === '/') this.#filter.focus();
    else if (event.key === 'u' && this.#input) this.#input.click();
    else return;
    event.preventDefault();
  }
}
