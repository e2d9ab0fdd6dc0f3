"""The area People of the console, as its readers use it."""

from uuid import uuid4

from client import ALPHA
from data import batch
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.keys import Keys


def import_users(master, names):
    """Creates users in one request, without passwords, each a second after the one before; returns their ids."""
    ids = [uuid4().hex[:24] for _ in names]
    bodies = [
        {"objectId": id, "username": name, "createdAt": f"2026-01-01T00:{number // 60:02}:{number % 60:02}.000Z"}
        for number, (id, name) in enumerate(zip(ids, names))
    ]
    response = batch(master, *[{"method": "POST", "path": "/1.1/users", "body": body} for body in bodies])
    assert all("success" in one for one in response.json()), response.text
    return ids


class PeopleArea:
    """The area in a browser; `console` is that of browser.py."""

    def __init__(self, console):
        self.console, self.browser = console, console.browser
        self.master = console.server.api(ALPHA, master=True)

    def enter(self, *path, **options):
        self.console.enter("people", *path, **options)
        return self

    def go(self, *path):
        """Goes to another address without loading the page again."""
        self.browser.run("location.hash = arguments[0]", "#/" + "/".join(["people", *path]))
        return self

    def heading(self, text):
        """Waits until the page of a user, a role or a class is there."""
        self.browser.find("main h2", text)
        return self

    def search(self, text):
        """Types into the search of the page; a search waits for a pause in typing."""
        self.browser.fill("main input[type=search]", text)
        return self

    def names(self):
        """The names of the users in the list, from top to bottom."""
        return self.browser.run(
            "return [...document.querySelectorAll('.people-users tbody a')].map((link) => link.innerText)"
        )

    def shows(self, *names):
        """Waits until the list has these users, in this order."""
        self.browser.wait(lambda: self.names() == list(names), f"the users are not {names}")
        return self

    def press(self, text, where="main"):
        """Presses the button or link with a text."""
        def press():
            for node in self.browser.all(f"{where} button, {where} a, {where} summary"):
                try:
                    if node.is_displayed() and node.text == text:
                        node.click()
                        return True
                except StaleElementReferenceException:
                    continue
            return False

        self.browser.wait(press, f"nothing to press with {text!r} in {where}")
        return self

    def named(self, label):
        """Presses the control with a name for screen readers."""
        self.browser.click(f'[aria-label="{label}"]')
        return self

    def question(self):
        """The text of the question that is asked."""
        return self.browser.find("dialog").text

    def agree(self):
        """Agrees to the question; returns its text."""
        text = self.question()
        self.browser.click("dialog button.danger")
        self.browser.gone("dialog")
        return text

    def refuse(self):
        self.browser.press(Keys.ESCAPE)
        self.browser.gone("dialog")
        return self

    def notice(self, text):
        self.browser.find(".notice", text)
        return self

    def pick(self, section, text):
        """Opens a search by its title, and chooses what it finds."""
        self.press(section)
        details = self.browser.find("main details[open]", section)
        field = details.find_element("css selector", "input")
        field.send_keys(text)

        def pick():
            found = [one for one in self.browser.all("main details[open] [role=option]") if text in one.text]
            if found:
                found[0].click()
            return found

        self.browser.wait(pick, f"the search has not found {text!r}")
        return self

    # The tree

    def tree(self):
        """The names of the tree's visible roles with their levels."""
        return self.browser.run(
            "return [...document.querySelectorAll('[role=treeitem]')].filter((item) => item.checkVisibility())"
            ".map((item) => [item.ariaLabel, Number(item.ariaLevel)])"
        )

    # The matrix

    def box(self, operation, who):
        """The box of an operation and a column, by their names."""
        return self.browser.find(f'.people-matrix input[aria-label="{operation}: {who}"]')

    def tick(self, operation, who):
        self.box(operation, who).click()
        return self

    def changes(self):
        """What is said about the changes that are not saved."""
        return self.browser.find(".people-changes").text

    def errors(self):
        """What scripts and the policy of the page have reported; a refused call is no error of the page."""
        return [line for line in self.browser.errors() if "Failed to load resource" not in line]
