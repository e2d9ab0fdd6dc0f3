// Figures for people.

import { bytes, locale } from '../../scripts/words.js';

const figures = new Intl.NumberFormat(locale, { maximumSignificantDigits: 3 });
const whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });

export const number = (value) => (Math.abs(value) >= 100 ? whole.format(value) : figures.format(value));
export const share = (value) => percent.format(value);
export const size = (value) => bytes(Math.round(value));
export const rate = (value) => `${size(value)}/s`;

/// A duration in seconds: milliseconds, seconds, or larger units.
export function duration(seconds) {
  const unit = (value, name) => new Intl.NumberFormat(locale, {
    style: 'unit', unit: name, unitDisplay: 'short', maximumSignificantDigits: 3,
  }).format(value);
  if (seconds < 1) return unit(seconds * 1000, 'millisecond');
  if (seconds < 120) return unit(seconds, 'second');
  if (seconds < 7200) return unit(seconds / 60, 'minute');
  return seconds < 172_800 ? unit(seconds / 3600, 'hour') : unit(seconds / 86_400, 'day');
}
