// The beginning: finds the session or asks for a log-in, then shows the areas.

import { isEmptyApp } from '../areas/first-steps/state.js';
import { pages } from './areas.js';
import { Client, currentSession } from './client.js';
import { element } from './element.js';
import { Frame } from './frame.js';
import { logInAgain, logInPage } from './login.js';
import { fail, noticePlaces } from './notices.js';
import { currentPath, replace } from './router.js';
import { addWords, locale } from './words.js';

async function start() {
  document.documentElement.lang = locale;
  for (const area of pages) if (area.words) addWords(area.words);
  const root = element('div', { id: 'root' });
  const notices = noticePlaces();
  document.body.append(root);
  root.append(notices);
  let session = null;
  try {
    session = await currentSession();
  } catch (error) {
    fail(error);
  }
  session ??= await logInPage(root, notices);
  const client = new Client(session, logInAgain, () => frame.sessionChanged());
  const frame = new Frame(root, notices, client, session);
  // An app without anything shows how to begin, unless another address was opened.
  if (currentPath().length === 0 && (await isEmptyApp(client))) replace('first-steps');
  frame.start();
}

start();
