// The lines of the third step, for the SDK that the reader chooses.

import { codeBlock } from '../../scripts/code-block.js';
import { element, fill } from '../../scripts/element.js';
import { sdks } from './lines.js';

/// Shows the lines in `node`; `signal` ends the request for the keys.
export class Connection {
  #context;
  #signal;
  #buttons = new Map();
  #lines = element('div');
  #notes = element('div');
  #chosen = 'JavaScript';
  #app;

  node;

  constructor(context, signal) {
    this.#context = context;
    this.#signal = signal;
    const { words, session } = context;
    this.#app = { id: session.app, key: words('first.sdk.key'), server: location.origin };
    for (const name of Object.keys(sdks)) {
      const choose = () => this.#choose(name);
      this.#buttons.set(name, element('button', { type: 'button', onclick: choose }, name));
    }
    this.node = element(
      'div', {},
      element('div', { class: 'first-sdks', role: 'group', 'aria-label': words('first.sdk.choose') }, [
        ...this.#buttons.values(),
      ]),
      this.#notes, this.#lines,
    );
    this.#choose(this.#chosen);
    this.#load();
  }

  async #load() {
    const { client, words, session, notices } = this.#context;
    if (session.readOnly) {
      // The app key permits changes, so a session that only reads does not get it.
      fill(this.#notes, element('p', { class: 'hint' }, words('first.sdk.noKey')));
      return;
    }
    try {
      const { appId, appKey, serverURL } = await client.get('app', {}, { signal: this.#signal });
      this.#app = { id: appId, key: appKey, server: serverURL };
      if (serverURL !== location.origin) {
        const text = words('first.sdk.url', { url: serverURL, here: location.origin });
        fill(this.#notes, element('p', { class: 'hint' }, text));
      }
      this.#choose(this.#chosen);
    } catch (error) {
      if (!this.#signal.aborted) notices.fail(error);
    }
  }

  #choose(name) {
    const { words } = this.#context;
    this.#chosen = name;
    for (const [each, button] of this.#buttons) button.setAttribute('aria-pressed', String(each === name));
    const { install, code } = sdks[name](this.#app);
    fill(this.#lines, codeBlock(words('first.sdk.install'), install, this.#context),
      codeBlock(words('first.sdk.code'), code, this.#context),
      element('p', { class: 'hint' }, words(name === 'Valine' ? 'first.sdk.valine' : 'first.sdk.seen')));
  }
}
