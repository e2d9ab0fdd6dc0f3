// The first steps in an empty app: a class, a photo, an SDK. Address: #/first-steps

import { element, fill, freshID } from '../../scripts/element.js';
import { describe } from '../../scripts/notices.js';
import { refresh } from '../../scripts/refresh.js';
import { address } from '../../scripts/router.js';
import { Connection } from './connection.js';
import { readState } from './state.js';
import { step } from './step.js';
import { Upload } from './upload.js';
import { firstStepsWords } from './words.js';

/// An SDK changes the state without this page, which reads it again after so many seconds.
const seconds = 3;
const shownClasses = 5;

export const area = {
  name: 'first-steps',
  title: 'first.title',
  words: firstStepsWords,
  open(place, path, context) {
    const steps = new FirstSteps(place, context);
    steps.start();
    return steps;
  },
};

class FirstSteps {
  #context;
  #closing = new AbortController();
  #refresh = null;
  #class;
  #photo;
  #sdk;
  #upload = null;
  #connection;
  #status = element('p', { role: 'status', class: 'hint' });

  constructor(place, context) {
    this.#context = context;
    const { words, session } = context;
    if (!session.readOnly) this.#upload = new Upload(context, () => this.update());
    this.#connection = new Connection(context, this.#closing.signal);
    const readOnly = element('p', { class: 'hint' }, words('first.readOnly'));
    this.#class = step(1, 'class', words, session.readOnly ? null : this.#classForm());
    this.#photo = step(2, 'photo', words, this.#upload?.node);
    this.#sdk = step(3, 'sdk', words, this.#connection.node);
    place.append(
      element('p', {}, words('first.intro')), session.readOnly ? readOnly : '', this.#status,
      element('ol', { class: 'first-steps' }, this.#class.node, this.#photo.node, this.#sdk.node),
    );
  }

  close() {
    this.#refresh?.close();
    this.#closing.abort();
    this.#upload?.close();
  }

  /// Reads the state now, and again and again while the page is seen and used.
  start() {
    this.#refresh = refresh(() => this.#load(), seconds, this.#context.notices.fail);
  }

  /// Reads the state after a step was done here.
  async update() {
    try {
      await this.#load();
    } catch (error) {
      if (!this.#closing.signal.aborted) this.#context.notices.fail(error);
    }
  }

  async #load() {
    this.#show(await readState(this.#context.client, this.#closing.signal));
  }

  #show({ classes, files, samples }) {
    const { words } = this.#context;
    this.#class.setDone(classes.length > 0, classes.slice(0, shownClasses).map((name) => (
      { href: address('data', 'class', name), text: words('first.class.open', { name }) })));
    const filesLink = { href: address('files'), text: words('first.photo.open', { count: files }) };
    this.#photo.setDone(files > 0, files > 0 ? [filesLink] : []);
    this.#sdk.setDone(samples > 0);
    const count = [classes.length, files, samples].filter((each) => each > 0).length;
    const text = words('first.count', { count });
    if (this.#status.textContent !== text) fill(this.#status, text);
  }

  #classForm() {
    const { client, words, notices } = this.#context;
    const id = freshID('class');
    const alert = element('p', { class: 'form-error', role: 'alert' });
    const name = element('input', {
      id, name: 'class', required: true, autocomplete: 'off', spellcheck: 'false', placeholder: 'Note',
      pattern: '[A-Za-z][A-Za-z0-9_]*', title: words('data.invalid.className'), maxlength: '128',
    });
    const button = element('button', { class: 'primary' }, words('first.class.create'));
    const submit = async (event) => {
      event.preventDefault();
      if (button.disabled) return;
      button.disabled = true;
      fill(alert);
      try {
        // The call that sets the permissions of a class creates it; with no member it changes nothing else.
        await client.send('PUT', `permissions/${encodeURIComponent(name.value.trim())}`, {});
        notices.say(words('first.class.created', { name: name.value.trim() }));
        name.value = '';
        await this.update();
      } catch (error) {
        fill(alert, describe(error).map((line) => element('span', {}, line, ' ')));
      } finally {
        button.disabled = false;
      }
    };
    return element('form', { class: 'first-form', onsubmit: submit },
      element('label', { for: id }, words('first.class.name')), name, button, alert);
  }
}
