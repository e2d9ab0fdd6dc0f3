"""The same images drawn with Pillow, and how alike two images are."""

from math import cos, exp, radians, sin

from geometry import GRAVITIES, turned, way
from PIL import Image, ImageChops, ImageStat
from PIL.Image import Resampling, Transform, Transpose

TURNS = {
    2: Transpose.FLIP_LEFT_RIGHT, 3: Transpose.ROTATE_180, 4: Transpose.FLIP_TOP_BOTTOM, 5: Transpose.TRANSPOSE,
    6: Transpose.ROTATE_270, 7: Transpose.TRANSVERSE, 8: Transpose.ROTATE_90,
}
RIGHT_ANGLES = {90: Transpose.ROTATE_270, 180: Transpose.ROTATE_180, 270: Transpose.ROTATE_90}
WHITE = (255, 255, 255)

# Nine colours that stay apart when images are scaled or become JPEGs.
NINE = dict(zip(GRAVITIES, [
    (220, 20, 20), (20, 200, 20), (20, 20, 220), (220, 220, 20), (20, 210, 210), (210, 20, 210), (20, 20, 20), (235, 235, 235),
    (240, 130, 10),
]))


# Images

def mosaic(width=120, height=90):
    """An image in which no two pixels are alike, so that a cut shows where it was made."""
    image = Image.new("RGB", (width, height))
    image.putdata([(x * 2 % 256, y * 2 % 256, (x * 37 + y * 91) % 256) for y in range(height) for x in range(width)])
    return image


def nine(cell=(60, 40)):
    """Three times three fields, each in the colour of the gravity at which it lies."""
    image = Image.new("RGB", (cell[0] * 3, cell[1] * 3))
    for index, colour in enumerate(NINE.values()):
        row, column = divmod(index, 3)
        image.paste(colour, (column * cell[0], row * cell[1], (column + 1) * cell[0], (row + 1) * cell[1]))
    return image


def field(colour):
    """At which gravity a colour lies in `nine`."""
    return min(NINE, key=lambda name: sum((a - b) ** 2 for a, b in zip(NINE[name], colour)))


# Drawing

def drawn(image, words, orientation=1, background=WHITE):
    """The image that the words' sizes, cuts and turns make of this one."""
    for kind, value in way(words, *image.size, orientation).moves:
        if kind == "turn":
            image = image.transpose(TURNS[value])
        elif kind == "scale":
            image = image.resize(value, Resampling.LANCZOS)
        elif kind == "cut":
            left, top, width, height = value
            image = image.crop((left, top, left + width, top + height))
        else:
            image = rotated(image, value, background)
    return image


def rotated(image, degrees, background):
    """Turned clockwise about its middle, which becomes the middle of the larger image."""
    if degrees in RIGHT_ANGLES:
        return image.transpose(RIGHT_ANGLES[degrees])
    (width, height), size = image.size, turned(image.size, degrees)
    across, down = cos(radians(degrees)), sin(radians(degrees))
    left = width / 2 - across * size[0] / 2 - down * size[1] / 2
    top = height / 2 + down * size[0] / 2 - across * size[1] / 2
    matrix = (across, down, left, -down, across, top)
    return image.transform(size, Transform.AFFINE, matrix, Resampling.BICUBIC, fillcolor=background)


def blurred(image, radius, sigma):
    """A grey image behind a Gaussian that is cut off at the radius; at the edges the last pixel goes on."""
    weights = [exp(-(step * step) / (2 * sigma * sigma)) for step in range(-radius, radius + 1)]
    for _ in range(2):
        width, height = image.size
        rows = [list(image.crop((0, y, width, y + 1)).get_flattened_data()) for y in range(height)]
        values = [
            sum(w * row[min(max(x + step - radius, 0), width - 1)] for step, w in enumerate(weights)) / sum(weights)
            for row in rows for x in range(width)
        ]
        image = Image.new("F", (width, height))
        image.putdata(values)
        image = image.transpose(Transpose.TRANSPOSE)
    return image


# Comparing

def difference(seen, wanted):
    assert seen.size == wanted.size
    return ImageChops.difference(seen.convert("RGB"), wanted.convert("RGB"))


def distance(seen, wanted):
    """How far two images' values lie apart on average, from 0 to 255."""
    return sum(ImageStat.Stat(difference(seen, wanted)).mean) / 3


def assert_same(seen, wanted):
    """Every pixel is the same."""
    box = difference(seen, wanted).getbbox()
    assert box is None, f"other pixels within {box}"


def assert_alike(seen, wanted, mean, worst):
    """Values lie at most `mean` apart, and nowhere more than `worst` on average over 8 x 8 pixels."""
    blocks = difference(seen, wanted).reduce(8) if min(wanted.size) >= 8 else difference(seen, wanted)
    most = max(high for _, high in blocks.getextrema())
    assert distance(seen, wanted) <= mean and most <= worst, (distance(seen, wanted), most)


def assert_in_place(seen, wanted):
    """The image lies nearer to what it should be than to the same one pixel further, whichever way."""
    here = distance(seen, wanted)
    for step in (-1, 0), (1, 0), (0, -1), (0, 1):
        assert here < distance(seen, ImageChops.offset(wanted, *step)), step
