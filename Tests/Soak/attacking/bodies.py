"""Random bodies of JSON that take more memory or time than text, with and without credentials."""

from attacking.request import KEYS, Request

# Just below and just above http.maxJsonSize.
MB = 1 << 20
SIZES = [1000, 100_000, MB, 3 * MB, 19 * MB, 20 * MB + 1000]
# What is repeated between [ and ].
ELEMENTS = [
    b"{}", b"[]", b"0", b'""', b"[[]]", b'{"a":1}', b"null", b'"\\u0041"', b"1e5", b"[{}]", b'"' + b"x" * 1000 + b'"',
]
TARGETS = [
    "/1.1/classes/Saved", "/1.1/batch", "/1.1/batch/save", "/1.1/users", "/1.1/login", "/1.1/files", "/1.1/fileTokens",
    "/1.1/roles", "/1.1/nothing", "/1.1/files/x.json",
]


class Bodies:
    """Draws bodies; most are refused, and that must be cheap."""

    def __init__(self, random):
        self.random = random
        self.pick = random.choice

    def body(self):
        body = self.pick([self.repeated, self.repeated, self.wide, self.deep, self.text, self.broken])()
        target = self.pick(TARGETS)
        if self.random.random() < 0.5:
            return Request("body", "POST", target, self.credentials() | {"Content-Type": "application/json"}, body)
        if not body.startswith(b"{"):
            body = b'{"requests":' + body + b',"_ApplicationId":"bench"' + self.key() + b"}"
        return Request("tunnel", "POST", target, {"Content-Type": "text/plain"}, body)

    def credentials(self):
        return self.pick([KEYS, KEYS, {}, KEYS | {"X-LC-Key": "wrong"}])

    def key(self):
        return self.pick([b"", b',"_ApplicationKey":"wrong"', b',"_ApplicationKey":"benchmark-key"'])

    def repeated(self):
        element, size = self.pick(ELEMENTS), self.pick(SIZES)
        list = b"[" + (element + b",") * (size // (len(element) + 1)) + element + b"]"
        return self.pick([list, b'{"requests":' + list + b"}", b'{"f0":' + list + b"}"])

    def wide(self):
        """Members with different names."""
        count = self.pick([100, 9_999, 10_001, 100_000])
        return b"{" + b",".join(b'"f%d":%d' % (number, number) for number in range(count)) + b"}"

    def deep(self):
        opening, closing = self.pick([(b"[", b"]"), (b'{"a":', b"}"), (b'[{"a":', b"}]")])
        depth = self.pick([50, 99, 100, 101, 10_000, 1_000_000])
        return opening * depth + b"1" + closing * depth

    def text(self):
        unit = self.pick([b"x", b"\\u00e9", b"\\ud83d\\ude00", "é".encode(), b"\\n"])
        return b'{"text":"' + unit * (self.pick([1000, 100_000, 3 * MB]) // len(unit)) + b'"}'

    def broken(self):
        whole = self.repeated()
        half = whole[:len(whole) // 2]
        return self.pick([whole[:-1], whole + b"x", half, b'{"a":1,"a":2}', b"\xff" * 1000, b"", b"-" * MB])
