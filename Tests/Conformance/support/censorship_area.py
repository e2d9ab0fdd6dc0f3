"""The area Censorship of the console, as its reader uses it."""

from censoring import decided, photo, state
from client import ALPHA, eventually


class CensorshipArea:
    """The area in a browser; `console` is that of browser.py."""

    def __init__(self, console):
        self.console, self.browser, self.server = console, console.browser, console.server
        self.api = console.server.api(ALPHA, master=True)

    def enter(self, *path, **options):
        self.console.enter("censorship", *path, **options)
        return self

    # Images

    def image(self, name):
        """Uploads an image whose name says what the checker thinks of it, and waits for its verdict; returns its id."""
        id = self.api.store(photo(name), name, "image/jpeg")["objectId"]
        decided(self.api, id)
        return id

    def images(self, verdict, word, count, score=0.5):
        """Several images, the newest of which is the last."""
        return [self.image(f"{verdict}-{score}-{word}-{n}.jpg") for n in range(count)]

    def has(self, id, verdict):
        """Waits until a file has a verdict; returns the state."""
        seen = eventually(lambda: (now := state(self.api, id))["censorResult"] == verdict and now, 30)
        assert seen, f"{id} is not {verdict}: {state(self.api, id)}"
        return seen

    # The review

    @property
    def current(self):
        """The name of the image that is shown."""
        return self.browser.find(".censor-card h2").text

    def shows(self, name):
        """Waits until an image is the one that is shown."""
        self.browser.wait(lambda: self.current == name, f"{name} is not shown")
        return self

    def loaded(self):
        """Waits for the image; returns its width in pixels."""
        width = "return document.querySelector('.censor-image img')?.naturalWidth"
        return self.browser.wait(lambda: self.browser.run(width), "no image")

    @property
    def is_blurred(self):
        return self.browser.run("return getComputedStyle(document.querySelector('.censor-image img')).filter") != "none"

    def key(self, key):
        """Presses a key outside of all fields."""
        self.browser.find("body").send_keys(key)
        return self

    def names(self):
        """The names in the list."""
        return [node.text for node in self.browser.all(".censor-item-name")]

    def buttons(self):
        """The texts of all buttons that are shown in the area."""
        return [button.text for button in self.browser.all("main button") if button.is_displayed()]

    def slide(self, name, hundredths):
        """Moves a slider."""
        self.browser.find(f"input[name={name}]")
        self.browser.run(
            "const slider = document.querySelector(`input[name=${arguments[0]}]`); slider.value = arguments[1];"
            "slider.dispatchEvent(new Event('input', { bubbles: true }))", name, hundredths
        )
        return self

    def estimate(self, row):
        """The numbers of images that pass, wait for a person and are blocked: of the values in force, or the sliders."""
        cells = "return [...document.querySelectorAll('.censor-thresholds tbody tr')]"
        return self.browser.run(
            f"{cells}.filter((row) => row.querySelector('td[data-verdict]'))[arguments[0]]"
            "?.innerText.split('\\t').slice(1).map((text) => text.trim()) ?? []", row
        )
