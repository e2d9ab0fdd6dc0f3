// Questions before something is done that cannot be taken back.

import { element } from '../../scripts/element.js';

/// Asks; the words are those of `<key>.title`, `<key>.text` and `<key>.confirm`.
///
/// - `context`: that of the frame; `values`: of the words; `more`: further lines of the text.
export function ask({ dialogs, words }, key, values = {}, more = []) {
  const confirm = key === 'unsaved' ? 'unsaved.leave' : `${key}.confirm`;
  return dialogs.ask({
    title: words(`${key}.title`, values), text: [words(`${key}.text`, values), ...more],
    confirm: words(confirm, values), danger: true,
  });
}

/// A button that runs something and shows its error; it does nothing while it runs.
export function actionButton(context, label, run, kind = '') {
  const button = element('button', { type: 'button', class: kind, onclick: async () => {
    if (button.getAttribute('aria-busy') === 'true') return;
    button.setAttribute('aria-busy', 'true');
    try {
      await run();
    } catch (error) {
      context.notices.fail(error);
    } finally {
      button.removeAttribute('aria-busy');
    }
  } }, label);
  return button;
}

/// Gives the focus to a node if the element that had it is gone, so that a keyboard goes on where it was.
export function keepFocus(node) {
  if (document.activeElement !== document.body && document.activeElement !== null) return;
  node.tabIndex = -1;
  node.focus({ preventScroll: true });
}
