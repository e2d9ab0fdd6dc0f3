// The editor of dates: the time of the browser's zone, with the same time in UTC below.
import { element } from '../../../scripts/element.js';
import { Invalid } from '../../../scripts/panel.js';
import { timeOf } from '../../../scripts/values.js';

export function dateEditor({ value, column, words }) {
  const field = element(
    'input',
    { class: 'field', type: 'datetime-local', step: '0.001', 'data-enter': '', 'aria-label': column.name },
  );
  const utc = element('output', { class: 'hint' });
  const time = timeOf(value);
  if (time !== null) field.value = localInput(time);
  const show = () => {
    const typed = timeOfInput(field.value);
    utc.textContent = typed === null ? '' : `UTC: ${typed.toISOString()}`;
  };
  field.addEventListener('input', show);
  show();
  const now = element('button', { type: 'button', class: 'small' }, words('data.now'));
  now.addEventListener('click', () => {
    field.value = localInput(new Date());
    show();
  });
  return {
    node: element('div', { class: 'stack' }, element('div', { class: 'line' }, field, now), utc),
    read: () => {
      const typed = timeOfInput(field.value);
      if (typed === null) throw new Invalid(words('data.invalid.date'));
      return { __type: 'Date', iso: typed.toISOString() };
    },
    focus: () => field.focus(),
  };
}

/// The time that a field of type `datetime-local` holds, `null` if it is empty.
export function timeOfInput(text) {
  return text === '' ? null : timeOf(text);
}

/// What a field of type `datetime-local` shows for a time.
export function localInput(time) {
  const shifted = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, -1);
}
