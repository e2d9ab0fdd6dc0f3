// One image of the review with what is known about it, and the buttons for a verdict.

import { element, fill, freshID } from '../../scripts/element.js';
import { address } from '../../scripts/router.js';
import { bytes, moment } from '../../scripts/words.js';
import { stateOf } from './decisions.js';
import { Picture } from './picture.js';
import { badge, deciderOf, decisionList, scoresOf } from './verdict-words.js';

/// Shows an entry in `node`. `actions`: functions `pass`, `block`, `next`, `undo`.
export class Card {
  #context;
  #picture;
  #title = element('h2', { id: freshID('image') });
  #facts = element('dl', { class: 'censor-facts' });
  #history = element('div', { class: 'censor-history' });
  #note;
  #buttons;
  #loading = new AbortController();

  node;

  constructor(context, actions) {
    this.#context = context;
    const { words, session } = context;
    this.#picture = new Picture(context);
    const button = (name, keys, kind) => element(
      'button', { type: 'button', class: kind, onclick: () => actions[name](), 'aria-keyshortcuts': keys },
      words(`censor.${name}`), element('kbd', { 'aria-hidden': 'true' }, keys),
    );
    this.#buttons = {
      pass: button('pass', 'p', 'censor-pass'), block: button('block', 'b', 'danger'), next: button('next', 'n'),
      undo: button('undo', 'u'),
    };
    const shown = session.readOnly ? [this.#buttons.next] : Object.values(this.#buttons);
    const noteID = freshID('note');
    this.#note = element('input', { id: noteID, maxlength: '300', autocomplete: 'off' });
    const note = [element('label', { for: noteID }, words('censor.note')), this.#note];
    this.node = element(
      'section', { class: 'censor-card', 'aria-labelledby': this.#title.id },
      this.#picture.node,
      element(
        'div', { class: 'censor-side' },
        this.#title,
        element('div', { class: 'censor-buttons' }, shown),
        !session.readOnly && element('div', { class: 'censor-note' }, note),
        this.#facts, element('h3', {}, words('censor.history')), this.#history,
      ),
    );
  }

  get note() {
    return this.#note.value.trim();
  }

  set note(text) {
    this.#note.value = text;
  }

  setUndo(isPossible) {
    this.#buttons.undo.disabled = !isPossible;
  }

  look() {
    this.#picture.toggle();
  }

  async show(entry) {
    const { client, notices, words } = this.#context;
    this.#loading.abort();
    this.#loading = new AbortController();
    const { signal } = this.#loading;
    fill(this.#title, entry.name ?? entry.objectId);
    this.#showFacts(entry);
    this.#picture.show(entry);
    fill(this.#history, element('p', { class: 'hint' }, words('loading')));
    try {
      const { history } = await stateOf(client, entry.objectId, signal);
      if (!signal.aborted) fill(this.#history, decisionList(history, words));
    } catch (error) {
      if (!signal.aborted) notices.fail(error);
    }
  }

  close() {
    this.#loading.abort();
    this.#picture.close();
  }

  #showFacts(entry) {
    const { words } = this.#context;
    const decision = { ...entry, kind: entry.decidedBy };
    const rows = [
      ['verdict', badge(entry.censorResult, words)],
      ['scores', scoresOf(entry)],
      ['reason', entry.reason],
      ['decided', entry.decidedAt && `${moment(entry.decidedAt)} · ${deciderOf(decision, words)}`],
      ['note', entry.note],
      ['uploaded', moment(entry.createdAt)],
      ['type', [entry.mime_type, typeof entry.size === 'number' && bytes(entry.size)].filter(Boolean).join(' · ')],
      ['file', element('a', { href: address('files', 'file', entry.objectId) }, words('censor.file.open'))],
    ];
    fill(this.#facts, rows.filter(([, value]) => value)
      .map(([name, value]) => [element('dt', {}, words(`censor.fact.${name}`)), element('dd', {}, value)]));
  }
}
