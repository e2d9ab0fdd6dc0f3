"""Rules of accessibility that a program can check, as a script that runs in the page and lists what breaks them.

Each rule has a name and looks at what is shown now. They do not replace a look with a screen reader; they find what is
forgotten: a control without a name, a label that labels nothing, two elements with one id, text that is too pale.
"""

RULES = r"""
const broken = [];
const report = (rule, node, detail = '') => {
  const text = node.outerHTML.replace(/\s+/g, ' ').slice(0, 160);
  broken.push(`${rule}: ${text}${detail ? ` (${detail})` : ''}`);
};
const isShown = (node) => node.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true });
// A dialog makes all else inert.
const dialogs = [...document.querySelectorAll('dialog[open]')];
const scope = dialogs.at(-1) ?? document.body;
const all = [...scope.querySelectorAll('*')].filter(isShown);

const nameOf = (node) => {
  const by = (node.getAttribute('aria-labelledby') ?? '').split(/\s+/).filter(Boolean)
    .map((id) => document.getElementById(id)?.textContent ?? '').join(' ');
  const labels = [...(node.labels ?? [])].map((label) => label.textContent).join(' ');
  return (by || node.getAttribute('aria-label') || labels || node.getAttribute('alt') || node.textContent
    || (node.tagName === 'INPUT' && ['submit', 'button'].includes(node.type) ? node.value : '')
    || node.getAttribute('title') || '').trim();
};

// Names
for (const node of all) {
  if (node.matches('button, a[href], [role=button], [role=link], [role=tab], [role=menuitem], [role=option]')
    && !nameOf(node)) report('a control has a name', node);
  if (node.matches('input:not([type=hidden]), select, textarea, [role=textbox], [role=combobox], [role=slider]')
    && !(nameOf(node) && (node.tagName !== 'SELECT' || node.labels.length || node.hasAttribute('aria-label')
      || node.hasAttribute('aria-labelledby')))) report('a field has a label', node);
  if (node.matches('img') && !node.hasAttribute('alt')) report('an image has an alternative', node);
  if (node.matches('dialog, [role=dialog], nav, table[role=grid], [role=grid], [role=listbox]')
    && !(node.getAttribute('aria-label') || nameOf({ ...{}, getAttribute: (name) => name === 'aria-labelledby'
      ? node.getAttribute(name) : null, labels: [], textContent: '', tagName: '' }))
    && !node.querySelector(':scope > caption')) report('a region has a name', node);
}

// References
const ids = new Map();
for (const node of document.querySelectorAll('[id]')) ids.set(node.id, (ids.get(node.id) ?? 0) + 1);
for (const [id, count] of ids) if (count > 1) report('an id is unique', document.getElementById(id));
for (const node of all) {
  for (const name of ['aria-labelledby', 'aria-describedby', 'aria-controls', 'for']) {
    for (const id of (node.getAttribute(name) ?? '').split(/\s+/).filter(Boolean)) {
      if (!document.getElementById(id)) report(`${name} names an element`, node);
    }
  }
}

// Structure
if (!document.documentElement.lang) report('the page has a language', document.documentElement);
if (!document.title) report('the page has a title', document.documentElement);
if (dialogs.length === 0) {
  const mains = all.filter((node) => node.matches('main, [role=main]'));
  if (mains.length !== 1) report('the page has one main part', document.body, `${mains.length}`);
  const firsts = all.filter((node) => node.matches('h1'));
  if (firsts.length !== 1) report('the page has one first heading', document.body, `${firsts.length}`);
  let level = 0;
  for (const node of all.filter((each) => each.matches('h1, h2, h3, h4, h5, h6'))) {
    const next = Number(node.tagName[1]);
    if (next > level + 1) report('headings skip no level', node);
    level = next;
  }
}
for (const node of all) {
  if (node.matches('ul, ol') && [...node.children].some((child) => child.tagName !== 'LI' && !child.hidden)) {
    report('a list has items only', node);
  }
  if (node.matches('th') && !node.scope) report('a heading of a table says for what it is', node);
  if (Number(node.getAttribute('tabindex')) > 0) report('the focus follows the page', node);
  if (node.getAttribute('aria-hidden') === 'true' && node.querySelector('button, a[href], input, select, textarea')) {
    report('what is hidden has no control', node);
  }
  if (node.onclick || node.matches('[role=button], [role=link], [role=tab]')) {
    if (node.tabIndex < 0 && !node.closest('[role=tablist], [role=grid], [role=listbox], [role=menu], [role=toolbar]')) {
      report('what can be clicked can get the focus', node);
    }
  }
  // Something that scrolls is reached by keyboard: it gets the focus itself, or something in it does.
  const style = getComputedStyle(node);
  const scrolls = /auto|scroll/.test(style.overflowX + style.overflowY)
    && (node.scrollWidth > node.clientWidth + 1 || node.scrollHeight > node.clientHeight + 1);
  if (scrolls && node.tabIndex < 0 && !node.querySelector('a[href], button, input, select, textarea, [tabindex]')) {
    report('what scrolls can get the focus', node);
  }
}

// Targets of at least 24 by 24 pixels (WCAG 2.2, 2.5.8); links in text are exempt.
for (const node of all.filter((each) => each.matches('button, input:not([type=hidden]), select, [role=button]'))) {
  const box = node.getBoundingClientRect();
  const label = node.labels?.[0]?.getBoundingClientRect();
  const size = Math.min(Math.max(box.width, label?.width ?? 0), Math.max(box.height, label?.height ?? 0));
  if (size > 0 && size < 24) report('a target has 24 pixels', node, `${box.width} × ${box.height}`);
}

// Contrast of text with what is behind it, where it is one colour (WCAG 1.4.3)
const channels = (text) => {
  const found = /rgba?\(([^)]+)\)/.exec(text)?.[1].split(/[,/ ]+/).filter(Boolean).map(Number);
  return found && { rgb: found.slice(0, 3), alpha: found[3] ?? 1 };
};
const over = (front, back) => front.rgb.map((value, index) => value * front.alpha + back[index] * (1 - front.alpha));
const backOf = (node) => {
  const layers = [];
  for (let each = node; each; each = each.parentElement) {
    const style = getComputedStyle(each);
    if (style.backgroundImage !== 'none') return null;
    const layer = channels(style.backgroundColor);
    if (layer && layer.alpha > 0) layers.push(layer);
    if (layer?.alpha === 1) break;
    if (each.tagName === 'DIALOG') break;
  }
  const dark = matchMedia('(prefers-color-scheme: dark)').matches;
  let back = dark ? [18, 18, 18] : [255, 255, 255];
  for (const layer of layers.reverse()) back = over(layer, back);
  return back;
};
const light = (rgb) => {
  const [r, g, b] = rgb.map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
for (const node of all) {
  const hasText = [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim());
  if (!hasText || node.closest(':disabled, [aria-disabled=true], option')) continue;
  const style = getComputedStyle(node);
  const [front, back] = [channels(style.color), backOf(node)];
  if (!front || !back) continue;
  const [a, b] = [light(over(front, back)), light(back)].sort((x, y) => y - x);
  const ratio = (a + 0.05) / (b + 0.05);
  const size = parseFloat(style.fontSize);
  const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
  if (ratio < (isLarge ? 3 : 4.5)) report('text has contrast', node, ratio.toFixed(2));
}
return [...new Set(broken)];
"""


def broken_rules(browser):
    """What on the page breaks a rule, a line for each element."""
    return browser.run(RULES)


def overflows(browser):
    """The elements that make the page wider than its window; what scrolls by itself does not."""
    return browser.run(r"""
        const width = document.documentElement.clientWidth;
        if (document.documentElement.scrollWidth <= width) return [];
        return [...document.body.querySelectorAll('*')]
          .filter((node) => node.getBoundingClientRect().right > width + 1)
          .map((node) => node.outerHTML.slice(0, 120));
    """)


def without_focus_ring(browser):
    """Whether the element with the focus shows that it has it."""
    return browser.run(r"""
        const style = getComputedStyle(document.activeElement);
        return style.outlineStyle === 'none' || parseFloat(style.outlineWidth) < 1;
    """)
