// The review: one image after the other, by keyboard, with verdicts that can be undone.

import { element, fill, freshID } from '../../scripts/element.js';
import { address } from '../../scripts/router.js';
import { Card } from './card.js';
import { decide, Overtaken, undo } from './decisions.js';
import { ReviewItems } from './review-items.js';
import { ReviewList } from './review-list.js';

export const verdicts = ['review', 'rejected', 'passed', 'pending'];
/// So many entries before the last one that is loaded, the next page is read.
const ahead = 10;

function nameOf({ name, objectId }) {
  return name ?? objectId;
}

export class Review {
  #context;
  #list = null;
  #current = null;
  #shown = null;
  #total = null;
  #undos = [];
  /// The last call about each file, by id.
  #calls = new Map();
  /// The times of the decisions that these calls made, by id.
  #times = new Map();
  /// The id of the image whose note is in the field.
  #noted = null;
  /// The notes that are typed and not sent of the other images, by id.
  #notes = new Map();
  #card;
  #items;
  #choice;
  #state = element('p', { class: 'censor-state', role: 'status' });
  #more;
  #keys = (event) => this.#key(event);

  constructor(place, context) {
    this.#context = context;
    const { words } = context;
    this.#card = new Card(context, {
      pass: () => this.#decide('passed'), block: () => this.#decide('rejected'), next: () => this.#step(1),
      undo: () => this.#undo(),
    });
    this.#card.setUndo(false);
    // Without an image there is nothing that a note could be about.
    this.#card.node.hidden = true;
    this.#items = new ReviewItems(context, (id) => this.#choose(id));
    const id = freshID('verdict');
    this.#choice = element(
      'select', { id, onchange: () => this.#go() },
      verdicts.map((name) => element('option', { value: name }, words(`censor.list.${name}`))),
    );
    const refresh = element('button', { type: 'button', onclick: () => this.#begin() }, words('censor.refresh'));
    this.#more = element('button', { type: 'button', hidden: true, onclick: () => this.#load() }, words('more'));
    place.append(
      element(
        'div', { class: 'censor-tools' }, element('label', { for: id }, words('censor.show')), this.#choice, refresh,
        element('a', { href: address('files') }, words('censor.find')),
      ),
      this.#state,
      element('div', { class: 'censor-review' }, element('div', { class: 'censor-list' }, this.#items.node, this.#more),
        this.#card.node),
    );
    document.addEventListener('keydown', this.#keys);
  }

  move(verdict) {
    this.#choice.value = verdict;
    if (this.#list?.verdict !== verdict) this.#begin();
  }

  unsaved() {
    return this.#card.note !== '' || this.#notes.size > 0;
  }

  settingsChanged() {
    this.#begin();
  }

  close() {
    document.removeEventListener('keydown', this.#keys);
    this.#list?.close();
    this.#items.close();
    this.#card.close();
  }

  #go() {
    const { go } = this.#context;
    if (this.#choice.value === 'review') go('censorship');
    else go('censorship', 'list', this.#choice.value);
  }

  #begin() {
    const { client, words } = this.#context;
    this.#list?.close();
    this.#current = this.#shown = this.#total = null;
    this.#items.say(words('loading'));
    const list = new ReviewList(client, this.#choice.value, () => list === this.#list && this.#draw());
    this.#list = list;
    this.#load();
    this.#count(list);
  }

  async #load() {
    const list = this.#list;
    try {
      await list.more();
    } catch (error) {
      if (list === this.#list) this.#context.notices.fail(error);
    }
  }

  async #count(list) {
    try {
      const query = { where: { censorResult: list.verdict }, limit: '0', count: '1' };
      const { count } = await this.#context.client.get('files', query);
      if (list !== this.#list) return;
      this.#total = count;
      this.#draw();
    } catch (error) {
      if (list === this.#list) this.#context.notices.fail(error);
    }
  }

  get #index() {
    return this.#list.entries.indexOf(this.#current);
  }

  #draw() {
    const { words } = this.#context;
    const { entries, hasMore } = this.#list;
    if (!entries.includes(this.#current)) this.#current = entries[0] ?? null;
    if (entries.length > 0) this.#items.show(entries, this.#current);
    else this.#items.say(words(hasMore ? 'loading' : `censor.none.${this.#list.verdict}`));
    this.#more.hidden = !hasMore || entries.length === 0;
    this.#card.node.hidden = this.#current === null;
    this.#card.setUndo(this.#undos.length > 0);
    const values = { count: this.#total ?? entries.length, position: this.#index + 1, name: this.#current?.name ?? '' };
    const text = words(this.#current ? 'censor.position' : `censor.none.${this.#list.verdict}`, values);
    if (this.#state.textContent !== text) fill(this.#state, text);
    if (this.#current && this.#current !== this.#shown) this.#card.show(this.#current);
    this.#shown = this.#current;
    this.#showNote();
    if (hasMore && this.#index + ahead >= entries.length) this.#load();
  }

  /// Shows the note of the image in view: one that is typed must not become the note of another image.
  #showNote() {
    const id = this.#current?.objectId ?? null;
    if (id === this.#noted) return;
    if (this.#card.note !== '') this.#notes.set(this.#noted, this.#card.note);
    this.#card.note = this.#notes.get(id) ?? '';
    this.#notes.delete(id);
    this.#noted = id;
  }

  /// Gives an image back the note of a verdict that did not arrive; one that was typed since then stays.
  #returnNote(id, note) {
    if (note === '') return;
    if (id !== this.#noted) this.#notes.set(id, this.#notes.get(id) ?? note);
    else if (this.#card.note === '') this.#card.note = note;
  }

  #choose(id) {
    this.#current = this.#list.entries.find(({ objectId }) => objectId === id) ?? this.#current;
    this.#draw();
  }

  #step(count) {
    const { entries } = this.#list;
    const next = entries[this.#index + count];
    if (!next) return;
    this.#current = next;
    this.#draw();
  }

  /// Sends a verdict and shows the next image at once; if the server refuses it, the image comes back.
  async #decide(verdict) {
    const { client, notices, session } = this.#context;
    const [entry, list, index, { note }] = [this.#current, this.#list, this.#index, this.#card];
    if (!entry || session.readOnly) return;
    const { objectId: id, decidedAt: seen } = entry;
    const call = this.#call(id, (time) => decide(client, id, [seen, time ?? seen], verdict, note));
    const done = { entry, before: { ...entry }, list, index, call };
    this.#undos.push(done);
    this.#card.note = '';
    const next = list.entries[index + 1];
    if (verdict === list.verdict) {
      // It stays in the list.
      Object.assign(entry, { decidedBy: 'person', by: 'console', note, checker: null, reason: null });
      this.#current = next ?? entry;
      this.#shown = null;
      this.#draw();
    } else {
      this.#current = next ?? list.entries[index - 1] ?? null;
      this.#total = Math.max(0, (this.#total ?? 1) - 1);
      list.remove(entry);
    }
    try {
      await call;
    } catch (error) {
      this.#undos = this.#undos.filter((other) => other !== done);
      // A file that is gone stays out of the list.
      if (error.status === 404) this.#draw();
      else {
        if (error instanceof Overtaken) this.#showOvertaken(done, error.state);
        else this.#comeBack(done);
        this.#returnNote(id, note);
      }
      if (!(error instanceof Overtaken)) notices.fail(error);
    }
  }

  async #undo() {
    const { client, notices, words } = this.#context;
    const done = this.#undos.pop();
    if (!done) return;
    this.#card.setUndo(this.#undos.length > 0);
    try {
      await done.call;
      const { decidedAt } = await this.#call(done.entry.objectId, (time) => undo(client, done.before, time));
      done.before.decidedAt = decidedAt;
      this.#comeBack(done);
      notices.say(words('censor.undone', { name: nameOf(done.entry) }));
    } catch (error) {
      if (error instanceof Overtaken) notices.say(words('censor.undo.overtaken', { name: nameOf(done.entry) }));
      else notices.fail(error);
    }
  }

  /// Makes a call about a file after the earlier ones, with the time of the decision that they made.
  #call(id, run) {
    const earlier = this.#calls.get(id);
    const call = (async () => {
      await earlier?.catch(() => {});
      const state = await run(this.#times.get(id));
      this.#times.set(id, state.decidedAt);
      return state;
    })();
    this.#calls.set(id, call);
    return call;
  }

  /// Shows the decision of another reviewer or of a checker in place of the one that the reader saw.
  ///
  /// The image that is in view stays: a key could be on its way to it.
  #showOvertaken({ entry, before, list, index }, { history, ...state }) {
    const { notices, words } = this.#context;
    notices.say(words('censor.overtaken', {
      name: nameOf(before), verdict: words(`censor.verdict.${state.censorResult ?? 'none'}`),
    }));
    const { name, mime_type, size, createdAt } = before;
    this.#replace(entry, { name, mime_type, size, createdAt, ...state });
    if (list !== this.#list) {
      this.#count(this.#list);
      return;
    }
    if (!list.entries.includes(entry)) this.#total = (this.#total ?? 0) + 1;
    if (this.#current === entry) this.#shown = null;
    list.restore(entry, index);
  }

  #replace(entry, members) {
    for (const name of Object.keys(entry)) delete entry[name];
    Object.assign(entry, members);
  }

  /// Shows an image again whose verdict is that of before.
  #comeBack({ entry, before, list, index }) {
    if (list !== this.#list) {
      this.#count(this.#list);
      return;
    }
    if (!list.entries.includes(entry)) this.#total = (this.#total ?? 0) + 1;
    this.#replace(entry, before);
    this.#current = entry;
    this.#shown = null;
    list.restore(entry, index);
  }

  #key(event) {
    const isTyping = event.target.closest?.('input, textarea, select, dialog');
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
    const keys = {
      v: () => this.#card.look(), p: () => this.#decide('passed'), b: () => this.#decide('rejected'),
      n: () => this.#step(event.shiftKey ? -1 : 1), u: () => this.#undo(),
    };
    const key = event.key.toLowerCase();
    const run = keys[key];
    if (!run || !this.#current && key !== 'u') return;
    // A key that is held down repeats; a verdict is about one image that was seen.
    if (event.repeat && key !== 'n') return;
    event.preventDefault();
    run();
  }
}
