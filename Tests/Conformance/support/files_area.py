"""The area Files of the console, as its reader uses it."""

from client import ALPHA, eventually
from selenium.webdriver.common.keys import Keys

TILE = ".files-grid .files-tile"


class FilesArea:
    """The area in a browser; `console` is that of browser.py."""

    def __init__(self, console):
        self.console, self.browser, self.server = console, console.browser, console.server
        self.api = console.server.api(ALPHA, master=True)

    def enter(self, *path, **options):
        self.console.enter("files", *path, **options)
        return self

    def search(self, text):
        """Shows the files whose names contain a text; waits until the grid has been filled anew."""
        field = self.browser.find(".files-filter input[type=search]")
        # One event, however slowly a machine types: each pause would begin a search.
        self.browser.run(
            "for (const tile of document.querySelectorAll('.files-tile')) tile.dataset.old = '';"
            "arguments[0].value = arguments[1];"
            "arguments[0].dispatchEvent(new Event('input', { bubbles: true }))", field, text
        )
        self.browser.wait(
            lambda: self.names() and not self.browser.all(".files-tile[data-old]") and "…" not in self.state,
            f"no grid of {text}",
        )
        return self

    @property
    def state(self):
        """What is said about the number of files."""
        return self.browser.find(".files-count").text

    def names(self):
        """The names in view, in the order of the grid; those that are not loaded are left out."""
        return self.browser.run(
            "return [...document.querySelectorAll(arguments[0])]"
            ".sort((a, b) => a.dataset.index - b.dataset.index).map((tile) => tile.title).filter(Boolean)", TILE
        )

    def tile(self, name):
        """The tile of a file."""
        def look():
            return next((tile for tile in self.browser.all(TILE) if tile.get_attribute("title") == name), None)

        return self.browser.wait(look, f"no tile {name}")

    def open(self, name):
        """Opens the dialog of a file in view."""
        self._click(name, ".files-picture")
        self.browser.find("dialog.files-dialog h2", name)
        return self

    def section(self, title):
        """Opens a part of the dialog."""
        self.browser.click("dialog.files-dialog summary", title)
        return self

    def select(self, *names):
        for name in names:
            self._click(name, ".files-check")
        return self

    def _click(self, name, selector):
        """Clicks in the tile of a file; in the new one if the page replaces the tile before the click."""
        script = "arguments[0].querySelector(arguments[1]).click(); return true"
        self.browser.wait(lambda: self.browser.run(script, self.tile(name), selector), f"no click on {name}")

    def escape(self):
        """Closes the dialog by its key."""
        self.browser.press(Keys.ESCAPE)
        self.browser.gone("dialog.files-dialog")

    def confirm(self):
        """Agrees to the question that is asked; returns its text."""
        question = "dialog:not(.files-dialog)"
        text = self.browser.find(question).text
        self.browser.click(f"{question} button.danger")
        return text

    def choose(self, *paths):
        """Chooses files of this machine for an upload."""
        self.browser.find(".files-grid")
        self.browser.all(".files-input")[0].send_keys("\n".join(str(path) for path in paths))

    def named(self, name):
        """The records of the files with a name."""
        response = self.api.get("/1.1/files", params={"where": f'{{"name":"{name}"}}'})
        assert response.status_code == 200, response.text
        return response.json()["results"]

    def stored(self, name):
        """The only file with a name, once it exists."""
        assert eventually(lambda: self.named(name), 30), f"no file {name}; uploads: {self.uploads()}"
        record, = self.named(name)
        return record

    def uploads(self):
        """What the list of uploads says."""
        return self.browser.run(
            "return [...document.querySelectorAll('.files-uploads-list li')].map((row) => row.innerText)"
        )
