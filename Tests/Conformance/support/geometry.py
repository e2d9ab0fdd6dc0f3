"""The sizes and cuts that docs/image-options.md promises for imageView, imageView2 and imageMogr2, worked out from its
sentences in exact numbers."""

import re
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from math import ceil, cos, floor, isqrt, radians, sin
from urllib.parse import unquote

LARGEST_SIDE, LARGEST_AREA = 9999, 25_000_000
ONLY_SHRINKING_SIDE, ONLY_SHRINKING_AREA = 10_000, 25_000_000
GRAVITIES = ["NorthWest", "North", "NorthEast", "West", "Center", "East", "SouthWest", "South", "SouthEast"]


class Refused(Exception):
    """The document wants 400 for this."""


@dataclass(frozen=True)
class Way:
    """What happens to an image one after the other, the size it has then, the EXIF orientation it still has, and the most
    pixels that it had on the way.

    Moves are ("turn", orientation), ("scale", (width, height)), ("cut", (left, top, width, height)), ("rotate", degrees).
    """

    size: tuple
    orientation: int = 1
    moves: tuple = ()
    most: int = 0

    def moved(self, kind, value, size, **changed):
        unchanged = kind in ("scale", "cut") and size == self.size
        moves = self.moves if unchanged else (*self.moves, (kind, value))
        return replace(self, size=size, moves=moves, most=max(self.most, size[0] * size[1]), **changed)

    def upright(self):
        if self.orientation == 1:
            return self
        size = self.size[::-1] if self.orientation >= 5 else self.size
        return self.moved("turn", self.orientation, size, orientation=1)

    def scaled(self, size):
        return self.moved("scale", size, size)

    def cut(self, left, top, width, height):
        return self.moved("cut", (left, top, width, height), (width, height))

    def rotated(self, degrees):
        return self.moved("rotate", degrees, turned(self.size, degrees)) if degrees % 360 else self

    def within_limits(self):
        width, height = self.size
        if max(width, height) > LARGEST_SIDE or width * height > LARGEST_AREA:
            raise Refused(f"{width}x{height} is too large")
        return self


def expected_size(words, width, height, orientation=1):
    """The exact size of the answer; Refused where it must be 400."""
    return way(words, width, height, orientation).size


def way(words, width, height, orientation=1):
    """What the words of a query do to an image of this size."""
    found = Way((width, height), orientation)
    for operator in unquote(words.partition("&")[0]).split("|"):
        name, *rest = operator.removesuffix("/").split("/")
        found = mogr(found, rest) if name == "imageMogr2" else view(found, name, *rest)
    return found.within_limits()


# Numbers

def whole(text):
    """A number as it is written; 0 counts as not given."""
    return int(Decimal(text).quantize(Decimal(1), ROUND_HALF_UP)) if text else 0


def half_up(number):
    return floor(number + Fraction(1, 2))


def times(size, factor):
    return tuple(max(1, half_up(side * factor)) for side in size)


def factors(size, box):
    """By how much each side that the box gives differs from the image's."""
    return [Fraction(wanted, side) for side, wanted in zip(size, box) if wanted]


# imageView and imageView2

def view(found, name, mode, *rest):
    values = dict(zip(rest[::2], rest[1::2]))
    box = tuple(whole(values.get(side, "")) for side in "wh")
    mode = int(mode)
    if mode in (1, 3, 4, 5):
        box = tuple(side or max(box) for side in box)
    found = found.upright()
    if mode in (0, 4, 5) and found.size[0] < found.size[1]:
        box = box[::-1]
    choose = min if mode in (0, 2) else max
    factor = choose(factors(found.size, box))
    if factor < 1 or (name == "imageView" and mode == 1):
        found = found.scaled(times(found.size, factor))
    if mode in (1, 5):
        width, height = map(min, found.size, box)
        found = found.cut((found.size[0] - width) // 2, (found.size[1] - height) // 2, width, height)
    return found.within_limits()


# imageMogr2

def mogr(found, words):
    words, gravity, stripped = list(words), "NorthWest", False
    while words:
        word = words.pop(0)
        if word == "auto-orient":
            found = found.upright()
        elif word == "strip":
            stripped = True
        else:
            value = words.pop(0)
            if word == "thumbnail":
                found = found.scaled(thumbnail(found.size, value)).within_limits()
            elif word == "gravity":
                gravity = value
            elif word == "crop":
                found = found.cut(*rectangle(found.size, value, gravity)).within_limits()
            elif word == "rotate":
                found = found.rotated(whole(value)).within_limits()
    return replace(found, orientation=1) if stripped else found


def unescaped(text):
    """A `!` at the beginning says that p, r and a stand for %, ^ and +."""
    return text[1:].translate(str.maketrans("pra", "%^+")) if text.startswith("!") else text


def thumbnail(size, text):
    text = unescaped(text)
    if "%" in text:
        both = re.fullmatch(r"([\d.]+)%", text)
        across, down = both.groups() * 2 if both else re.fullmatch(r"(?:([\d.]+)%)?x(?:([\d.]+)%)?", text).groups()
        percents = (whole(across) or 100, whole(down) or 100)
        return tuple(times((side,), Fraction(percent, 100))[0] for side, percent in zip(size, percents))
    if text.endswith("@"):
        return within_area(size, whole(text[:-1]))
    *sides, sign = re.fullmatch(r"([\d.]*)x([\d.]*)([!^<>]?)", text).groups()
    box = tuple(whole(side) for side in sides)
    if not any(box):
        return size
    if sign == "!" and all(box):
        return box
    factor = (max if sign == "^" else min)(factors(size, box))
    if sign == ">" or max(box) > ONLY_SHRINKING_SIDE:
        factor = min(factor, 1)
    if sign == "<":
        factor = factor if all(side < wanted for side, wanted in zip(size, box) if wanted) else 1
    return times(size, factor)


def within_area(size, area):
    width, height = size
    if area > ONLY_SHRINKING_AREA and area >= width * height:
        return size
    return tuple(max(1, isqrt(area * side // other)) for side, other in (size, size[::-1]))


def rectangle(size, text, gravity):
    """Where a crop lies in an image: placed by gravity, moved, and cut at the edges."""
    *sides, right, down = re.fullmatch(r"([\d.]*)x([\d.]*)(?:([+-][\d.]+)([+-][\d.]+))?", unescaped(text)).groups()
    row, column = divmod(GRAVITIES.index(gravity), 3)
    edges = []
    for length, wanted, place, move in zip(size, map(whole, sides), (column, row), (right, down)):
        wanted = wanted or length
        start = (0, (length - wanted) // 2, length - wanted)[place]
        if move:
            start += whole(move[1:]) * (-1 if move[0] == "-" else 1)
        first, last = max(0, start), min(length, start + wanted)
        if first >= last:
            raise Refused("nothing of the rectangle lies in the picture")
        edges.append((first, last - first))
    (left, width), (top, height) = edges
    return left, top, width, height


def turned(size, degrees):
    """The size of the image that holds this one turned."""
    if degrees % 90 == 0:
        return size if degrees % 180 == 0 else size[::-1]
    across, down = abs(cos(radians(degrees))), abs(sin(radians(degrees)))
    width, height = size
    return tuple(ceil(length - 0.001) for length in (width * across + height * down, width * down + height * across))
