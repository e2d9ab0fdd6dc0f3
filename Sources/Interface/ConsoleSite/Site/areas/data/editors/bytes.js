// The editor of bytes: Base64, with the number of bytes below.
import { element } from '../../../scripts/element.js';
import { Invalid } from '../../../scripts/panel.js';

export function bytesEditor({ value, column, words }) {
  const field = element(
    'textarea',
    { class: 'field is-code', rows: '5', spellcheck: 'false', 'aria-label': column.name },
  );
  const size = element('output', { class: 'hint' });
  field.value = value?.base64 ?? '';
  const read = () => {
    const base64 = field.value.replace(/\s+/g, '');
    const isBase64 = base64.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(base64);
    if (!isBase64) throw new Invalid(words('data.invalid.base64'));
    return { __type: 'Bytes', base64 };
  };
  const show = () => {
    try {
      const { base64 } = read();
      size.textContent = words('data.bytes', { count: (base64.length / 4) * 3 - (/=*$/.exec(base64)[0].length) });
    } catch (error) {
      size.textContent = error.message;
    }
  };
  field.addEventListener('input', show);
  show();
  return { node: element('div', { class: 'stack' }, field, size), read, focus: () => field.focus() };
}
