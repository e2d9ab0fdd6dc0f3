// The histogram of scores: a bar for each hundredth, marked by what the thresholds do with it.

import { element, fill } from '../../scripts/element.js';
import { locale } from '../../scripts/words.js';
import { steps } from './estimate.js';

const groups = 10;

/// Shows counts in `node`.
export class Histogram {
  #words;
  #bars = element('div', { class: 'censor-bars' });
  #table = element('tbody');

  node;

  constructor({ words }) {
    this.#words = words;
    const heads = ['score', 'files'].map((name) => element('th', { scope: 'col' }, words(`censor.histogram.${name}`)));
    this.node = element(
      'figure', { class: 'censor-histogram' },
      element('div', { role: 'img', 'aria-label': words('censor.histogram') }, this.#bars),
      element('div', { class: 'censor-axis', 'aria-hidden': 'true' },
        [0, 0.25, 0.5, 0.75, 1].map((value) => element('span', {}, value.toLocaleString(locale)))),
      element('figcaption', { class: 'hint' }, words('censor.histogram.hint')),
      element('details', {}, element('summary', {}, words('censor.histogram.table')),
        element('table', {}, element('thead', {}, element('tr', {}, heads)), this.#table)),
    );
  }

  /// Shows the counts; the thresholds are in hundredths.
  show(bars, passBelow, rejectAbove) {
    const top = Math.log1p(Math.max(...bars, 1));
    fill(this.#bars, bars.map((count, step) => element('span', {
      dataset: { verdict: step < passBelow ? 'passed' : step >= rejectAbove ? 'rejected' : 'review' },
      // Many scores are near 0; on a linear scale the others would have no height.
      style: { height: `${(100 * Math.log1p(count)) / top}%` },
    })));
    const size = steps / groups;
    fill(this.#table, Array.from({ length: groups }, (_, group) => {
      const count = bars.slice(group * size, (group + 1) * size).reduce((sum, each) => sum + each, 0);
      const edge = (value) => (value / groups).toLocaleString(locale, { minimumFractionDigits: 1 });
      return element('tr', {}, element('th', { scope: 'row' }, `${edge(group)} – ${edge(group + 1)}`),
        element('td', {}, count.toLocaleString(locale)));
    }));
  }
}
