// The area Data: classes, their objects, and statements.
//
// Addresses: `#/data` (the classes), `#/data/class/<Class>[/<JSON>]` with `where` and `order` in the JSON, and
// `#/data/query[/<statement>]`.

import { element, fill } from '../../scripts/element.js';
import { replace } from '../../scripts/router.js';
import { classPage } from './class-page.js';
import { classList } from './classes.js';
import { closePanels, hasUnsavedPanel } from '../../scripts/panel.js';
import { queryPage } from './query.js';
import { shortcuts } from './shortcuts.js';
import { words as en } from './words/en.js';
import { words as zh } from './words/zh.js';

/// A name that cannot become another path of the API: addresses come from links, also those of other sites.
const className = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

export const area = {
  name: 'data',
  title: 'data.title',
  words: { en, zh },
  shortcuts,

  open(place, path, context) {
    const list = classList({ context });
    const main = element('section', { class: 'data-main', 'aria-label': context.words('data.title') });
    const node = element('div', { class: 'data' }, list.node, main);
    let shown = { close() {} };
    let current = path;
    fill(place, node);

    async function move(now) {
      if (JSON.stringify(now) === JSON.stringify(current)) return;
      const wanted = location.hash;
      if (shown.unsaved?.() && !(await context.dialogs.askToLeave())) {
        replace('data', ...current);
        return;
      }
      if (location.hash !== wanted) return;
      current = now;
      show(now);
    }

    function show(now) {
      const [page, name, state] = now;
      list.mark(page === 'class' ? name : page === 'query' ? null : undefined);
      node.classList.toggle('is-list', page === undefined);
      if (page === 'class' && shown.className === name && name !== undefined) return shown.update(stateOf(state));
      shown.close();
      main.replaceChildren();
      shown = pageOf(page, name, state);
      if (now !== path) main.querySelector('h2')?.focus();
    }

    function pageOf(page, name, state) {
      if (page === 'class' && className.test(name ?? '')) {
        return classPage({ place: main, className: name, state: stateOf(state), context, onClasses: list.refresh });
      }
      if (page === 'query') return queryPage({ place: main, statement: name, context });
      main.append(element('p', { class: 'data-welcome' }, context.words('data.welcome')));
      return { close() {} };
    }

    show(path);
    return {
      move,
      unsaved: () => hasUnsavedPanel() || (shown.unsaved?.() ?? false),
      close() {
        closePanels();
        list.close();
        shown.close();
      },
    };
  },
};

/// The condition and the order of an address; those of a malformed one are the default.
function stateOf(text) {
  try {
    const state = JSON.parse(text ?? '{}');
    const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);
    return {
      where: isObject(state?.where) ? state.where : {},
      order: typeof state?.order === 'string' ? state.order : undefined,
    };
  } catch {
    return { where: {} };
  }
}
