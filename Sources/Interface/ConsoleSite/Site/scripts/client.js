// The calls of the API (docs/http-api.md) with the session of the console.

/// A refusal of the server, or no answer (status 0).
export class ServerError extends Error {
  constructor(status, code, message, requestID) {
    super(message);
    this.name = 'ServerError';
    this.status = status;
    this.code = code;
    this.requestID = requestID;
  }

  static async of(response) {
    const body = await response.json().catch(() => ({}));
    const message = typeof body?.error === 'string' ? body.error : `HTTP ${response.status}`;
    return new ServerError(response.status, body?.code ?? response.status, message, response.headers.get('X-Request-Id'));
  }
}

async function fetched(path, options) {
  try {
    return await fetch(path, { credentials: 'same-origin', cache: 'no-store', redirect: 'error', ...options });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new ServerError(0, 0, '', null);
  }
}

async function sessionCall(method, body, token) {
  const headers = {};
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  if (token) headers['X-Console-Token'] = token;
  const response = await fetched('/console/session', { method, headers, body: body && JSON.stringify(body) });
  if (!response.ok) throw await ServerError.of(response);
  return response.json();
}

/// The session: `{ app, readOnly, session, token, expiresAt }`; `null` if the browser has none.
export async function currentSession() {
  const session = await sessionCall('GET');
  return session.app ? session : null;
}

/// Logs in with the master key or the read-only key of an app.
export function logIn(app, key) {
  return sessionCall('POST', { app, key });
}

function isRaw(body) {
  return body instanceof Blob || body instanceof ArrayBuffer || ArrayBuffer.isView(body) || body instanceof FormData
    || typeof body === 'string';
}

/// Calls the API in a session, and repeats a call after a new log-in if the session has ended.
export class Client {
  #session;
  #logInAgain;
  #waiting = null;
  #onrenewed;

  /// - `session`: the session, as `currentSession` returns it. Its members change with a new log-in.
  /// - `logInAgain(app)`: asks for a log-in to the app and returns the new session, or throws.
  /// - `onrenewed()`: called when the members of the session have changed.
  constructor(session, logInAgain, onrenewed = () => {}) {
    this.#session = session;
    this.#onrenewed = onrenewed;
    this.#logInAgain = logInAgain;
  }

  /// The address of a call: `url('classes/Post', { where: { a: 1 }, limit: 10 })`.
  ///
  /// The path is below `/1.1/`, encoded. Values that are not strings become JSON; `undefined` and `null` are left out.
  url(path, query = {}) {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
      if (value === undefined || value === null) continue;
      parameters.set(name, typeof value === 'string' ? value : JSON.stringify(value));
    }
    const text = parameters.toString();
    return `/console/api/1.1/${path.replace(/^\/?(1\.1\/)?/, '')}${text ? `?${text}` : ''}`;
  }

  /// The path of an absolute or relative URL of the API, such as the Location of an upload, for `request`.
  pathOf(url) {
    return new URL(url, location.origin).pathname.replace(/^.*?\/1\.1\//, '');
  }

  /// The header fields that each call needs, for calls that are not made here (XMLHttpRequest).
  headers() {
    return { 'X-Console-Token': this.#session.token };
  }

  /// The time of the server, as a Date value: the clock of the browser can be another one.
  time() {
    return this.get('date');
  }

  /// GET with a query; returns the JSON of the response.
  async get(path, query, options = {}) {
    return (await this.request('GET', path, { ...options, query })).json();
  }

  /// A call with a JSON body; returns the JSON of the response, `null` for an empty one.
  async send(method, path, body, options = {}) {
    const response = await this.request(method, path, { ...options, body });
    const text = await response.text();
    return text ? JSON.parse(text) : null;
  }

  /// Any call. A body of bytes or a string is sent as it is, other values as JSON.
  ///
  /// Options: `query`, `body`, `headers`, `signal`. Returns the response if its status is 2xx, and throws a
  /// ServerError otherwise.
  async request(method, path, { query, body, headers = {}, signal } = {}) {
    for (let round = 0; ; round += 1) {
      const raw = body === undefined || isRaw(body);
      const { token } = this.#session;
      const response = await fetched(this.url(path, query), {
        method,
        signal,
        headers: { ...(raw ? {} : { 'Content-Type': 'application/json' }), ...headers, ...this.headers() },
        body: raw ? body : JSON.stringify(body),
      });
      if (response.ok) return response;
      const reason = response.headers.get('X-Console-Session');
      if (!reason || round === 3) throw await ServerError.of(response);
      // Another call can have renewed the session meanwhile.
      if (token === this.#session.token) await this.renew(reason === 'changed' && round === 0);
    }
  }

  /// Gets a session again, once for all calls that wait: another tab's, or after a log-in.
  async renew(canBeElsewhere = true) {
    this.#waiting ??= this.#renew(canBeElsewhere).finally(() => {
      this.#waiting = null;
    });
    return this.#waiting;
  }

  async #renew(canBeElsewhere) {
    const other = canBeElsewhere ? await currentSession() : null;
    const usable = other?.app === this.#session.app ? other : null;
    Object.assign(this.#session, usable ?? (await this.#logInAgain(this.#session.app)));
    this.#onrenewed();
  }

  /// Ends the session of the browser, which can be that of a later log-in in another tab.
  async logOut() {
    try {
      await sessionCall('DELETE', undefined, this.#session.token);
    } catch (error) {
      if (error.status !== 403) throw error;
      const other = await currentSession();
      if (other) await sessionCall('DELETE', undefined, other.token);
    }
  }
}
