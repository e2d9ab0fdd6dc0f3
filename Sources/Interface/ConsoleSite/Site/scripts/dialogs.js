// Dialogs over the page. The browser's <dialog> keeps the focus inside and gives it back.

import { element, freshID } from './element.js';
import { words } from './words.js';

/// Opens a dialog with any content.
///
/// - `title`: its name; `content`: nodes; `buttons`: nodes of its last line; `wide`: for tables and editors.
/// - `onclose`: called once when it is closed, however that happens.
///
/// Returns `{ node, close() }`.
export function openDialog({ title, content, buttons = [], wide = false, onclose = () => {} }) {
  const id = freshID('dialog');
  const node = element(
    'dialog',
    { class: wide ? 'dialog wide' : 'dialog', 'aria-labelledby': id },
    element('h2', { id }, title),
    element('div', { class: 'dialog-content' }, content),
    buttons.length > 0 && element('div', { class: 'buttons' }, buttons),
  );
  node.addEventListener('close', () => {
    node.remove();
    onclose();
  });
  document.body.append(node);
  node.showModal();
  return { node, close: () => node.close() };
}

/// Asks before something typed is left; resolves to whether it can be lost.
export function askToLeave() {
  return ask({
    title: words('unsaved.title'), text: words('unsaved.text'), confirm: words('unsaved.leave'), danger: true,
  });
}

/// Asks before something is done; resolves to whether it is wanted.
///
/// - `title`, `text`: what will happen, to what and how many; `confirm`: the text of the button; `danger`: whether it
///   destroys something, when the first focus is on the other button.
export function ask({ title, text, confirm, danger = false }) {
  return new Promise((resolve) => {
    let answer = false;
    const yes = element('button', { type: 'button', class: danger ? 'danger' : 'primary' }, confirm ?? words('ok'));
    const no = element('button', { type: 'button' }, words('cancel'));
    const dialog = openDialog({
      title,
      content: [text].flat().map((line) => (line instanceof Node ? line : element('p', {}, line))),
      buttons: [no, yes],
      onclose: () => resolve(answer),
    });
    yes.addEventListener('click', () => {
      answer = true;
      dialog.close();
    });
    no.addEventListener('click', () => dialog.close());
    (danger ? no : yes).focus();
  });
}
