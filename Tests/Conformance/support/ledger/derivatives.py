"""Images that are made from stored ones and kept."""

import hashlib
import io

from censoring import bytes_of, image
from PIL import Image
from wire import path_of

from .facts import Facts, Refusal, expect

WIDTH = 60


class Derivatives(Facts):
    """A derivative is whole and the same, whether it is kept or made again."""

    kind = "derivatives"

    def __init__(self, chance, name=""):
        super().__init__(chance, name)
        self.images = []

    def one(self, wire):
        if not self.images or self.chance.random() < 0.3:
            picture = bytes_of(image(f"{self.name} {self.number}"), "PNG")
            record = expect(wire.call("POST", f"/1.1/files/image{self.number}.png", picture), 201).json()
            self.images.append(path_of(record["url"]))
        path = f"{self.chance.choice(self.images)}?imageView2/2/w/{self.chance.randrange(WIDTH - 10, WIDTH)}"
        return path, self.digest(expect(wire.call("GET", path), 200).content)

    def digest(self, content):
        try:
            Image.open(io.BytesIO(content)).load()
        except OSError as error:
            raise Refusal(f"a derivative is no image: {error}") from error
        return hashlib.sha256(content).hexdigest()

    def sees(self, wire, path, digest):
        reply = wire.call("GET", path)
        if reply.status != 200:
            return f"{reply.status} {reply.content[:100]}"
        seen = hashlib.sha256(reply.content).hexdigest()
        return None if seen == digest else f"{len(reply.content)} other bytes"
