"""Random image requests: chains of all operators, near the limits and slightly beyond."""

from base64 import urlsafe_b64encode
from urllib.parse import quote

from attacking.request import Request

GRAVITIES = ["NorthWest", "North", "Center", "SouthEast", "Nowhere"]
FORMATS = ["jpg", "png", "webp", "gif", "avif", "bmp"]
QUESTIONS = ["imageInfo", "exif", "imageAve", "stat"]
OPERATORS, STEPS = 16, 32


class Chains:
    """Draws image requests for the files that were uploaded to the server."""

    def __init__(self, random, files):
        self.random, self.files = random, files
        self.pick = random.choice
        self.names = sorted(files)

    def image(self):
        file = self.files[self.pick(self.names)]
        shape = self.random.random()
        if shape < 0.15:
            # Every sigma is another image.
            words = f"imageMogr2/blur/50x{self.random.uniform(0.1, 50.1):.4f}"
        elif shape < 0.2:
            words = "imageMogr2" + "/blur/50x50/rotate/45" * self.pick([2, STEPS // 2, STEPS // 2 + 1])
        else:
            count = self.pick([1, 1, 2, 3, 5, OPERATORS, OPERATORS + 1])
            words = "|".join(self.operator() for _ in range(count))
            if self.random.random() < 0.1:
                words += f"|{self.pick(QUESTIONS)}"
        return Request("image", "GET", f"{file}?{quote(words, safe='/$()!@')}", {})

    def question(self):
        return Request("question", "GET", f"{self.files[self.pick(self.names)]}?{self.pick(QUESTIONS)}", {})

    def operator(self):
        return self.pick([self.view, self.steps, self.steps, self.steps, self.watermark, lambda: "imageslim"])()

    def view(self):
        return f"imageView2/{self.random.randint(0, 6)}/w/{self.side()}/h/{self.side()}{self.encoding()}"

    def steps(self):
        count = self.pick([8, STEPS, STEPS + 1]) if self.random.random() < 0.2 else self.random.randint(1, 3)
        steps = "".join(f"/{self.pick(self.words)(self)}" for _ in range(count))
        return f"imageMogr2{steps}{self.encoding()}"

    def thumbnail(self):
        side, other = self.side(), self.side()
        return "thumbnail/" + self.pick([
            f"{side}x", f"x{side}", f"{side}x{other}", f"{side}x{other}!", f"!{side}x{other}r", f"{side}x{other}>",
            f"{side}x{other}<", f"!{self.random.randint(1, 1001)}p", f"{side * other}@",
        ])

    def crop(self):
        gravity = f"gravity/{self.pick(GRAVITIES)}/"
        offset = f"a{self.random.randint(0, 500)}a{self.random.randint(0, 500)}"
        return gravity + f"crop/!{self.side()}x{self.side()}" + offset

    def rotate(self):
        return f"rotate/{self.pick([1, 45, 90, 180, 359, 361])}"

    def blur(self):
        return f"blur/{self.pick([1, 5, 50, 51])}x{self.pick([0.3, 5, 49.99, 50])}"

    words = [
        thumbnail, thumbnail, crop, rotate, blur, lambda self: "sharpen/1", lambda self: "auto-orient",
        lambda self: "strip", lambda self: f"size-limit/{self.pick(['1k', '50k!', '$(fsize)', '1'])}",
    ]

    def watermark(self):
        text = coded("lcfile " * self.pick([1, 10, 140, 150]))
        size = self.pick([0, 240, 2000, 20_000, 20_001])
        kind = self.random.randint(1, 4)
        if kind == 1:
            return f"watermark/1/image/{self.mark()}/ws/{self.pick([0.1, 1])}/dissolve/{self.random.randint(1, 100)}"
        if kind == 2:
            return f"watermark/2/text/{text}/fontsize/{size}"
        if kind == 3:
            return "watermark/3" + f"/image/{self.mark()}/text/{coded('text')}" * self.pick([1, 8, 9])
        return f"watermark/4/text/{coded('tile')}/rotate/{self.random.randint(0, 361)}/uw/{self.pick([0, 1, 100])}/uh/0"

    def mark(self):
        return coded(self.files[self.pick(self.names)].lstrip("/"))

    def encoding(self):
        words = f"/format/{self.pick(FORMATS)}" if self.random.random() < 0.4 else ""
        if self.random.random() < 0.3:
            words += f"/q/{self.pick([1, 75, 100])}"
        return words + ("/ignore-error/1" if self.random.random() < 0.1 else "")

    def side(self):
        return self.pick([1, 50, 200, 1000, 3000, 4999, 5000, 9999, 10_000])


def coded(text):
    return urlsafe_b64encode(text.encode()).decode()
