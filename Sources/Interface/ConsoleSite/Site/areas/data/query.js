// The page for statements in CQL, with their results and how they run.
import { element } from '../../scripts/element.js';
import { editCell } from './edit.js';
import { explanation } from './explanation.js';
import { columnsOf } from './fields.js';
import { Grid } from './grid.js';
import { Invalid, textOfError } from '../../scripts/panel.js';

/// Shows the page.
///
/// - `place`: an empty element; `statement`: what the field begins with; `context`: that of the frame.
export function queryPage({ place, statement, context }) {
  const { client, words, dialogs, session } = context;
  const field = element(
    'textarea',
    { class: 'field is-code', rows: '4', spellcheck: 'false', id: 'statement', 'aria-describedby': 'statement-hint' },
  );
  field.value = statement ?? '';
  const run = element('button', { type: 'submit', class: 'primary' }, words('data.query.run'));
  const explain = element('button', { type: 'button' }, words('data.query.explain'));
  const state = element('p', { class: 'data-state', role: 'status' });
  const alert = element('p', { role: 'alert', class: 'panel-alert' });
  const result = element('div', { class: 'data-table' });
  let grid = null;
  /// The statement that is known: that of the address, or one that the server ran or explained.
  let known = field.value;

  /// Sends the statement of the field. It becomes known by the reply, because after an error the user can try again.
  async function send(parameters) {
    const statement = field.value;
    const reply = await client.get('cloudQuery', parameters);
    known = statement;
    return reply;
  }

  async function perform(work) {
    run.disabled = explain.disabled = true;
    alert.textContent = '';
    state.textContent = words('loading');
    try {
      await work();
    } catch (error) {
      state.textContent = '';
      alert.textContent = textOfError(error);
    } finally {
      run.disabled = explain.disabled = false;
    }
  }

  async function runStatement() {
    const cql = field.value.trim();
    const isChange = !/^select\b/i.test(cql);
    if (isChange && session.readOnly) throw new Invalid(words('data.query.readOnly'));
    if (isChange && !await dialogs.ask({
      title: words('data.query.changeTitle'), text: cql, confirm: words('data.query.change'), danger: true,
    })) {
      state.textContent = '';
      return;
    }
    const reply = await send({ cql });
    const schema = await client.get(`schemas/${reply.className}`);
    const parts = [words('data.query.results', { count: reply.results.length, className: reply.className })];
    if (reply.count !== undefined) parts.push(words('data.count', { count: reply.count }));
    state.textContent = parts.join(' · ');
    showResults(reply, schema);
  }

  function showResults({ results, className }, schema) {
    const names = new Set(results.flatMap((object) => Object.keys(object)));
    const columns = columnsOf(className, schema, []).filter(({ name }) => names.has(name))
      .map((column) => ({ ...column, sortable: false }));
    grid?.close();
    grid = null;
    result.replaceChildren();
    if (results.length === 0) return;
    grid = new Grid({ length: results.length, at: (position) => results[position], need() {} }, columns, {
      label: words('data.table', { className }), words,
      onOpen: (position, column, cell) =>
        editCell({ className, object: results[position], column, cell, context, isReadOnly: true }),
    });
    result.replaceChildren(grid.node);
  }

  async function explainStatement() {
    const reply = await send({ cql: field.value.trim(), explain: 1 });
    state.textContent = words('data.query.explained', { className: reply.className });
    grid?.close();
    grid = null;
    result.replaceChildren(explanation(reply, context));
  }

  const form = element('form', { class: 'query', 'aria-label': words('data.query.title') },
    element('label', { for: 'statement', class: 'labelled' }, words('data.query.statement')), field,
    element('p', { class: 'hint', id: 'statement-hint' }, words('data.query.hint')),
    element('div', { class: 'line' }, run, explain), alert);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    perform(runStatement);
  });
  explain.addEventListener('click', () => perform(explainStatement));
  field.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    form.requestSubmit();
  });
  place.append(element('h2', { class: 'data-name', tabindex: '-1' }, words('data.query.title')), form, state, result);
  field.focus();
  return { unsaved: () => field.value.trim() !== '' && field.value !== known, close: () => grid?.close() };
}
