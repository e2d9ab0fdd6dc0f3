// Loads a view again and again while the page is seen and used: its own calls must not keep a session alive for ever.

/// The time without a key or a pointer after which nothing is loaded any more.
const idleAfter = 15 * 60_000;
const signs = ['pointerdown', 'pointermove', 'keydown', 'wheel'];

/// Whether the page is seen and used.
export class Presence {
  #last = performance.now();
  #waiting = [];
  #onsign = () => {
    this.#last = performance.now();
    this.#wake();
  };

  constructor() {
    for (const sign of signs) document.addEventListener(sign, this.#onsign, { passive: true });
    document.addEventListener('visibilitychange', this.#onsign);
  }

  close() {
    for (const sign of signs) document.removeEventListener(sign, this.#onsign);
    document.removeEventListener('visibilitychange', this.#onsign);
  }

  get isThere() {
    return document.visibilityState === 'visible' && performance.now() - this.#last < idleAfter;
  }

  /// Returns when the page is seen and used, at once if it is.
  async back() {
    if (!this.isThere) await new Promise((resolve) => this.#waiting.push(resolve));
  }

  #wake() {
    if (!this.isThere) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}

/// Calls `load(signal)` now and every `seconds` while the page is seen and used. A failure is reported once until a
/// call succeeds again.
///
/// Returns `{ close() }`.
export function refresh(load, seconds, fail) {
  const closing = new AbortController();
  const presence = new Presence();
  const run = async () => {
    let hasFailed = false;
    while (!closing.signal.aborted) {
      try {
        await load(closing.signal);
        hasFailed = false;
      } catch (error) {
        if (closing.signal.aborted || error?.name === 'LogInRefused') return;
        if (!hasFailed) fail(error);
        hasFailed = true;
      }
      await pause(seconds * 1000, closing.signal);
      if (!closing.signal.aborted) await presence.back();
    }
  };
  run();
  return {
    close() {
      closing.abort();
      presence.close();
    },
  };
}

/// Waits for a time, or until the signal is aborted.
export function pause(milliseconds, signal) {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });
}
