// Short messages at the edge of the page, which a screen reader reads out.

import { ServerError } from './client.js';
import { element } from './element.js';
import { words } from './words.js';

const lasting = 8000;
let polite;
let urgent;

/// Makes the places of the messages; a live region must exist before its first message.
export function noticePlaces() {
  polite = element('div', { class: 'notices-polite', role: 'status', 'aria-live': 'polite' });
  urgent = element('div', { class: 'notices-urgent', role: 'alert', 'aria-live': 'assertive' });
  return element('div', { class: 'notices' }, urgent, polite);
}

function show(place, kind, lines) {
  const close = element('button', { type: 'button', class: 'notice-close', 'aria-label': words('notice.close') }, '×');
  const text = element('div', {}, lines.map((line) => element('p', {}, line)));
  const node = element('div', { class: `notice ${kind}` }, text, close);
  close.addEventListener('click', () => node.remove());
  place.append(node);
  return node;
}

/// Says that something was done. It goes by itself, unless the pointer or the focus is on it.
export function say(text) {
  const node = show(polite, 'done', [text]);
  const leave = () => {
    if (node.matches(':hover, :focus-within')) setTimeout(leave, lasting);
    else node.remove();
  };
  setTimeout(leave, lasting);
}

/// Whether an error only says that a call was cancelled: by the page, or by a reader who does not log in again.
function isCancelled(error) {
  return error?.name === 'AbortError' || error?.name === 'LogInRefused';
}

/// The lines that describe an error: the server's message, and the request's id for the log of the server.
///
/// A call that was cancelled has none.
export function describe(error) {
  if (isCancelled(error)) return [];
  if (!(error instanceof ServerError)) return [words('error.unexpected', { message: error?.message ?? String(error) })];
  if (error.status === 0) return [words('error.unreachable')];
  const message = error.message || words('error.status', { status: String(error.status) });
  return error.requestID ? [message, words('error.request', { id: error.requestID })] : [message];
}

/// Shows an error until it is closed. A call that was cancelled is no error.
export function fail(error) {
  if (isCancelled(error)) return;
  if (!(error instanceof ServerError)) console.error(error);
  show(urgent, 'failed', describe(error));
}
