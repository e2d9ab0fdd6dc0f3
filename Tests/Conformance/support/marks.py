"""Words for watermarks, and where they should lie."""

from uploading import url64

GRAVITIES = {
    "NorthWest": (0, 0), "North": (1, 0), "NorthEast": (2, 0), "West": (0, 1), "Center": (1, 1), "East": (2, 1),
    "SouthWest": (0, 2), "South": (1, 2), "SouthEast": (2, 2),
}


def words_of(options):
    return "".join(f"/{name}/{value}" for name, value in options.items())


def image(url, **options):
    """The words of an image mark, without the operator."""
    return f"/image/{url64(url)}" + words_of(options)


def text(said, **options):
    """The words of a text mark, without the operator; font and fill are said plainly."""
    for name in ("font", "fill"):
        if name in options:
            options[name] = url64(options[name])
    return f"/text/{url64(said)}" + words_of(options)


def place(gravity, picture, mark, dx=10, dy=10):
    """The box of a mark by section 5: offsets are from the edge it lies at; from the middle they go right and down."""
    box = []
    for position, whole, part, offset in zip(GRAVITIES[gravity], picture, mark, (dx, dy)):
        box.append({0: offset, 1: (whole - part) // 2 + offset, 2: whole - part - offset}[position])
    left, top = box
    right, bottom = left + mark[0], top + mark[1]
    return max(left, 0), max(top, 0), min(right, picture[0]), min(bottom, picture[1])
