"""Ways to write image requests, and to fetch what they give."""

import base64
import io

from PIL import Image
from pictures import encoded

ORIENTATION = 0x0112


def based(text):
    """Base64 for URLs, as colours, texts and watermarks are written."""
    return base64.urlsafe_b64encode(text.encode()).decode()


def stored(api, image, format="PNG", **options):
    """Uploads an image; gives its URL."""
    return api.store(encoded(image, format, **options), name=f"picture.{format.lower()}")["url"]


def stored_turned(api, image, orientation, format="JPEG", **options):
    """Uploads an image that says by EXIF how it wants to be turned; gives its URL."""
    exif = Image.Exif()
    exif[ORIENTATION] = orientation
    return stored(api, image, format, exif=exif, **options)


def answered(api, url, words):
    """The bytes of an image that must be given."""
    response = api.fetch(f"{url}?{words}")
    assert response.status_code == 200, response.content[:200]
    return response.content


def opened(data):
    image = Image.open(io.BytesIO(data))
    image.load()
    return image


def size_or_refusal(api, url, words):
    """The answer's size; its status if there is no image."""
    response = api.fetch(f"{url}?{words}")
    if response.status_code != 200:
        return response.status_code
    return Image.open(io.BytesIO(response.content)).size


def asked_raw(server, url, words):
    """The answer to words that travel as they stand, with signs that libraries would percent-encode."""
    path = url.removeprefix(server.url)
    with server.raw() as connection:
        return connection.request("GET", f"{path}?{words}", {})
