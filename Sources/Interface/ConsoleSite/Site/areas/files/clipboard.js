// A value with a button that copies it.

import { element, freshID } from '../../scripts/element.js';

/// A labelled field whose value can be copied: `{ node, set(value) }`.
///
/// `prepare()` returns a promise of the value to copy, in place of the one that is shown.
export function copyField(label, { words, notices }, prepare = null) {
  const id = freshID('copy');
  const input = element('input', { id, readonly: true, spellcheck: 'false', onfocus: () => input.select() });
  const copy = async () => {
    try {
      if (prepare) input.value = await prepare();
    } catch (error) {
      notices.fail(error);
      return;
    }
    try {
      await navigator.clipboard.writeText(input.value);
      notices.say(words('files.copied'));
    } catch {
      // Without the permission, the value is selected for the keyboard.
      input.focus();
      input.select();
    }
  };
  const button = element('button', { type: 'button', onclick: copy }, words('files.copy'));
  const node = element(
    'div',
    { class: 'files-copy' },
    element('label', { for: id }, label),
    element('div', { class: 'files-line' }, input, button),
  );
  return { node, set: (value) => { input.value = value; } };
}
