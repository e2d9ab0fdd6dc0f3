"""How images look: colours in places, likeness to others, and where marks lie."""

import numpy
from image_writers import read
from PIL import Image, ImageChops, ImageStat

WHITE, BLACK = (255, 255, 255), (0, 0, 0)
TYPES = {"jpg": "image/jpeg", "png": "image/png", "webp": "image/webp", "gif": "image/gif", "avif": "image/avif"}


def fetched(api, url, **headers):
    """The answer, which must be an image."""
    response = api.fetch(url, **headers)
    assert response.status_code == 200, response.content[:300]
    assert response.headers["Content-Type"].startswith("image/")
    return response


def seen(api, url, **headers):
    """The image that is answered."""
    return read(fetched(api, url, **headers).content)


def laid_on(image, colour=WHITE):
    """The image as it looks on a ground of this colour."""
    if image.mode not in ("RGBA", "LA", "P", "PA") and "transparency" not in image.info:
        return image.convert("RGB")
    image = image.convert("RGBA")
    return Image.alpha_composite(Image.new("RGBA", image.size, (*colour, 255)), image).convert("RGB")


def mean(image, box=None):
    """The mean colour of an image or of a part of it, on white."""
    return tuple(round(value) for value in ImageStat.Stat(laid_on(image).crop(box or (0, 0, *image.size))).mean)


def patches(image, colour=WHITE):
    """The mean colour in the middle of each quarter."""
    image, (width, height) = laid_on(image, colour), image.size
    middles = [(x, y) for y in (height // 4, height * 3 // 4) for x in (width // 4, width * 3 // 4)]
    return [mean(image, (x - 3, y - 3, x + 4, y + 4)) for x, y in middles]


def farthest(some, others):
    """The most that any channel of any colour differs."""
    return max(abs(a - b) for one, other in zip(some, others, strict=True) for a, b in zip(one, other, strict=True))


def named(colours, names):
    """What each colour is nearest to, of those that have names."""
    return [
        min(names, key=lambda name: sum((a - b) ** 2 for a, b in zip(names[name], colour))) for colour in colours
    ]


def distance(one, other, colour=WHITE):
    """How far two images of one size differ: the mean over all pixels and channels, 0 to 255."""
    difference = ImageChops.difference(laid_on(one, colour), laid_on(other, colour))
    return sum(ImageStat.Stat(difference).mean) / 3


def resized(image, size):
    """The image in another size, its transparency considered."""
    if image.mode not in ("RGBA", "LA"):
        return image.convert("RGB").resize(size, Image.LANCZOS)
    return image.convert("RGBA").convert("RGBa").resize(size, Image.LANCZOS).convert("RGBA")


def resized_in_linear_light(image, size):
    """The image in another size, resampled as light mixes and rounded to eight bits once."""
    values = numpy.asarray(image.convert("RGB")).astype(numpy.float32) / 255
    light = numpy.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
    bands = [Image.fromarray(light[..., band]).resize(size, Image.LANCZOS) for band in range(3)]
    light = numpy.stack([numpy.asarray(band) for band in bands], axis=2).clip(0, 1)
    values = numpy.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055)
    return Image.fromarray((values * 255 + 0.5).astype(numpy.uint8))


def ink(image, ground, tolerance=60):
    """Where anything else than the ground's colour is: the box, or nothing."""
    difference = ImageChops.difference(laid_on(image), Image.new("RGB", image.size, ground))
    bands = [band.point(lambda value: 255 if value > tolerance else 0) for band in difference.split()]
    return ImageChops.lighter(ImageChops.lighter(*bands[:2]), bands[2]).getbbox()
