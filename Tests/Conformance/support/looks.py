"""What all readers need of each view of the console: rules of accessibility, and no line wider than the window."""

import pytest
from accessibility import broken_rules, overflows

LOOKS = pytest.mark.parametrize("language, scheme, width", [("en", "light", 1200), ("zh", "dark", 320)])


class Looks:
    """Looks at views in one language, colour scheme and width, and keeps what is wrong with each."""

    def __init__(self, browser, area, language, scheme, width):
        self.browser = browser
        self.name = f"{area}-{{}}-{language}-{scheme}-{width}"
        self.broken = {}
        browser.size(width, 800)
        browser.prefer(scheme=scheme)

    def at(self, view):
        """Looks at what is shown now; makes a screenshot if screenshots are wanted."""
        browser = self.browser
        found = broken_rules(browser) + [f"wider than the window: {node}" for node in overflows(browser)]
        if found:
            self.broken[view] = found
        browser.screenshot(self.name.format(view))
