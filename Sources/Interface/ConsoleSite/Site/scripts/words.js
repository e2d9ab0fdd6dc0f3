// The texts of the page in the language of its reader.

import { en } from '../words/en.js';
import { zh } from '../words/zh.js';

const texts = { en: { ...en }, zh: { ...zh } };
const stored = 'lcfile.console.language';

export const languages = { en: 'English', zh: '简体中文' };

function preferred() {
  const chosen = localStorage.getItem(stored);
  if (chosen !== null && Object.hasOwn(languages, chosen)) return chosen;
  const first = navigator.languages.find((name) => /^(en|zh)\b/i.test(name)) ?? 'en';
  return first.slice(0, 2).toLowerCase();
}

/// The language of the page: `en` or `zh`.
export const language = preferred();
/// The language for Intl, which formats numbers and times.
export const locale = language === 'zh' ? 'zh-CN' : navigator.languages.find((name) => /^en\b/i.test(name)) ?? 'en';

/// Stores another language; the page is loaded again in it.
export function choose(name) {
  localStorage.setItem(stored, name);
  location.reload();
}

/// Adds the texts of an area: `{ en: { 'data.title': 'Data' }, zh: { … } }`.
export function addWords(more) {
  for (const name of Object.keys(texts)) Object.assign(texts[name], more[name]);
}

const plural = new Intl.PluralRules(locale);
const whole = new Intl.NumberFormat(locale);

/// The text of a key, with `{name}` replaced by values; numbers are formatted.
///
/// A text with forms (`{ one: '…', other: '…' }`) has the form of the value `count`. A missing key is shown as it is.
export function words(key, values = {}) {
  let text = texts[language][key] ?? texts.en[key] ?? key;
  if (typeof text === 'object') text = text[plural.select(Number(values.count ?? 0))] ?? text.other;
  return text.replace(/\{(\w+)\}/g, (whole_, name) => {
    const value = values[name];
    if (value === undefined) return whole_;
    return typeof value === 'number' ? whole.format(value) : String(value);
  });
}

const moments = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' });

/// A time for people, in the time zone of the browser.
export function moment(time) {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? String(time) : moments.format(date);
}

/// A number of bytes for people, with units of 1024.
export function bytes(count) {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let value = count;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  const digits = unit === 0 || value >= 100 ? 0 : 1;
  return `${new Intl.NumberFormat(locale, { maximumFractionDigits: digits }).format(value)} ${units[unit]}`;
}
