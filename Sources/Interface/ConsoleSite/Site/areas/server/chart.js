// Small charts of one series: a line, and beside it in words the present, the least and the greatest value.

import { drawing, element, fill } from '../../scripts/element.js';

const width = 240;
const height = 48;
const hour = 3_600_000;
/// A longer time between two samples is a gap: the server did not run, or the machine slept.
const gap = 30_000;

/// The lines of a series: a list of points for each part without a gap.
export function segments(times, values, now, greatest) {
  const parts = [];
  let part = null;
  let last = 0;
  const scale = greatest > 0 ? (height - 2) / greatest : 0;
  for (const [index, value] of values.entries()) {
    const time = times[index];
    if (value === null) {
      part = null;
      continue;
    }
    if (!part || time - last > gap) {
      part = [];
      parts.push(part);
    }
    const x = Math.max(0, width * (1 - (now - time) / hour));
    part.push(`${x.toFixed(1)},${(height - 1 - value * scale).toFixed(1)}`);
    last = time;
  }
  return parts;
}

export class Chart {
  #words;
  #title;
  #format;
  #picture = drawing('svg', { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', role: 'img' });
  #now = element('strong');
  #range = element('span', { class: 'hint' });

  node;

  /// `format(value)` is the value for people.
  constructor(title, format, words) {
    this.#title = title;
    this.#format = format;
    this.#words = words;
    this.node = element(
      'figure',
      { class: 'server-chart' },
      element('figcaption', {}, title, ' ', this.#now),
      this.#picture,
      element('p', { 'aria-hidden': 'true' }, this.#range),
    );
  }

  show(times, values) {
    const known = values.filter((value) => value !== null);
    const present = values.at(-1) ?? null;
    const now = times.at(-1) ?? 0;
    const format = (value) => (value === null ? '–' : this.#format(value));
    const [least, greatest] = known.length > 0 ? [Math.min(...known), Math.max(...known)] : [null, null];
    const facts = { now: format(present), least: format(least), greatest: format(greatest) };
    fill(this.#now, facts.now);
    fill(this.#range, this.#words('server.chart.range', facts));
    this.#picture.setAttribute('aria-label', this.#words('server.chart.label', { title: this.#title, ...facts }));
    fill(this.#picture, segments(times, values, now, greatest).map((points) => (
      points.length > 1
        ? drawing('polyline', { points: points.join(' ') })
        // A line without a length has round ends; a circle would be stretched with the picture.
        : drawing('polyline', { class: 'point', points: `${points[0]} ${points[0]}` })
    )));
  }
}
