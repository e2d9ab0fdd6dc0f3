// What of censorship is switched off, and how to switch it on.

import { codeBlock } from '../../scripts/code-block.js';
import { element, fill } from '../../scripts/element.js';

const configuration = `censorship:
  model: models/open-nsfw.onnx`;

/// Shows the state in `node`; `onchange()` is called after a change of the settings.
export class Status {
  #context;
  #onchange;
  #closing = new AbortController();

  node = element('div', { class: 'censor-status' });

  constructor(context, onchange) {
    this.#context = context;
    this.#onchange = onchange;
  }

  close() {
    this.#closing.abort();
  }

  async load() {
    const { client, notices } = this.#context;
    try {
      const status = await client.get('censorship/status', {}, { signal: this.#closing.signal });
      fill(this.node, this.#classifier(status), this.#automatic(status), this.#counts(status));
    } catch (error) {
      if (!this.#closing.signal.aborted) notices.fail(error);
    }
  }

  #classifier({ classifier, webhook }) {
    if (classifier.available) return null;
    const { words } = this.#context;
    const block = (key, text) => codeBlock(words(key), text, this.#context);
    return element(
      'details', { class: 'censor-callout', open: !webhook },
      element('summary', {}, words('censor.classifier.off')),
      element('p', {}, words(webhook ? 'censor.classifier.webhook' : 'censor.classifier.meaning')),
      classifier.reason && element('p', { class: 'hint' }, words('censor.classifier.reason', classifier)),
      element(
        'ol', {},
        element('li', {}, block('censor.classifier.fetch', 'make model')),
        element('li', {}, block('censor.classifier.configure', configuration)),
        element('li', {}, words('censor.classifier.restart')),
      ),
    );
  }

  #automatic({ auto }) {
    if (auto) return null;
    const { words, session } = this.#context;
    const button = element(
      'button', { type: 'button', class: 'primary', onclick: () => this.#switchOn(button) }, words('censor.auto.on'),
    );
    return element(
      'div', { class: 'censor-callout' },
      element('p', {}, words('censor.auto.off')), !session.readOnly && element('p', {}, button),
    );
  }

  #counts({ waiting, known }) {
    const { words } = this.#context;
    const count = waiting.new + waiting.bulk;
    const lines = [];
    if (count > 0) lines.push(words('censor.waiting', { count }));
    if (known > 0) lines.push(words('censor.known', { count: known }));
    return lines.length > 0 && element('p', { class: 'hint' }, lines.join(' '));
  }

  async #switchOn(button) {
    const { client, words, notices } = this.#context;
    button.disabled = true;
    try {
      await client.send('PUT', 'censorship/settings', { auto: true, by: 'console' });
      notices.say(words('censor.auto.done'));
      this.#onchange();
      await this.load();
    } catch (error) {
      notices.fail(error);
      button.disabled = false;
    }
  }
}
