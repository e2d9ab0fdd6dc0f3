// Edits one value of an object in place.
import { element } from '../../scripts/element.js';
import { editorOf } from './editors/editors.js';
import { Invalid, openPanel } from '../../scripts/panel.js';
import { openRelation } from './relation.js';
import { cellText, memberOf, typeOf } from '../../scripts/values.js';

/// Opens the editor of a cell.
///
/// - `className`, `object`, `column`; `cell`: its element; `context`: that of the frame; `isReadOnly`.
/// - `onSaved`: gets the whole object as the server has it; `onClose`: called when the editor has closed.
export function editCell({ className, object, column, cell, context, isReadOnly, onSaved, onClose }) {
  const { client, words } = context;
  if (column.type === 'Relation') return openRelation({ className, object, column, context, isReadOnly, onClose });
  const value = memberOf(object, column.name);
  const title = words('data.edit.title', { field: column.name, id: object.objectId });
  const following = followAction(value, context);
  if (isReadOnly || !column.editable) return showValue({ title, value, column, cell, words, following, onClose });
  const editor = editorOf({ value, column, words, client });
  /// The state that the change is based on: another client's change in between is refused and shown.
  let base = object;

  async function save(change) {
    const path = `classes/${className}/${object.objectId}`;
    const where = { updatedAt: { __type: 'Date', iso: base.updatedAt } };
    try {
      await client.send('PUT', path, { [column.name]: change }, { query: { where } });
    } catch (error) {
      if (error.code !== 305) throw error;
      const now = await client.get(path, { returnACL: true });
      if (now.objectId === undefined) throw new Invalid(words('data.edit.deleted'));
      base = now;
      onSaved(now);
      const text = cellText(memberOf(now, column.name), column.type);
      throw new Invalid(words('data.edit.changed', { value: text || '—' }));
    }
    onSaved(await client.get(path, { returnACL: true }));
  }

  async function unset() {
    const isSure = await context.dialogs.ask({
      title: words('data.edit.unsetTitle', { field: column.name }),
      text: words('data.edit.unsetText', { field: column.name, id: object.objectId }),
      confirm: words('data.edit.unset'),
      danger: true,
    });
    return isSure ? save({ __op: 'Delete' }) : false;
  }

  /// What replaces the value: members of `authData` that are only left out would stay.
  function replacement() {
    const typed = editor.read();
    const isMerged = className === '_User' && column.name === 'authData';
    return isMerged ? { ...removals(base.authData, typed), ...typed } : typed;
  }

  const actions = [{ label: words('data.edit.save'), kind: 'primary', run: () => save(replacement()) }];
  const canUnset = value !== undefined && !column.required && column.type !== 'ACL';
  if (canUnset) actions.unshift({ label: words('data.edit.unset'), run: unset });
  openPanel({ title, words, content: [editor.node], actions: [...following, ...actions], anchor: cell, onClose });
  return editor.focus();
}

/// The members that a typed object lacks, as null, with which the server removes a platform of `authData`.
function removals(before, typed) {
  return Object.fromEntries(Object.keys(before ?? {}).filter((name) => !Object.hasOwn(typed, name))
    .map((name) => [name, null]));
}

/// The button that shows the object of a pointer; no button for other values.
function followAction(value, { words, go }) {
  if (typeOf(value) !== 'Pointer') return [];
  const state = JSON.stringify({ where: { objectId: value.objectId } });
  return [{ label: words('data.edit.follow'), run: () => go('data', 'class', value.className, state) }];
}

/// A value that is not changed here, whole and to be copied.
function showValue({ title, value, column, cell, words, following, onClose }) {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2) ?? '';
  const field = element('textarea', {
    class: 'field is-code', readonly: true, rows: Math.min(12, text.split('\n').length), 'aria-label': column.name,
  });
  field.value = text;
  openPanel({ title, words, content: [field], actions: following, anchor: cell, onClose });
  field.select();
}
