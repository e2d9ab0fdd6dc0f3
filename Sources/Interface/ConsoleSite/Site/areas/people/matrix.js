// The permissions of one class as a matrix, with what changes before it is saved.

import { element, fill } from '../../scripts/element.js';
import { finder } from '../../scripts/finder.js';
import { accessText } from './access.js';
import { Audience } from './audience.js';
import { actionButton } from './confirm.js';
import { operations, PermissionEdit } from './permission-edit.js';
import { titleOf } from './titles.js';

export class MatrixPage {
  #className;
  #context;
  #closing = new AbortController();
  #edit = null;
  #audience;
  #boxes = new Map();
  #heading = element('h2', { tabindex: '-1', class: 'people-name' });
  #content = element('div', { class: 'stack' });
  #table = element('div', { class: 'scroll', tabindex: '0', role: 'group' });
  #legend = element('p', { class: 'hint', hidden: true });
  #alert = element('p', { class: 'panel-alert', role: 'alert' });
  #changes = element('div', { class: 'people-changes', role: 'status' });
  #save;
  #undo;

  constructor(place, className, context) {
    this.#className = className;
    this.#context = context;
    this.#audience = new Audience(context, this.#closing.signal);
    const { words } = context;
    const title = titleOf(className, words);
    fill(this.#heading, title === className ? className : [title, ' ', element('code', {}, className)]);
    this.#save = actionButton(context, words('people.matrix.save'), () => this.#send(), 'primary');
    this.#undo = actionButton(context, words('people.matrix.undo'), () => {
      fill(this.#alert);
      this.#edit.undo();
      this.#show();
      this.#heading.focus();
    });
    place.append(this.#heading, this.#content);
    this.#load();
  }

  focus() { this.#heading.focus(); }

  unsaved() { return (this.#edit?.changes.length ?? 0) > 0; }

  close() { this.#closing.abort(); }

  async #load() {
    const { client, words, notices } = this.#context;
    fill(this.#content, element('p', { role: 'status' }, words('loading')));
    try {
      const permissions = await this.#read();
      this.#edit = new PermissionEdit(this.#className, permissions);
      await this.#audience.learn(this.#edit.columns);
      if (this.#closing.signal.aborted) return;
      this.#lay(permissions.defaultACL, client, words);
      this.#show();
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      fill(this.#content, element('p', {}, words('people.failed')));
      notices.fail(error);
    }
  }

  #read() {
    return this.#context.client.get(`permissions/${this.#className}`, {}, { signal: this.#closing.signal });
  }

  #lay(defaultACL, client, words) {
    const add = (className, entryOf) => finder({
      client, className, words, label: words(`people.matrix.add.${className}`),
      onChoose: (object) => this.#addColumn(entryOf(object), object),
    }).node;
    const hint = `people.matrix.note.${this.#className}`;
    this.#table.setAttribute('aria-label', words('people.matrix.label', { className: this.#className }));
    fill(
      this.#content,
      element('p', { class: 'hint' }, words('people.matrix.hint')),
      words(hint) !== hint && element('p', { class: 'hint' }, words(hint)),
      this.#table,
      this.#legend,
      element('details', { class: 'writes' }, element('summary', {}, words('people.matrix.add._Role')),
        add('_Role', ({ name }) => `role:${name}`)),
      element('details', { class: 'writes' }, element('summary', {}, words('people.matrix.add._User')),
        add('_User', ({ id }) => `user:${id}`)),
      element('div', { class: 'people-saving writes' }, this.#changes, this.#alert,
        element('div', { class: 'buttons' }, this.#undo, this.#save)),
      element('p', { class: 'hint' }, words('people.matrix.defaultACL'), ' ', accessText(defaultACL, words)),
    );
  }

  #addColumn(entry, object) {
    this.#audience.note(entry, object);
    this.#edit.addColumn(entry);
    this.#show();
    this.#boxes.get(`get ${entry}`).focus();
  }

  /// Shows the matrix, and what is changed in it.
  #show() {
    const { words } = this.#context;
    this.#boxes.clear();
    const columns = this.#edit.columns;
    fill(this.#table, element('table', { class: 'people-matrix' },
      element('thead', {}, element('tr', {},
        element('th', { scope: 'col' }, words('people.matrix.operation')),
        columns.map((entry) => element('th', { scope: 'col' }, this.#audience.heading(entry))))),
      element('tbody', {}, operations.map((operation) => this.#row(operation, columns)))));
    this.#showChanges();
  }

  #row(operation, columns) {
    return element('tr', {},
      element('th', { scope: 'row' },
        this.#nameOf(operation), element('span', { class: 'hint', dataset: { operation } })),
      columns.map((entry) => this.#cell(operation, entry)));
  }

  #cell(operation, entry) {
    const { words, session } = this.#context;
    const box = element('input', {
      type: 'checkbox', checked: this.#edit.has(operation, entry), disabled: session.readOnly,
      'aria-label': words('people.matrix.box', {
        operation: this.#nameOf(operation), who: this.#audience.title(entry),
      }),
      onchange: () => {
        this.#edit.set(operation, entry, box.checked);
        this.#showChanges();
      },
    });
    this.#boxes.set(`${operation} ${entry}`, box);
    return element('td', {}, element('label', { class: 'target' }, box));
  }

  #showChanges() {
    const { words } = this.#context;
    let hasImplied = false;
    for (const operation of operations) {
      const state = this.#table.querySelector(`[data-operation=${operation}]`);
      fill(state, this.#edit.isClosed(operation) && words('people.matrix.masterOnly'));
      for (const entry of this.#edit.columns) {
        const cell = this.#boxes.get(`${operation} ${entry}`).closest('td');
        const isImplied = this.#edit.isImplied(operation, entry);
        cell.classList.toggle('is-changed', this.#edit.isChanged(operation, entry));
        cell.classList.toggle('is-implied', isImplied);
        hasImplied ||= isImplied;
      }
    }
    this.#legend.hidden = !hasImplied;
    fill(this.#legend, words('people.matrix.implied'));
    const { changes, warnings } = this.#edit;
    this.#save.disabled = this.#undo.disabled = changes.length === 0;
    fill(this.#changes,
      element('p', {}, words('people.matrix.changes', { count: this.#countOf(changes) })),
      changes.length > 0 && element('ul', {}, this.#lines(changes).map((line) => element('li', {}, line))),
      warnings.map((warning) => element('p', { class: warning.isGrave ? 'people-warning is-grave' : 'people-warning' },
        this.#warning(warning))));
  }

  #countOf(changes) {
    return changes.reduce((count, { added, removed }) => count + added.length + removed.length, 0);
  }

  #lines(changes) {
    const { words } = this.#context;
    return changes.flatMap(({ operation, added, removed }) => [['added', added], ['removed', removed]]
      .flatMap(([kind, entries]) => entries.map((entry) => words(`people.matrix.${kind}`, {
        operation: this.#nameOf(operation), who: this.#audience.title(entry),
      }))));
  }

  #warning({ kind, operation }) {
    return this.#context.words(`people.warning.${kind}`, {
      operation: this.#nameOf(operation), className: titleOf(this.#className, this.#context.words),
    });
  }

  /// The name of an operation; those of files and users are called by what they do there.
  #nameOf(operation) {
    const { words } = this.#context;
    const own = `people.operation.${operation}.${this.#className}`;
    return words(own) === own ? words(`people.operation.${operation}`) : words(own);
  }

  async #send() {
    const { client, words, dialogs, notices } = this.#context;
    fill(this.#alert);
    if (this.#edit.rebase(await this.#read())) {
      await this.#audience.learn(this.#edit.columns);
      this.#show();
      fill(this.#alert, words('people.matrix.conflict'));
      return;
    }
    const { changes, warnings, body } = this.#edit;
    if (changes.length === 0) return void this.#show();
    const open = warnings.filter((warning) => warning.kind !== 'closed');
    const isSure = open.length === 0 || await dialogs.ask({
      title: words('people.matrix.ask', { count: this.#countOf(changes) }), danger: true,
      text: [...open.map((warning) => this.#warning(warning)), ...this.#lines(changes)],
      confirm: words('people.matrix.confirm'),
    });
    if (!isSure) return;
    const permissions = await client.send('PUT', `permissions/${this.#className}`, body);
    notices.say(words('people.matrix.saved', { count: this.#countOf(changes), className: this.#className }));
    if (this.#closing.signal.aborted) return;
    // What was changed meanwhile, while the call ran, stays changed.
    this.#edit.rebase(permissions);
    this.#show();
    this.#heading.focus();
  }
}
