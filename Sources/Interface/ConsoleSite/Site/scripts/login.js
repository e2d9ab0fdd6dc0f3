// The log-in: the first page, and the dialog over the page when a session has ended.

import { logIn } from './client.js';
import { openDialog } from './dialogs.js';
import { append, element, fill, freshID } from './element.js';
import { describe } from './notices.js';
import { choose, language, languages, words } from './words.js';

const storedApp = 'lcfile.console.app';

/// Thrown to a call that waits for a log-in when the reader does not log in.
class LogInRefused extends Error {
  constructor() {
    super('no log-in');
    this.name = 'LogInRefused';
  }
}

function form(app, onsession) {
  const [appID, keyID, hintID] = [freshID('app'), freshID('key'), freshID('hint')];
  const alert = element('div', { class: 'form-error', role: 'alert' });
  const appField = element('input', {
    id: appID, name: 'app', autocomplete: 'username', required: true, spellcheck: 'false', autocapitalize: 'off',
    value: app ?? localStorage.getItem(storedApp) ?? '', readonly: app !== undefined,
  });
  const keyField = element('input', {
    id: keyID, name: 'key', type: 'password', autocomplete: 'current-password', required: true,
    'aria-describedby': hintID,
  });
  const button = element('button', { type: 'submit', class: 'primary' }, words('login.button'));
  const node = element(
    'form',
    { class: 'login-form', method: 'post' },
    alert,
    element('label', { for: appID }, words('login.app')),
    appField,
    element('label', { for: keyID }, words('login.key')),
    keyField,
    element('p', { id: hintID, class: 'hint' }, words('login.hint')),
    button,
  );
  node.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (button.disabled) return;
    button.disabled = true;
    alert.replaceChildren();
    try {
      const session = await logIn(appField.value.trim(), keyField.value);
      localStorage.setItem(storedApp, session.app);
      keyField.value = '';
      onsession(session);
    } catch (error) {
      append(alert, describe(error).map((line) => element('p', {}, line)));
      keyField.select();
      keyField.focus();
    } finally {
      button.disabled = false;
    }
  });
  return { node, first: appField.value ? keyField : appField };
}

/// A list of the languages, which loads the page again.
export function languageChoice() {
  return element(
    'select',
    {
      class: 'language', 'aria-label': words('language'), value: language,
      onchange: (event) => choose(event.target.value),
    },
    Object.entries(languages).map(([name, text]) => element('option', { value: name, lang: name }, text)),
  );
}

/// Shows the page of the log-in, and resolves to the session.
export function logInPage(root, notices) {
  return new Promise((resolve) => {
    const { node, first } = form(undefined, resolve);
    document.title = words('login.title');
    fill(
      root,
      element(
        'main',
        { class: 'login' },
        element('h1', {}, words('login.title')),
        node,
        element('footer', {}, languageChoice()),
      ),
      notices,
    );
    first.focus();
  });
}

/// Asks for a log-in to an app in a dialog over the page, where nothing is lost; rejects if it is closed.
export function logInAgain(app) {
  return new Promise((resolve, reject) => {
    const { node, first } = form(app, (session) => {
      resolve(session);
      dialog.close();
    });
    const dialog = openDialog({
      title: words('login.again'),
      content: [element('p', {}, words('login.ended')), node],
      onclose: () => reject(new LogInRefused()),
    });
    first.focus();
  });
}
