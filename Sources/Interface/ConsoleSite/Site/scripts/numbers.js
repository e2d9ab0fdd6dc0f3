// Numbers in text: which of them JavaScript, whose numbers are doubles, does not change.

/// The end of the server's integers, which have 64 bits: 2^63.
const endOfIntegers = 2 ** 63;

/// Whether a number in decimal notation stays what it is when the page reads it and sends it.
///
/// Digits alone from 2^53 to 2^63 do not: the page can have rounded them when it read the value.
export function isExact(text) {
  const number = Number(text);
  const size = Math.abs(number);
  if (!Number.isFinite(number) || decimal(text) !== decimal(String(number))) return false;
  return size <= Number.MAX_SAFE_INTEGER || size > endOfIntegers || /[.e]/i.test(text);
}

/// The first number of a JSON text that is not exact; `undefined` if all of them are.
export function inexactNumber(json) {
  const parts = json.match(/"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g) ?? [];
  return parts.find((part) => !part.startsWith('"') && !isExact(part));
}

/// The significant digits of a number and its power of ten, so that `1.50e3` and `1500` are the same; zero has none.
function decimal(text) {
  const [, whole, fraction, power = '0'] = /^[+-]?(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i.exec(text);
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  return `${significant}e${Number(power) - fraction.length + digits.length - significant.length}`;
}
