"""Images that take few bytes and much work: animations, many pixels, many elements."""

import struct
import zlib

from animations import animated_webp


def sources():
    """Hostile images by file name, written without any library."""
    return {
        "moving.webp": animated_webp(1400, 1400, 30),
        "moving-800.webp": animated_webp(800, 800, 30),
        "moving-560.webp": animated_webp(560, 560, 30),
        "long.webp": animated_webp(540, 540, 200),
        "large-frames.webp": animated_webp(5000, 5000, 2),
        "many.webp": animated_webp(16, 16, 1000),
        "thin.webp": animated_webp(16_000, 10, 60),
        "too-many.webp": animated_webp(10, 10, 5000),
        "large.png": png(5000, 5000),
        "huge.png": png(12_000, 12_000, bits=1),
        "beyond.png": png(13_000, 13_000, bits=1),
        "thin.png": png(30_000, 20),
        "shapes.svg": shapes(20_000),
        "filters.svg": filters(),
        "broken.png": png(3000, 3000)[:-500],
    }


def png(width, height, bits=8):
    """A grey PNG without content."""

    def piece(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = struct.pack(">IIBBBBB", width, height, bits, 0, 0, 0, 0)
    rows = zlib.compress(bytes(((width * bits + 7) // 8 + 1) * height), 1)
    return b"\x89PNG\r\n\x1a\n" + piece(b"IHDR", header) + piece(b"IDAT", rows) + piece(b"IEND", b"")


def svg(content):
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="3000" height="3000">{content}</svg>'.encode()


def shapes(count):
    return svg("".join(f'<circle cx="{number % 3000}" cy="1500" r="900" opacity="0.01"/>' for number in range(count)))


def filters():
    blur = '<filter id="f"><feGaussianBlur stdDeviation="200"/><feGaussianBlur stdDeviation="150"/></filter>'
    return svg(blur + '<rect width="3000" height="3000" filter="url(#f)"/>' * 20)


# Made by the server itself from the first photograph or animation, and uploaded again: its file and its operations.
MADE = {
    "photo-25mp.jpg": ("photo.jpg", "imageMogr2/thumbnail/5600x4400!/format/jpg/interlace/1"),
    "photo.avif": ("photo.jpg", "imageMogr2/thumbnail/1600x/format/avif"),
    "photo.gif": ("photo.jpg", "imageMogr2/format/gif"),
    "moving.gif": ("long.webp", "imageMogr2/thumbnail/200x/format/gif"),
}
