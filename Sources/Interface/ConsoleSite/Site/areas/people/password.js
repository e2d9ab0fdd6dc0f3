// A new password for a user.

import { element } from '../../scripts/element.js';
import { openPanel } from '../../scripts/panel.js';
import { passwordEditor } from '../data/editors/password.js';

/// Opens the panel.
///
/// - `id`, `name`: of the user; `context`: that of the frame; `onsaved()`: called when the password is set.
export function setPassword({ id, name, context, onsaved }) {
  const { client, words, notices } = context;
  const label = words('people.password.field');
  const editor = passwordEditor({ column: { name: label }, words });
  openPanel({
    title: words('people.password.title', { name }), words,
    content: [
      element('label', { class: 'labelled' }, label, editor.node),
      element('p', { class: 'hint' }, words('people.password.hint')),
    ],
    actions: [{ label: words('people.password.save'), kind: 'primary', run: async () => {
      await client.send('PUT', `users/${id}`, { password: editor.read() });
      notices.say(words('people.password.saved', { name }));
      onsaved();
    } }],
  });
  editor.focus();
}
