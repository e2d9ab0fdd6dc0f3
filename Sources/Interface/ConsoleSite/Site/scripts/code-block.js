// Lines to copy: commands, configuration, code.

import { element, fill, freshID } from './element.js';
import { say } from './notices.js';

/// A labelled block of lines with a button that copies them; `set(text)` of the node replaces the lines.
export function codeBlock(label, text, { words }) {
  const id = freshID('code');
  const code = element('code', {}, text);
  const lines = element('pre', { tabindex: '0', 'aria-labelledby': id }, code);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(code.textContent);
      say(words('copied'));
    } catch {
      // Without the permission, the lines are selected for the keyboard.
      lines.focus();
      getSelection().selectAllChildren(code);
    }
  };
  const button = element('button', { type: 'button', onclick: copy, 'aria-describedby': id }, words('copy'));
  const node = element(
    'div', { class: 'code-block' }, element('div', { class: 'code-head' }, element('span', { id }, label), button), lines,
  );
  node.set = (other) => fill(code, other);
  return node;
}
