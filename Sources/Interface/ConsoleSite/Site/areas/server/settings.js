// The settings in force.

import { element, fill, freshID } from '../../scripts/element.js';

const columns = ['name', 'value', 'origin'];

/// Shows the settings in an element; returns `{ close(), keys }`.
export function openSettings(place, context) {
  const settings = new Settings(context);
  place.append(...settings.nodes);
  settings.load();
  return { close: () => settings.close(), keys: { '/': () => settings.focus() } };
}

class Settings {
  #context;
  #closing = new AbortController();
  #field;
  #changed;
  #count = element('p', { role: 'status' });
  #lists = element('div');
  #answer = { server: [], app: [] };

  nodes;

  constructor(context) {
    this.#context = context;
    const { words } = context;
    const [field, changed] = [freshID('filter'), freshID('changed')];
    const show = () => this.#show();
    this.#field = element('input', { id: field, type: 'search', autocomplete: 'off', oninput: show });
    this.#changed = element('input', { id: changed, type: 'checkbox', onchange: show });
    this.nodes = [
      element('p', { class: 'hint' }, words('server.settings.hint')),
      element(
        'div',
        { class: 'server-line' },
        element('div', {}, element('label', { for: field }, words('server.settings.filter')), this.#field),
        element('div', {}, this.#changed, ' ', element('label', { for: changed }, words('server.settings.changed'))),
      ),
      this.#count,
      this.#lists,
    ];
  }

  close() {
    this.#closing.abort();
  }

  focus() {
    this.#field.focus();
  }

  async load() {
    const { client, notices } = this.#context;
    try {
      this.#answer = await client.get('server/settings', {}, { signal: this.#closing.signal });
      this.#show();
    } catch (error) {
      notices.fail(error);
    }
  }

  #show() {
    const { words } = this.#context;
    const text = this.#field.value.trim().toLowerCase();
    const isWanted = ({ name, value, isDefault }) => (
      (!this.#changed.checked || !isDefault) && `${name} ${value ?? ''}`.toLowerCase().includes(text)
    );
    const lists = ['app', 'server'].map((list) => [list, this.#answer[list].filter(isWanted)]);
    const count = lists.reduce((sum, [, settings]) => sum + settings.length, 0);
    fill(this.#count, words('server.settings.count', { count }));
    fill(this.#lists, lists.filter(([, settings]) => settings.length > 0).map(([list, settings]) => element(
      'div',
      { class: 'scroll server-part', tabindex: '0', role: 'region', 'aria-label': words(`server.settings.${list}`) },
      element(
        'table',
        {},
        element('caption', {}, words(`server.settings.${list}`)),
        element('thead', {}, element('tr', {}, columns.map((column) => (
          element('th', { scope: 'col' }, words(`server.settings.${column}`))
        )))),
        element('tbody', {}, settings.map((setting) => this.#row(setting))),
      ),
    )));
  }

  #row({ name, value, isDefault }) {
    const { words } = this.#context;
    const shown = value === '(set)' ? words('server.settings.secret') : value;
    return element(
      'tr',
      { class: isDefault ? null : 'server-own' },
      element('th', { scope: 'row' }, element('code', {}, name)),
      element('td', { class: 'long' }, shown === undefined ? '–' : element('code', {}, shown)),
      element('td', {}, words(isDefault ? 'server.settings.default' : 'server.settings.own')),
    );
  }
}
