// Tries image operations on a file: sliders, the result, and its URL.

import { element, fill, freshID } from '../../scripts/element.js';
import { describe } from '../../scripts/notices.js';
import { bytes } from '../../scripts/words.js';
import { addressOf, operators, unchanged } from './chain.js';
import { copyField } from './clipboard.js';
import { imageBlob } from './thumbnails.js';

const delay = 250;
const fits = ['none', 'inside', 'cover', 'exact'];
const gravities = [
  'Center', 'North', 'South', 'West', 'East', 'NorthWest', 'NorthEast', 'SouthWest', 'SouthEast',
];
const formats = ['', 'jpg', 'png', 'webp', 'gif', 'avif'];
const sliders = {
  width: [0, 2000], height: [0, 2000], rotate: [0, 359], blur: [0, 16], quality: [0, 100], textSize: [8, 200],
};

/// The form of operations for one record.
export class Operations {
  #record;
  #context;
  #signal;
  #settings = { ...unchanged };
  #timer = 0;
  #running = null;
  #image = element('img', { hidden: true });
  #result = element('p', { class: 'files-result', role: 'status' });
  #address;
  #url = null;

  node;

  constructor(record, context, signal) {
    this.#record = record;
    this.#context = context;
    this.#signal = signal;
    this.#image.alt = context.words('files.try.result');
    // A read-only session cannot sign.
    const prepare = context.session.readOnly ? null : () => this.#sign();
    this.#address = copyField(context.words('files.url'), context, prepare);
    this.node = element(
      'div',
      { class: 'files-operations' },
      this.#form(),
      element('div', { class: 'files-result-image' }, this.#image, this.#result, this.#address.node),
    );
    signal.addEventListener('abort', () => this.#stop());
  }

  /// Renders the settings of the form.
  async render() {
    this.#running?.abort();
    const running = new AbortController();
    this.#running = running;
    const { client, words } = this.#context;
    const chain = operators(this.#settings);
    this.#address.set(addressOf(this.#record.url, chain));
    try {
      fill(this.#result, words('loading'));
      const blob = await imageBlob(client, this.#record.objectId, chain || 'imageMogr2/auto-orient', running.signal);
      await this.#show(blob, running.signal);
    } catch (error) {
      if (running.signal.aborted) return;
      this.#image.hidden = true;
      fill(this.#result, describe(error).map((line) => element('span', { class: 'files-error' }, line, ' ')));
    }
  }

  async #show(blob, signal) {
    const url = URL.createObjectURL(blob);
    const image = new Image();
    image.src = url;
    try {
      await image.decode();
    } finally {
      if (signal.aborted) URL.revokeObjectURL(url);
    }
    if (signal.aborted) return;
    if (this.#url) URL.revokeObjectURL(this.#url);
    this.#url = url;
    this.#image.src = url;
    this.#image.hidden = false;
    const { naturalWidth: width, naturalHeight: height } = image;
    fill(this.#result, `${width} × ${height} · ${blob.type.replace('image/', '')} · ${bytes(blob.size)}`);
  }

  /// Private files and restricted images need a signature, which only the server can make. That is a change for the
  /// audit log, so it is made when the URL is copied.
  async #sign() {
    const path = `files/${encodeURIComponent(this.#record.objectId)}/url`;
    const chain = operators(this.#settings);
    const { url } = await this.#context.client.send('POST', path, chain ? { image: chain } : {});
    return url;
  }

  #stop() {
    clearTimeout(this.#timer);
    this.#running?.abort();
    if (this.#url) URL.revokeObjectURL(this.#url);
  }

  #change(name, value) {
    this.#settings[name] = value;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.render(), delay);
  }

  #form() {
    const reset = () => {
      this.#settings = { ...unchanged };
      const fresh = this.#form();
      form.replaceWith(fresh);
      fresh.querySelector('select').focus();
      this.render();
    };
    const { words } = this.#context;
    const form = element(
      'form',
      { class: 'files-sliders', 'aria-label': words('files.try'), onsubmit: (event) => event.preventDefault() },
      this.#choice('fit', fits, (fit) => words(`files.fit.${fit}`)),
      this.#slider('width'),
      this.#slider('height'),
      this.#choice('gravity', gravities, (gravity) => words(`files.gravity.${gravity}`)),
      this.#slider('rotate'),
      this.#slider('blur'),
      this.#check('sharpen'),
      this.#choice('format', formats, (format) => format || words('files.format.same')),
      this.#slider('quality'),
      this.#text(),
      this.#slider('textSize'),
      element('button', { type: 'button', onclick: reset }, words('files.try.reset')),
    );
    return form;
  }

  #labelled(name, make) {
    const id = freshID(name);
    return element('div', { class: 'files-field' },
      element('label', { for: id }, this.#context.words(`files.try.${name}`)), make(id));
  }

  #choice(name, values, label) {
    const options = values.map((value) => element('option', { value }, label(value)));
    return this.#labelled(name, (id) => element('select', {
      id, name, value: this.#settings[name], onchange: (event) => this.#change(name, event.target.value),
    }, options));
  }

  /// A slider, and a number that is typed; 0 means that the operation is left out.
  #slider(name) {
    const [min, max] = sliders[name];
    const value = String(this.#settings[name]);
    const label = this.#context.words('files.try.number', { name: this.#context.words(`files.try.${name}`) });
    return this.#labelled(name, (id) => {
      const set = (event, other) => {
        const number = Math.round(Number(event.target.value));
        if (!Number.isFinite(number) || number < 0) return;
        other.value = String(number);
        this.#change(name, number);
      };
      const range = element('input', { id, name, type: 'range', min, max, step: '1' });
      const number = element('input', { type: 'number', min, 'aria-label': label });
      range.value = number.value = value;
      range.addEventListener('input', (event) => set(event, number));
      number.addEventListener('input', (event) => set(event, range));
      return element('div', { class: 'files-line' }, range, number);
    });
  }

  #check(name) {
    return this.#labelled(name, (id) => element('input', {
      id, name, type: 'checkbox', onchange: (event) => this.#change(name, event.target.checked),
    }));
  }

  #text() {
    return this.#labelled('text', (id) => element('input', {
      id, name: 'text', maxlength: '1000', oninput: (event) => this.#change('text', event.target.value),
    }));
  }
}
