"""Images for tests to upload, and ways to look at those that come back."""

import io

from PIL import Image

RED, GREEN, BLUE, YELLOW, WHITE = (230, 20, 20), (20, 200, 20), (20, 20, 230), (230, 220, 20), (255, 255, 255)


def encoded(image, format="PNG", **options):
    out = io.BytesIO()
    image.save(out, format, **options)
    return out.getvalue()


def plain(width, height, colour=RED, mode="RGB"):
    return Image.new(mode, (width, height), colour)


def stripes():
    """Three squares side by side: red, green, blue."""
    image = plain(300, 100)
    image.paste(GREEN, (100, 0, 200, 100))
    image.paste(BLUE, (200, 0, 300, 100))
    return image


def quarters():
    """120 x 80: a colour in each quarter, no two alike."""
    image = plain(120, 80)
    image.paste(GREEN, (60, 0, 120, 40))
    image.paste(BLUE, (0, 40, 60, 80))
    image.paste(YELLOW, (60, 40, 120, 80))
    return image


def corners(image):
    image, (width, height) = image.convert("RGB"), image.size
    return [image.getpixel((x, y)) for y in (5, height - 6) for x in (5, width - 6)]


def named_corners(image):
    """Which of our colours each corner is nearest to; how exact colours are is a test of its own."""
    names = {"red": RED, "green": GREEN, "blue": BLUE, "yellow": YELLOW}
    return [
        min(names, key=lambda name: sum((a - b) ** 2 for a, b in zip(names[name], corner))) for corner in corners(image)
    ]


def assert_close(seen, wanted, tolerance):
    assert all(abs(a - b) <= tolerance for one, other in zip(seen, wanted) for a, b in zip(one, other)), (seen, wanted)


def render(api, url, words):
    response = api.fetch(f"{url}?{words}")
    assert response.status_code == 200, response.content[:200]
    image = Image.open(io.BytesIO(response.content))
    image.load()
    assert response.headers["Content-Type"] == f"image/{image.format.lower()}"
    return image
