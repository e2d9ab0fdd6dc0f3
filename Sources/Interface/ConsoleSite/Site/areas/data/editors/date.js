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
  /// The last time that was set, and what the field shows for it: an hour that the clocks repeat has two times.
  let given = { time: null, text: '' };
  const set = (time) => {
    if (time !== null) field.value = localInput(time);
    given = { time, text: field.value };
  };
  const current = () => (field.value === given.text ? given.time : timeOfInput(field.value));
  const show = () => {
    const time = current();
    utc.textContent = time === null ? '' : `UTC: ${time.toISOString()}`;
  };
  set(timeOf(value));
  field.addEventListener('input', show);
  show();
  const now = element('button', { type: 'button', class: 'small' }, words('data.now'));
  now.addEventListener('click', () => {
    set(new Date());
    show();
  });
  return {
    node: element('div', { class: 'stack' }, element('div', { class: 'line' }, field, now), utc),
    read: () => {
      const time = current();
      if (time === null) throw new Invalid(words('data.invalid.date'));
      return { __type: 'Date', iso: time.toISOString() };
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
