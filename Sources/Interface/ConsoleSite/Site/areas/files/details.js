// The dialog with everything about one file.

import { element, fill } from '../../scripts/element.js';
import { bytes, moment } from '../../scripts/words.js';
import { Picture } from '../censorship/picture.js';
import { VerdictPanel } from '../censorship/verdict-panel.js';
import { copyField } from './clipboard.js';
import { deleteFiles } from './deletion.js';
import { canBeCensored, isRendered, sizeOf } from './kinds.js';
import { MetadataForm } from './metadata.js';
import { Operations } from './operations.js';
import { showPreview } from './preview.js';
import { addressOfObject, References } from './references-list.js';

/// Opens the dialog of a file. `options`: `{ onclose(), onchange() }`; `onchange` after a change or the deletion.
export class Details {
  #id;
  #context;
  #options;
  #closing = new AbortController();
  #content = element('div', { class: 'files-details' });
  #dialog;
  #form = null;
  #picture = null;

  constructor(id, context, options) {
    this.#id = id;
    this.#context = context;
    this.#options = options;
    const { words } = context;
    const close = element('button', { type: 'button', onclick: () => this.#askToClose() }, words('close'));
    this.#dialog = context.dialogs.openDialog({
      title: words('files.details'), content: [this.#content], buttons: [close], wide: true,
      onclose: () => {
        this.#closing.abort();
        this.#picture?.close();
        options.onclose();
      },
    });
    this.#dialog.node.classList.add('files-dialog');
    this.#dialog.node.addEventListener('cancel', (event) => {
      if (!this.unsaved()) return;
      event.preventDefault();
      this.#askToClose();
    });
    close.focus();
    this.#load();
  }

  get id() {
    return this.#id;
  }

  /// Whether something typed would be lost.
  unsaved() {
    return this.#form?.isChanged ?? false;
  }

  close() {
    this.#dialog.close();
  }

  async #askToClose() {
    const { words, dialogs } = this.#context;
    const ask = () => dialogs.ask({
      title: words('unsaved.title'), text: words('unsaved.text'), confirm: words('unsaved.leave'), danger: true,
    });
    if (!this.unsaved() || (await ask())) this.close();
  }

  async #load() {
    const { client, words, notices } = this.#context;
    fill(this.#content, element('p', { role: 'status' }, words('loading')));
    try {
      const query = { returnACL: 'true' };
      const path = `files/${encodeURIComponent(this.#id)}`;
      const record = await client.get(path, query, { signal: this.#closing.signal });
      if (!this.#closing.signal.aborted) this.#show(record);
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      if (error.status === 404) {
        fill(this.#content, element('p', {}, words('files.gone')));
      } else {
        notices.fail(error);
        this.close();
      }
    }
  }

  #show(record) {
    const { words, session } = this.#context;
    const preview = element('div', { class: 'files-preview' });
    fill(this.#dialog.node.querySelector('h2'), record.name ?? record.objectId);
    this.#form = new MetadataForm(record, this.#context, () => this.#options.onchange());
    const url = copyField(words('files.url'), this.#context);
    url.set(record.url ?? '');
    let wasBlocked = record.censorResult === 'rejected';
    const onverdict = (state) => {
      const isBlocked = state.censorResult === 'rejected';
      const isChange = isBlocked !== wasBlocked;
      wasBlocked = isBlocked;
      if (isChange || (isBlocked && !this.#picture)) this.#showPreview(preview, record, state);
      if (isChange) this.#options.onchange();
    };
    const verdict = canBeCensored(record)
      && new VerdictPanel(record.objectId, this.#context, this.#closing.signal, onverdict);
    fill(
      this.#content,
      element(
        'div',
        { class: 'files-columns' },
        preview,
        element('div', {}, verdict && verdict.node, this.#facts(record), url.node, this.#actions(record)),
      ),
      isRendered(record) && this.#section('files.try', () => {
        const operations = new Operations(record, this.#context, this.#closing.signal);
        operations.render();
        return operations.node;
      }),
      this.#section('files.references', () => new References(record, this.#context, this.#closing.signal).node),
      this.#section('files.metadata', () => this.#form.node, !session.readOnly),
    );
    this.#showPreview(preview, record);
  }

  /// Shows the file; a blocked image, which has no preview, as reviewers see it.
  #showPreview(place, record, state = record) {
    this.#picture?.close();
    this.#picture = null;
    if (state.censorResult !== 'rejected') {
      showPreview(place, record, this.#context, this.#closing.signal);
    } else if (state.thumbnailURL) {
      this.#picture = new Picture(this.#context);
      fill(place, this.#picture.node);
      this.#picture.show({ ...state, name: record.name });
    }
  }

  /// A part that is made when it is opened for the first time.
  #section(title, make) {
    const node = element('details', { class: 'files-section' }, element('summary', {}, this.#context.words(title)));
    node.addEventListener('toggle', () => {
      if (node.open && node.childElementCount === 1) node.append(make());
    });
    return node;
  }

  #facts(record) {
    const { words } = this.#context;
    const size = sizeOf(record);
    const owner = record.metaData?.owner;
    const checksum = record.metaData?._checksum;
    const isUser = typeof owner === 'string' && /^[0-9A-Za-z]{10,64}$/.test(owner);
    const rows = [
      ['files.fact.type', record.mime_type],
      ['files.fact.size', size === null ? null : words('files.fact.bytes', { text: bytes(size), count: size })],
      ['files.fact.created', moment(record.createdAt)],
      ['files.fact.updated', record.updatedAt === record.createdAt ? null : moment(record.updatedAt)],
      ['files.fact.owner', isUser ? element('a', { href: addressOfObject('_User', owner) }, owner) : owner],
      ['files.fact.key', record.key && element('code', {}, record.key)],
      ['files.fact.id', element('code', {}, record.objectId)],
      ['files.fact.checksum', typeof checksum === 'string' ? element('code', {}, checksum) : checksum],
      ['files.fact.acl', record.ACL && element('code', {}, JSON.stringify(record.ACL))],
    ];
    const shown = (value) => (typeof value === 'object' && !(value instanceof Node) ? JSON.stringify(value) : value);
    return element('dl', { class: 'files-facts-list' }, rows
      .filter(([, value]) => value !== null && value !== undefined && value !== '')
      .map(([key, value]) => [element('dt', {}, words(key)), element('dd', {}, shown(value))]));
  }

  #actions(record) {
    const { words, session } = this.#context;
    const remove = async () => {
      try {
        if (!(await deleteFiles([record], this.#context))) return;
        this.#form = null;
        this.#options.onchange();
        this.close();
      } catch (error) {
        this.#context.notices.fail(error);
      }
    };
    const separator = record.url?.includes('?') ? '&' : '?';
    const name = encodeURIComponent(record.name ?? '');
    const href = record.key ? `${record.url}${separator}attname=${name}` : record.url;
    const link = element('a', { href, target: '_blank', rel: 'noopener noreferrer' }, words('files.download'));
    const button = element('button', { type: 'button', class: 'danger', onclick: remove }, words('files.delete'));
    return element('p', { class: 'files-actions' }, record.url && link, !session.readOnly && button);
  }
}
