"""Images that lie elsewhere, and the address under which lcfile shows them."""

from elsewhere import answer, link
from image_sources import COLOURS
from pictures import encoded

PNG = encoded(COLOURS)
WORDS = "imageView2/2/w/59"
# Settings of a server that may fetch from this machine, and whose passwords cost little.
FETCHING = {"LCFILE_FETCH_ALLOWED_NETWORKS": "127.0.0.1/32"}


def address(api, id, words=""):
    return f"{api.server.url}/1.1/files/{id}/content" + (f"?{words}" if words else "")


def offered(api, elsewhere, data=PNG, path="photo.png", type="image/png", **fields):
    """A record of an image that lies elsewhere: its address here, and its address there."""
    url = elsewhere.offer(answer(data, type=type), path)
    return address(api, link(api, url, **fields)), url


def get(api, url, method="GET", **headers):
    """Asks without keys."""
    return api.fetch(url, method, **headers)
