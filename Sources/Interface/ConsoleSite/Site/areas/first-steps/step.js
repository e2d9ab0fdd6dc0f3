// One of the steps: a heading that says whether it is done, a text, and what the reader does.

import { element, fill, freshID } from '../../scripts/element.js';

/// Makes a step; `setDone(isDone, links)` of the result shows the state, with links to what is there.
export function step(number, name, words, content) {
  const id = freshID('step');
  const mark = element('span', { class: 'first-mark', 'aria-hidden': 'true' }, String(number));
  const state = element('span', { class: 'first-state' });
  const done = element('p', { class: 'first-done', hidden: true });
  const node = element(
    'li', { class: 'first-step' },
    element('section', { 'aria-labelledby': id },
      element('h2', { id }, mark, element('span', {}, words(`first.${name}`)), ' ', state),
      element('p', {}, words(`first.${name}.text`)), content, done),
  );
  const setDone = (isDone, links = []) => {
    node.dataset.done = String(isDone);
    fill(mark, isDone ? '✓' : String(number));
    const text = words(isDone ? 'first.done' : 'first.open');
    if (state.textContent !== text) fill(state, text);
    done.hidden = links.length === 0;
    // Links that are there keep the focus.
    const key = links.map(({ href }) => href).join(' ');
    if (done.dataset.links === key) return;
    done.dataset.links = key;
    fill(done, links.map(({ href, text: label }) => element('a', { href }, label)));
  };
  return { node, setDone };
}
