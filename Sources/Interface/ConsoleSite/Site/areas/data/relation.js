// The members of a relation: followed, added and removed.

import { element, fill } from '../../scripts/element.js';
import { finder } from '../../scripts/finder.js';
import { openPanel, textOfError } from '../../scripts/panel.js';
import { nameField, nameOf } from '../../scripts/search.js';
import { memberOf } from '../../scripts/values.js';

/// The number of members that the panel shows; all of them are one click away.
const shown = 100;

/// The condition that finds the members of a relation.
export function membersOf(className, objectId, key) {
  return { $relatedTo: { object: { __type: 'Pointer', className, objectId }, key } };
}

/// Opens the members of a relation.
///
/// - `className`, `object`, `column`, `context`, `isReadOnly`; `onClose`: called when the panel has closed.
export function openRelation({ className, object, column, context, isReadOnly, onClose }) {
  const { client, words } = context;
  const target = column.className ?? memberOf(object, column.name)?.className;
  const list = element('ul', { class: 'members', tabindex: '0', 'aria-label': column.name });
  const state = element('p', { class: 'hint', role: 'status' });
  const where = membersOf(className, object.objectId, column.name);
  /// The member that was removed last, with a button that adds it again.
  const removed = element('p', { class: 'line', role: 'status' });
  const content = [state, list, removed];
  const actions = [
    {
      label: words('data.relation.follow'),
      kind: 'primary',
      run: () => context.go('data', 'class', target, JSON.stringify({ where })),
    },
  ];

  /// Returns whether the server has made the change.
  async function change(operation, id) {
    try {
      await client.send('PUT', `classes/${className}/${object.objectId}`, {
        [column.name]: { __op: operation, objects: [{ __type: 'Pointer', className: target, objectId: id }] },
      });
      panel.fail(null);
      await show();
      return true;
    } catch (error) {
      panel.fail(error);
      return false;
    }
  }

  async function remove(id, name) {
    if (!(await change('RemoveRelation', id))) return;
    const undo = element('button', { type: 'button', class: 'small' }, words('data.relation.undo'));
    undo.addEventListener('click', async () => {
      if (!(await change('AddRelation', id))) return;
      fill(removed);
      list.focus();
    });
    fill(removed, words('data.relation.removed', { name, id }), ' ', undo);
    undo.focus();
  }

  function member(one, name) {
    const title = name === null ? one.objectId : nameOf(one, name);
    const button = element(
      'button',
      {
        type: 'button',
        class: 'small',
        'aria-label': words('data.relation.remove', { name: title, id: one.objectId }),
      },
      '×',
    );
    button.addEventListener('click', () => remove(one.objectId, title));
    return element(
      'li',
      {},
      element('span', {}, title),
      element('code', {}, one.objectId),
      ...(isReadOnly ? [] : [button]),
    );
  }

  async function show() {
    try {
      const name = await nameField(client, target);
      const reply = await client.get(
        `classes/${target}`,
        { where, limit: shown, count: 1, ...(name === null ? {} : { keys: name }) },
      );
      list.replaceChildren(...reply.results.map((one) => member(one, name)));
      state.textContent = words('data.relation.count', { count: reply.count, className: target });
    } catch (error) {
      state.textContent = textOfError(error);
    }
  }

  if (target === undefined) {
    state.textContent = words('data.relation.none');
    actions.pop();
  } else {
    show();
    if (!isReadOnly) {
      const label = words('data.relation.add', { className: target });
      const onChoose = ({ id }) => change('AddRelation', id);
      content.push(finder({ client, className: target, words, label, onChoose }).node);
    }
  }
  const panel = openPanel({
    title: words('data.relation.title', { field: column.name, id: object.objectId }),
    words,
    content,
    actions,
    onClose,
  });
}
