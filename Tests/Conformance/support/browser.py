"""Chromium without a window, driven by WebDriver: what a reader of the console sees and does.

Each pytest worker has one browser for all its tests; each test gets an empty profile of cookies and storage. Nothing
sleeps: `find` and `wait` look until something is there, and name what was missing.
"""

import os
from pathlib import Path

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException, WebDriverException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from client import ALPHA, clean_environment, eventually
from console_calls import ConsoleCalls

WITHIN = 30
SCREENSHOTS = os.environ.get("LCFILE_SCREENSHOTS")


class Browser:
    """One Chromium; `open` begins with a page that knows nothing of earlier tests."""

    def __init__(self, folder):
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for argument in [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-extensions", "--mute-audio",
            "--force-color-profile=srgb", "--hide-scrollbars", "--lang=en", f"--user-data-dir={folder}",
        ]:
            options.add_argument(argument)
        options.add_experimental_option("prefs", {"intl.accept_languages": "en-US"})
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        service = webdriver.ChromeService("/usr/bin/chromedriver", env=clean_environment(HOME=str(folder)))
        self.driver = webdriver.Chrome(options=options, service=service)
        self.driver.set_page_load_timeout(WITHIN)
        self.driver.set_script_timeout(WITHIN)
        self.agent = self.run("return navigator.userAgent")

    def close(self):
        self.driver.quit()

    def forget(self):
        """Closes all other pages, and removes cookies and stored values."""
        first, *others = self.driver.window_handles
        for handle in others:
            self.driver.switch_to.window(handle)
            self.driver.close()
        self.driver.switch_to.window(first)
        self.driver.get("about:blank")
        self.command("Storage.clearDataForOrigin", origin="*", storageTypes="all")
        self.command("Network.clearBrowserCookies")
        self.command("Emulation.setEmulatedMedia", media="", features=[])
        self.command("Emulation.setTimezoneOverride", timezoneId="")
        self.speak("en-US")
        self.size(1200, 800)
        self.driver.get_log("browser")

    def command(self, method, /, **parameters):
        """A command of the DevTools protocol."""
        return self.driver.execute_cdp_cmd(method, parameters)

    def size(self, width, height):
        """The size of the page in CSS pixels; a window cannot be as narrow as a telephone."""
        self.command(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
        )

    def speak(self, language):
        """The languages that the browser says its reader has."""
        self.command("Emulation.setUserAgentOverride", userAgent=self.agent, acceptLanguage=language)

    def prefer(self, **features):
        """What the reader prefers: `scheme='dark'`, `motion='reduce'`."""
        names = {"scheme": "prefers-color-scheme", "motion": "prefers-reduced-motion"}
        self.command(
            "Emulation.setEmulatedMedia",
            features=[{"name": names[name], "value": value} for name, value in features.items()],
        )

    # What is on the page

    def all(self, selector):
        """The elements of a CSS selector, as they are now."""
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def find(self, selector, text=None, within=WITHIN):
        """The first element that is shown, and whose text contains a string; waits for it."""
        def look():
            for node in self.all(selector):
                try:
                    if node.is_displayed() and (text is None or text in node.text):
                        return node
                except StaleElementReferenceException:
                    continue
            return None

        found = eventually(look, within)
        assert found, f"no {selector} with {text!r}; the page: {self.text[:2000]}\n{self.errors()}"
        return found

    def wait(self, condition, what):
        """Waits until a condition holds; an element that was replaced meanwhile is looked at again."""
        def look():
            try:
                return condition()
            except StaleElementReferenceException:
                return False

        found = eventually(look, WITHIN)
        assert found, f"{what}; the page: {self.text[:2000]}\n{self.errors()}"
        return found

    def gone(self, selector):
        """Waits until no such element is shown."""
        self.wait(lambda: not any(node.is_displayed() for node in self.all(selector)), f"{selector} is still there")

    @property
    def text(self):
        return self.run("return document.body ? document.body.innerText : ''")

    def run(self, script, *arguments):
        """Runs the body of a function in the page; the script itself is subject to Trusted Types, too."""
        return self.driver.execute_script(script, *arguments)

    def errors(self):
        """What the page has reported since the last look: errors of scripts, and violations of its policy."""
        lines = [line["message"] for line in self.driver.get_log("browser") if line["level"] == "SEVERE"]
        # The browser asks for it by itself where a document names no icon, as a file does.
        return [line for line in lines if "/favicon.ico - " not in line]

    # What a reader does

    def click(self, selector, text=None):
        self.find(selector, text).click()

    def fill(self, selector, text):
        """Types a text into an empty or emptied field."""
        field = self.find(selector)
        field.send_keys(Keys.CONTROL + "a", Keys.DELETE)
        field.send_keys(text)
        return field

    def press(self, *keys):
        """Presses keys at the element that has the focus; several at once if they are in a list."""
        # An element that is replaced before it gets the keys is looked for again.
        self.wait(lambda: self.focused.send_keys("".join(keys)) is None, "the element with the focus takes no keys")

    @property
    def focused(self):
        return self.driver.switch_to.active_element

    def screenshot(self, name):
        """Stores a picture in the folder of LCFILE_SCREENSHOTS, if it is set, for people to look at."""
        if SCREENSHOTS:
            Path(SCREENSHOTS).mkdir(parents=True, exist_ok=True)
            self.driver.save_screenshot(str(Path(SCREENSHOTS) / f"{name}.png"))


class Console:
    """The console of a server in a browser."""

    def __init__(self, browser, server, app=ALPHA):
        self.browser, self.server, self.app = browser, server, app
        self.url = f"{server.url}/console/"

    def open(self, *path, language="en"):
        """Opens the page, without a session at first."""
        driver = self.browser.driver
        self.browser.speak({"en": "en-US", "zh": "zh-CN"}[language])
        # A change of the fragment alone loads nothing.
        if driver.current_url.startswith(self.url):
            driver.get("about:blank")
        driver.get(self.url + self.address(*path))
        return self

    @staticmethod
    def address(*path):
        return "#/" + "/".join(path) if path else ""

    def log_in(self, key=None, app=None):
        """Fills the form of the page or of the dialog."""
        browser = self.browser
        if browser.find("form.login-form input[name=app]").get_attribute("readonly") is None:
            browser.fill("form.login-form input[name=app]", (app or self.app).id)
        browser.fill("form.login-form input[name=key]", key or self.app.master)
        browser.click("form.login-form button[type=submit]")
        return self

    def enter(self, *path, key=None, language="en"):
        """Opens an area with a new session, which is begun without the form."""
        calls = ConsoleCalls(self.server, self.app)
        response = calls.log_in(key)
        assert response.status_code == 200, response.text
        self.browser.command(
            "Network.setCookie", name=calls.cookie.name, value=calls.cookie.value, url=self.url, path="/console",
            httpOnly=True, sameSite="Strict",
        )
        self.open(*path, language=language)
        self.browser.find("nav.areas")
        return self

    def end_sessions(self):
        """Ends all sessions of the app from outside, as an operator does."""
        response = self.server.api(self.app, master=True).call("DELETE", "/1.1/console/sessions")
        assert response.status_code == 200, response.text

