"""The memory of a server that makes images stays where it is."""

import random

import pytest
from cases import count
from hostile import MB, children, memory
from pictures import encoded, plain
from PIL import Image

pytestmark = pytest.mark.long

FORMATS = ("jpg", "png", "webp", "gif", "avif")


# Of the one that was cut off some pixels are there, which is enough for some requests.
BROKEN = {"cut-off.jpg": (200, 400), "no-picture.jpg": (400,)}


def sources(rocket):
    noise = Image.effect_noise((500, 400), 60).convert("RGB")
    frames = [plain(120, 90, (number * 40, 90, 200)) for number in range(5)]
    yield "photo.jpg", rocket
    yield "noise.png", encoded(noise)
    yield "noise.webp", encoded(noise, "WEBP")
    yield "clear.png", encoded(noise.convert("RGBA"))
    yield "moving.gif", encoded(frames[0], "GIF", save_all=True, append_images=frames[1:])
    yield "noise.tiff", encoded(noise, "TIFF")
    yield "noise.bmp", encoded(noise, "BMP")
    yield "noise.avif", encoded(noise, "AVIF")
    yield "cut-off.jpg", rocket[: len(rocket) // 2]
    yield "no-picture.jpg", b"no picture"


def chain(rng, number):
    """A new request."""
    return rng.choice([
        f"imageView2/{rng.choice([0, 2])}/w/{100 + number}", f"imageView2/1/w/{100 + number}/h/{rng.randint(50, 150)}",
        f"imageMogr2/thumbnail/{100 + number}x/rotate/{rng.randint(1, 359)}", f"imageMogr2/crop/{100 + number}x90/blur/3x2",
        f"watermark/2/text/YQ==/dx/{number}", f"imageMogr2/thumbnail/{100 + number}x",
    ]) + rng.choice(["", f"|imageMogr2/format/{rng.choice(FORMATS)}", "|imageInfo"])


@pytest.mark.extended
def test_memory_does_not_grow_with_the_number_of_pictures(new_server, rocket):
    server = new_server(LCFILE_IMAGES_THREADS="2").start()
    api, rng, used = server.api(), random.Random(1), []
    urls = [(name, api.store(data, name=name)["url"]) for name, data in sources(rocket)]
    pictures = count(180, 3000)
    for number in range(pictures):
        name, url = urls[number % len(urls)]
        words = chain(rng, number)
        assert api.fetch(f"{url}?{words}").status_code in BROKEN.get(name, (200,)), (name, words)
        used.append(memory(server))
    assert max(used[pictures - 50:]) < max(used[50:100]) + 40 * MB
    assert children(server) == []
