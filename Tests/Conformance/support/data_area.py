"""The area Data of the console, as its readers use it: the table by keyboard, panels, notices."""

import json
from urllib.parse import quote

from client import eventually
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select


class DataArea:
    """The area in a console whose browser is logged in."""

    def __init__(self, console):
        self.console = console
        self.browser = console.browser

    def enter(self, name, where=None, order=None, count=None, **options):
        """Logs in and opens a class, whose table then has `count` objects."""
        state = {"where": where or {}} | ({"order": order} if order else {})
        more = [quote(json.dumps(state), safe="")] if where or order else []
        self.console.enter("data", "class", name, *more, **options)
        self.browser.find(".data-head h2", name)
        return self.has(count) if count is not None else self

    def has(self, count, selected=None):
        """Waits until the table has so many objects."""
        text = f"Objects: {count:,}" + (f" · selected: {selected:,}" if selected else "")
        self.browser.wait(lambda: self.browser.find(".data-state").text == text, f"the state is not {text!r}")
        return self

    # The table

    def column(self, field):
        """The number of a column, from 1, as `aria-colindex` has it."""
        def look():
            for cell in self.browser.all("[role=columnheader]"):
                if cell.get_attribute("textContent").startswith(field):
                    return int(cell.get_attribute("aria-colindex"))
            return None

        return self.browser.wait(look, f"no column {field}")

    def cell(self, row, field):
        """The cell of a row, from 0, once its object is there."""
        selector = f".grid-row[aria-rowindex='{row + 2}'] > [aria-colindex='{self.column(field)}']"
        return self.browser.wait(lambda: next(iter(self.browser.all(selector)), None), f"no {field} in row {row}")

    def text(self, row, field):
        return self.cell(row, field).get_attribute("textContent")

    def shows(self, row, field, text):
        """Waits until a cell has a text."""
        self.browser.wait(lambda: self.text(row, field) == text, f"{field} of row {row} is not {text!r}")
        return self

    def values(self, field, count):
        return [self.text(row, field) for row in range(count)]

    def focus(self, row, field):
        """Puts the focus on a cell. A table that is rendered again has another node for it."""
        def focus():
            cell = self.cell(row, field)
            self.browser.run("arguments[0].focus()", cell)
            return self.browser.focused == cell

        self.browser.wait(focus, f"{field} of row {row} takes no focus")
        return self

    def open(self, row, field):
        """Opens the editor of a cell by keyboard."""
        self.focus(row, field)
        self.browser.press(Keys.ENTER)
        return self.browser.find("dialog")

    def select(self, *rows):
        for row in rows:
            self.focus(row, "objectId")
            self.browser.press(Keys.SPACE)
        return self

    # Buttons and panels

    def press(self, text):
        """Presses the button with a text, in the panel if one is open."""
        where = "dialog button" if self.browser.all("dialog") else ".place button"
        button = self.browser.wait(
            lambda: next((b for b in self.browser.all(where) if b.text == text and b.is_displayed()), None),
            f"no button {text!r}",
        )
        button.click()
        return self

    def save(self):
        """Saves what is in the panel, which closes."""
        self.browser.click("dialog button.primary")
        self.browser.gone("dialog")
        return self

    def refusal(self):
        """What the panel says about a value that it does not take."""
        self.browser.click("dialog button.primary")
        return self.browser.find("dialog [role=alert]").text

    def type(self, text):
        """Replaces what is in the field with the focus."""
        self.browser.press(Keys.CONTROL, "a")
        self.browser.press(text)
        return self

    def choose(self, label, text):
        """Chooses in the last list with a name."""
        nodes = self.browser.wait(lambda: self.browser.all(f"select[aria-label='{label}']"), f"no list {label!r}")
        Select(nodes[-1]).select_by_visible_text(text)
        return self

    def pick(self, text):
        """Chooses what a search has found. A further answer to the search replaces the list."""
        def pick():
            found = [option for option in self.browser.all("[role=option]") if text in option.text]
            if found:
                found[0].click()
            return found

        self.browser.wait(pick, f"the search has not found {text!r}")
        return self

    def errors(self):
        """What scripts and the policy of the page have reported; a refused call is no error of the page."""
        return [line for line in self.browser.errors() if "Failed to load resource" not in line]

    def notice(self, text):
        self.browser.find(".notice", text)
        return self

    def buttons(self):
        """The texts of the buttons of the class."""
        return [button.text for button in self.browser.all(".data-head button") if button.is_displayed()]


def downloaded(folder, name):
    """The text of a file that the browser has saved."""
    path = folder / name
    assert eventually(path.exists, 30), f"no {name} in {list(folder.iterdir())}"
    return path.read_bytes().decode()


