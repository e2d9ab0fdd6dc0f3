// The list of keyboard shortcuts.

import { areas } from './areas.js';
import { openDialog } from './dialogs.js';
import { element } from './element.js';
import { address } from './router.js';
import { words } from './words.js';

function table(caption, rows) {
  return element(
    'table',
    { class: 'shortcuts' },
    element('caption', {}, caption),
    element(
      'tbody',
      {},
      rows.map(({ keys, text }) =>
        element('tr', {}, element('th', { scope: 'row' }, element('kbd', {}, keys)), element('td', {}, text)),
      ),
    ),
  );
}

/// Shows the shortcuts of the frame and of an area.
export function showShortcuts(area) {
  const general = [
    { keys: '?', text: words('shortcuts.list') },
    ...areas.map((each, index) => ({
      keys: `Alt+Shift+${index + 1}`, text: words('shortcuts.area', { area: words(each.title) }),
    })),
    { keys: 'Esc', text: words('shortcuts.close') },
  ];
  const own = (area?.shortcuts ?? []).map(({ keys, text }) => ({ keys, text: words(text) }));
  const close = element('button', { type: 'button', class: 'primary' }, words('close'));
  const first = element(
    'a', { href: address('first-steps'), onclick: () => dialog.close() }, words('first.title'),
  );
  const dialog = openDialog({
    title: words('shortcuts.title'),
    content: [
      table(words('shortcuts.everywhere'), general),
      own.length > 0 && table(words(area.title), own),
      element('p', {}, first),
    ],
    buttons: [close],
  });
  close.addEventListener('click', () => dialog.close());
  close.focus();
}
