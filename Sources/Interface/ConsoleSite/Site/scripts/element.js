// Makes the nodes of the page. Strings become text nodes or attributes, never markup, so that no value of an app can
// become a script.

/// Whether an address can be a link or a source without becoming a script.
export function isSafeAddress(address) {
  // A browser ignores control characters and blanks inside the scheme.
  const text = String(address).replace(/[\u0000-\u0020]/g, '');
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1].toLowerCase();
  if (scheme === undefined) return true;
  return ['http', 'https', 'blob', 'mailto'].includes(scheme) || /^data:image\/(png|jpeg|gif|webp|avif);/i.test(text);
}

const addresses = new Set(['href', 'src', 'poster', 'srcset']);
const properties = new Set(['value', 'checked', 'indeterminate', 'selected', 'muted']);

/// Sets one attribute; `null`, `undefined` and `false` remove it, `true` sets it without a value.
///
/// `on…` with a function adds a listener, `style` and `dataset` take objects, and `value` and `checked` are properties.
export function setAttribute(node, name, value) {
  if (name.startsWith('on')) {
    if (typeof value === 'function') node.addEventListener(name.slice(2).toLowerCase(), value);
  } else if (name === 'style' || name === 'dataset') {
    Object.assign(node[name], value);
  } else if (properties.has(name) && name in node) {
    node[name] = value;
  } else if (value === null || value === undefined || value === false) {
    node.removeAttribute(name);
  } else if (addresses.has(name) && !isSafeAddress(value)) {
    node.removeAttribute(name);
  } else {
    node.setAttribute(name, value === true ? '' : String(value));
  }
}

/// Makes an element: `element('a', { href: '#/data', class: 'wide' }, 'Data', icon)`.
///
/// Children are nodes, strings, numbers, or lists of them; `null`, `undefined` and `false` are left out. Attributes are
/// set after the children, because the value of a list of choices is one of them.
export function element(tag, attributes = {}, ...children) {
  return made(document.createElement(tag), attributes, children);
}

/// Makes an element of SVG, for charts; as `element` does.
export function drawing(tag, attributes = {}, ...children) {
  return made(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

function made(node, attributes, children) {
  append(node, children);
  for (const [name, value] of Object.entries(attributes ?? {})) setAttribute(node, name, value);
  return node;
}

/// Adds children as `element` does.
export function append(node, ...children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : String(child));
  }
  return node;
}

/// Replaces all children.
export function fill(node, ...children) {
  node.replaceChildren();
  return append(node, children);
}

let numbers = 0;

/// An id that no other element of the page has, for labels and descriptions.
export function freshID(prefix = 'id') {
  numbers += 1;
  return `${prefix}-${numbers}`;
}
