// Saves objects of a table as a file: CSV for spreadsheets, JSON Lines for programs and for imports.
import { element } from '../../scripts/element.js';
import { byteOrderMark, cell, line } from './csv.js';
import { openPanel } from '../../scripts/panel.js';
import { memberOf } from '../../scripts/values.js';
import { withProgress } from './progress.js';
import { selectedPages } from './selected.js';
import { Selection } from './selection.js';

/// The formats: the media type, what stands first, and one object.
const formats = {
  csv: {
    type: 'text/csv;charset=utf-8',
    head: (columns) => byteOrderMark + line(columns.map(({ name }) => cell(name))),
    object: (object, columns) => line(columns.map(({ name }) => cell(memberOf(object, name)))),
  },
  jsonl: {
    type: 'application/jsonl;charset=utf-8',
    head: () => '',
    object: (object) => `${JSON.stringify(object)}\n`,
  },
};

/// Opens the choice of what is saved and how.
///
/// - `className`, `columns`, `where`, `selection`; `count`: of what matches; `context`: that of the frame.
export function openExport({ className, columns, where, selection, count, context }) {
  const { words } = context;
  const selected = selection.size(count);
  const everything = new Selection();
  everything.setAll(true);
  const scope = choices('scope', words('data.export.scope'), [
    ...(selected > 0 ? [['selected', words('data.export.selected', { count: selected })]] : []),
    ['all', words('data.export.all', { count })],
  ]);
  const format = choices(
    'format',
    words('data.export.format'),
    [['csv', words('data.export.csv')], ['jsonl', words('data.export.jsonl')]],
  );
  openPanel({
    title: words('data.export.title', { className }), words,
    content: [scope.node, format.node, element('p', { class: 'hint' }, words('data.export.hint'))],
    actions: [{ label: words('data.export.save'), kind: 'primary', run: () => {
      const what = scope.value() === 'all' ? everything : selection;
      saveAll({ className, columns, where, selection: what, total: what.size(count), format: format.value(), context });
    } }],
  });
}

async function saveAll({ className, columns, where, selection, total, format, context }) {
  const { client, words, notices } = context;
  const { type, head, object } = formats[format];
  // Each page becomes a blob of its own: the browser keeps blobs on the disk when they are large.
  const parts = [new Blob([head(columns)])];
  const title = words('data.export.running', { className });
  let count = 0;
  try {
    const isWhole = await withProgress({ title, words, total, run: async (report) => {
      for await (const page of selectedPages(client, className, where, selection, { returnACL: true })) {
        parts.push(new Blob([page.map((one) => object(one, columns)).join('')]));
        count += page.length;
        if (!report(count)) return;
      }
    } });
    if (!isWhole) return;
    download(new Blob(parts, { type }), `${className}.${format}`);
    notices.say(words('data.export.done', { count, name: `${className}.${format}` }));
  } catch (error) {
    notices.fail(error);
  }
}

function download(blob, name) {
  const address = URL.createObjectURL(blob);
  const link = element('a', { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  // The browser has begun to read the blob by then; without this its bytes stay until the page is left.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

function choices(name, label, options) {
  const boxes = options.map(([value, text], index) => {
    const box = element('input', { type: 'radio', name: `export-${name}`, value, 'data-enter': '' });
    box.checked = index === 0;
    return { box, node: element('label', { class: 'choice' }, box, text) };
  });
  return {
    node: element(
      'fieldset',
      { class: 'choices is-column' },
      element('legend', {}, label),
      ...boxes.map(({ node }) => node),
    ),
    value: () => boxes.find(({ box }) => box.checked).box.value,
  };
}
