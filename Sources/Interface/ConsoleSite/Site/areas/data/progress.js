// A panel that shows how far a long piece of work is, and stops it.
import { element } from '../../scripts/element.js';
import { openPanel } from '../../scripts/panel.js';

/// Runs work with a panel.
///
/// - `title`, `words`; `total`: the number of objects.
/// - `run`: the work, with `report(count)`, which it calls after each step; it ends early when that returns `false`.
///
/// Resolves to whether the work came to its end; an error of the work is thrown.
export async function withProgress({ title, words, total, run }) {
  let isStopped = false;
  const bar = element('progress', { max: String(Math.max(1, total)), 'aria-label': title });
  const state = element('p', { class: 'hint', role: 'status' });
  const stop = () => {
    isStopped = true;
  };
  const cancel = words('data.stop');
  const panel = openPanel({ title, words, content: [bar, state], actions: [], cancel, onClose: stop });
  const report = (count) => {
    bar.value = count;
    state.textContent = words('data.progress', { count, total });
    return !isStopped;
  };
  report(0);
  try {
    await run(report);
    return !isStopped;
  } finally {
    panel.close();
  }
}
