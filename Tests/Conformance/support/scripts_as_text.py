"""Values that become scripts wherever a page shows them as anything but text; each would call `stolen()`."""

XSS = [
    "<script>stolen()</script>",
    "<img src=x onerror=stolen()>",
    "<svg onload=stolen()>",
    "\"><img src=x onerror=stolen()>",
    "'><svg/onload=stolen()>",
    "</textarea><script>stolen()</script>",
    "</title></style><script>stolen()</script>",
    "<iframe srcdoc='<script>parent.stolen()</script>'></iframe>",
    "javascript:stolen()",
    " jav\tascript:stolen()",
    "data:text/html,<script>stolen()</script>",
    "{{constructor.constructor('stolen()')()}}",
    "${stolen()}",
    "`;stolen();//",
    "\u202e<b onmouseover=stolen()>\u2066",
    "<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src onerror=stolen()&gt;\">",
]


def watch(browser):
    """Makes the page note each call of `stolen()`."""
    browser.run("window.stolenCount = 0; window.stolen = () => { window.stolenCount += 1; };")


def assert_nothing_ran(browser):
    """No value became a script, an element or an attribute that could run one."""
    assert browser.run("return window.stolenCount") == 0
    found = browser.run(r"""
        const isEvent = (attribute) => /^on/i.test(attribute.name);
        return [...document.querySelectorAll('body *')]
          .filter((node) => [...node.attributes].some(isEvent)
            || node.matches('script, iframe, object, embed, style, link, base, meta, svg, math')
            || /^\s*(javascript|data:text)/i.test(node.getAttribute('href') ?? node.getAttribute('src') ?? ''))
          .map((node) => node.outerHTML.slice(0, 200));
    """)
    assert found == []
