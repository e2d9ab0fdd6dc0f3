// A dialog with fields, over a cell or in the middle of the window.

import { openDialog } from './dialogs.js';
import { element } from './element.js';
import { describe } from './notices.js';

/// What a field says about its own value when it cannot be used; shown in the panel.
export class Invalid extends Error {}

const open = new Set();

/// Whether an open panel has something typed that is not saved.
export function hasUnsavedPanel() {
  return [...open].some((panel) => panel.isTyped);
}

/// Closes all panels.
export function closePanels() {
  for (const panel of open) panel.close();
}

/// Opens a panel. Escape closes it; an error stays on screen and leaves everything typed as it is.
///
/// - `title`: the heading; `words`: the texts of the console; `content`: the fields.
/// - `actions`: buttons: `label`, `kind` (`primary`, `danger` or undefined) and `run`, which can be asynchronous. When
///   it ends without an error and not with `false`, the panel closes. Enter in a field with `data-enter`, and Ctrl+Enter
///   anywhere, run the primary one.
/// - `anchor`: the cell over which the panel opens; `isWide`: whether the content needs the width of a table.
/// - `cancel`: the label of the button that closes the panel; `onClose`: called when it has closed.
///
/// Returns `{ node, fail(error), close() }`; `fail(null)` removes an error.
export function openPanel({ title, words, content, actions, anchor, isWide = false, cancel, onClose = () => {} }) {
  const alert = element('p', { role: 'alert', class: 'panel-alert' });
  const buttons = actions.map(({ label, kind, run }) =>
    element('button', { type: 'button', class: kind, onclick: () => perform(run) }, label));
  const closing = element('button', { type: 'button', onclick: () => panel.close() },
    cancel ?? words(actions.some(({ kind }) => kind === 'primary') ? 'cancel' : 'close'));
  const dialog = openDialog({
    title, wide: isWide, content: [content, alert], buttons: [closing, ...buttons],
    onclose: () => {
      open.delete(panel);
      onClose();
    },
  });
  const panel = { node: dialog.node, fail, isTyped: false, close() {
    // The event of the dialog comes later, and what was saved must not be called unsaved until then.
    open.delete(panel);
    dialog.close();
  } };
  let isBusy = false;
  // The browser has given the focus to the first field.
  let field = document.activeElement;

  async function perform(run) {
    if (isBusy) return;
    isBusy = true;
    fail(null);
    dialog.node.setAttribute('aria-busy', 'true');
    try {
      if ((await run()) !== false) panel.close();
    } catch (error) {
      if (!dialog.node.isConnected) return;
      fail(error);
      // What is to be changed, or to be sent again, is there.
      if (field?.isConnected) field.focus();
    } finally {
      isBusy = false;
      dialog.node.removeAttribute('aria-busy');
    }
  }

  function fail(error) {
    alert.textContent = error === null ? '' : textOfError(error);
  }

  dialog.node.classList.add('panel');
  dialog.node.addEventListener('input', () => { panel.isTyped = actions.some(({ kind }) => kind === 'primary'); });
  dialog.node.addEventListener('focusin', ({ target }) => {
    if (target.matches('input, textarea, select')) field = target;
  });
  dialog.node.addEventListener('keydown', (event) => {
    const isMain = event.key === 'Enter' && !event.shiftKey && !event.isComposing
      && (event.ctrlKey || event.metaKey || event.target.matches('[data-enter]'));
    const index = actions.findIndex(({ kind }) => kind === 'primary');
    if (!isMain || index < 0) return;
    event.preventDefault();
    buttons[index].click();
  });
  open.add(panel);
  if (anchor !== undefined) moveOver(dialog.node, anchor.getBoundingClientRect());
  return panel;
}

/// The sentence about an error: that of a field or of the server, with the id of the request.
export function textOfError(error) {
  return error instanceof Invalid ? error.message : describe(error).join(' ');
}

/// Puts a panel over its cell, as far as the window has space; a narrow window shows it in the middle.
function moveOver(node, cell) {
  const { clientWidth: width, clientHeight: height } = document.documentElement;
  if (width < 640) return;
  node.classList.add('is-placed');
  const size = node.getBoundingClientRect();
  node.style.left = `${Math.max(8, Math.min(cell.left, width - size.width - 8))}px`;
  node.style.top = `${Math.max(8, Math.min(cell.top, height - size.height - 8))}px`;
}
