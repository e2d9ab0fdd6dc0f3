// Adds an object, a field and a class.
import { element } from '../../scripts/element.js';
import { editorOf } from './editors/editors.js';
import { hiddenColumnsOf } from './fields.js';
import { Invalid, openPanel } from '../../scripts/panel.js';

const types = [
  'String', 'Number', 'Boolean', 'Date', 'File', 'Object', 'Array', 'GeoPoint', 'Bytes', 'Pointer', 'Relation', 'Any',
];

/// Opens the form for a new object: a field has no value until its box is ticked.
///
/// - `className`, `columns`, `context`; `onAdded`: called when the object is stored.
export function addObject({ className, columns, context, onAdded }) {
  const { client, words } = context;
  const settable = [...columns, ...hiddenColumnsOf(className)]
    .filter((column) => column.editable && !column.given && column.type !== 'Relation');
  const fields = settable.map((column) => {
    const box = element('input', { type: 'checkbox', 'aria-label': words('data.add.set', { field: column.name }) });
    const place = element('div', { class: 'add-value' });
    const field = { column, box, editor: null };
    box.addEventListener('change', () => {
      field.editor = box.checked ? editorOf({ value: undefined, column, words, client }) : null;
      place.replaceChildren(...(field.editor === null ? [] : [field.editor.node]));
      field.editor?.focus();
    });
    if (column.required) {
      box.checked = true;
      box.dispatchEvent(new Event('change'));
    }
    const name = element('span', {}, column.name, ' ', element('span', { class: 'hint' }, column.type));
    field.node = element('div', { class: 'add-field' }, element('label', { class: 'choice' }, box, name), place);
    return field;
  });
  const panel = openPanel({
    title: words('data.add.title', { className }), words, isWide: true, content: fields.map(({ node }) => node),
    actions: [{ label: words('data.add.create'), kind: 'primary', run: async () => {
      const object = {};
      for (const { column, editor } of fields) {
        if (editor !== null) object[column.name] = read(editor, column);
      }
      await client.send('POST', `classes/${className}`, object);
      onAdded();
    } }],
  });
  panel.node.querySelector('input')?.focus();
}

/// The value of an editor; a mistake is told with the name of the field.
function read(editor, column) {
  try {
    return editor.read();
  } catch (error) {
    throw error instanceof Invalid ? new Invalid(`${column.name}: ${error.message}`) : error;
  }
}

/// Opens the form for a new field; `onAdded` is called when the class has it.
export function addField({ className, context, onAdded }) {
  const { client, words } = context;
  const name = element(
    'input',
    { class: 'field', type: 'text', 'data-enter': '', autocomplete: 'off', spellcheck: 'false' },
  );
  const type = element('select', { class: 'field' }, ...types.map((one) => element('option', {}, one)));
  const target = element(
    'input',
    { class: 'field', type: 'text', 'data-enter': '', autocomplete: 'off', spellcheck: 'false' },
  );
  const targetLabel = element('label', { class: 'labelled' }, words('data.field.target'), target);
  const hasTarget = () => type.value === 'Pointer' || type.value === 'Relation';
  const show = () => { targetLabel.hidden = !hasTarget(); };
  type.addEventListener('change', show);
  show();
  openPanel({
    title: words('data.field.title', { className }), words,
    content: [
      element('label', { class: 'labelled' }, words('data.field.name'), name),
      element('label', { class: 'labelled' }, words('data.field.type'), type),
      targetLabel,
    ],
    actions: [{ label: words('data.field.create'), kind: 'primary', run: async () => {
      if (name.value.trim() === '') throw new Invalid(words('data.invalid.name'));
      await client.send('PUT', `schemas/${className}/${encodeURIComponent(name.value.trim())}`, {
        type: type.value, ...(hasTarget() ? { className: target.value.trim() } : {}),
      });
      onAdded();
    } }],
  });
  name.focus();
}

/// Opens the form for a new class; `onAdded` gets its name.
export function addClass({ context, onAdded }) {
  const { client, words } = context;
  const name = element(
    'input',
    { class: 'field', type: 'text', 'data-enter': '', autocomplete: 'off', spellcheck: 'false' },
  );
  openPanel({
    title: words('data.class.title'),
    words,
    content: [element('label', { class: 'labelled' }, words('data.class.name'), name)],
    actions: [{ label: words('data.class.create'), kind: 'primary', run: async () => {
      const className = name.value.trim();
      if (!/^[A-Za-z][A-Za-z0-9_]*$/.test(className)) throw new Invalid(words('data.invalid.className'));
      // The call that sets the permissions of a class creates it; with no member it changes nothing else.
      await client.send('PUT', `permissions/${className}`, {});
      onAdded(className);
    } }],
  });
  name.focus();
}
