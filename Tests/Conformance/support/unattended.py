"""A page without a user at it: whether it calls the server by itself, without waiting for its timers."""


def hold_timers(browser):
    """Keeps all timers that the page sets from now on, and waits until it has set one."""
    browser.run(
        "window.held = []; window.setTimeout = (run) => { window.held.push(run); };"
        "const sent = window.fetch; window.fetch = (...call) => { window.calls += 1; return sent(...call); }"
    )
    browser.wait(lambda: browser.run("return window.held.length") > 0, "the page has set no timer")


def calls_after(browser, minutes):
    """The number of calls that the timers cause when no key and no pointer was used for so long."""
    return browser.run(
        "const now = performance.now.bind(performance); performance.now = () => now() + arguments[0] * 60_000;"
        "window.calls = 0; for (const run of window.held.splice(0)) run();"
        # What the timers have begun is done before the next message.
        "return new Promise((resolve) => {"
        " const { port1, port2 } = new MessageChannel(); port1.onmessage = () => resolve(window.calls);"
        " port2.postMessage(null); });", minutes
    )


def calls_with_a_key(browser):
    """Waits until the page calls the server after a key."""
    browser.find("body").send_keys("x")
    browser.wait(lambda: browser.run("return window.calls") > 0, "the page makes no call")
