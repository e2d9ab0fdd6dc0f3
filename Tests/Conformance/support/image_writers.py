"""Writers of images that Pillow cannot write: depths, tiles, interlacing, runs, YCCK; and colour profiles."""

import io
import struct
import zlib

import numpy
import pillow_heif
import pillow_jxl  # noqa: F401 (Pillow knows JPEG XL once this is there)
from pictures import encoded
from PIL import Image, ImageCms

pillow_heif.register_heif_opener()

ADAM7 = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
GRAY, RGB, PALETTE, GRAY_ALPHA, RGBA = 0, 2, 3, 4, 6


def samples(image, bits=8):
    """The image's values at this depth: rows, columns, channels."""
    values = numpy.asarray(image).reshape(image.height, image.width, -1)
    return (values.astype(numpy.uint32) * ((1 << bits) - 1) + 127) // 255


def indexed(image):
    """The colours of an image that has few, and for each pixel which one it has."""
    values = numpy.asarray(image.convert("RGB")).reshape(-1, 3)
    colours, indexes = numpy.unique(values, axis=0, return_inverse=True)
    return [tuple(map(int, colour)) for colour in colours], indexes.reshape(image.height, image.width, 1)


def packed(row, bits):
    """One row's values, the first in the highest bits."""
    if bits == 16:
        return row.astype(">u2").tobytes()
    return numpy.packbits((row.reshape(-1, 1).astype(numpy.uint32) >> numpy.arange(bits)[::-1]) & 1).tobytes()


# PNG

def png(values, bits, kind, palette=(), transparent=b"", interlaced=False):
    """A PNG of values as they are; kind is the colour type."""
    def piece(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    height, width = values.shape[:2]
    passes = [values[y::down, x::right] for x, y, right, down in ADAM7] if interlaced else [values]
    rows = b"".join(b"\0" + packed(row, bits) for part in passes if part.size for row in part)
    return b"".join([
        b"\x89PNG\r\n\x1a\n",
        piece(b"IHDR", struct.pack(">IIBBBBB", width, height, bits, kind, 0, 0, int(interlaced))),
        piece(b"PLTE", bytes(value for colour in palette for value in colour)) if palette else b"",
        piece(b"tRNS", transparent) if transparent else b"",
        piece(b"IDAT", zlib.compress(rows)), piece(b"IEND", b""),
    ])


# TIFF

def tiff(values, bits=8, tile=None, order="<", deflated=False):
    """A TIFF in one strip or in square tiles; a second or a fourth channel is alpha."""
    height, width, channels = values.shape
    values = values.astype(f"{order}u{bits // 8}")
    if tile:
        down, right = -height % tile, -width % tile
        values = numpy.pad(values, ((0, down), (0, right), (0, 0)))
        parts = [values[y : y + tile, x : x + tile] for y in range(0, height, tile) for x in range(0, width, tile)]
    else:
        parts = [values]
    parts = [zlib.compress(part.tobytes()) if deflated else part.tobytes() for part in parts]
    places, body = [], b""
    for part in parts:
        places.append(8 + len(body))
        body += part + b"\0" * (len(part) % 2)
    layout = {322: (4, [tile]), 323: (4, [tile]), 324: (4, places), 325: (4, list(map(len, parts)))} if tile else {
        273: (4, places), 278: (4, [height]), 279: (4, list(map(len, parts))),
    }
    tags = layout | {
        256: (4, [width]), 257: (4, [height]), 258: (3, [bits] * channels), 259: (3, [8 if deflated else 1]),
        262: (3, [1 if channels < 3 else 2]), 277: (3, [channels]), 284: (3, [1]),
    } | ({338: (3, [2])} if channels in (2, 4) else {})
    start = 8 + len(body)
    behind = start + 2 + 12 * len(tags) + 4
    directory, more = struct.pack(f"{order}H", len(tags)), b""
    for tag, (kind, numbers) in sorted(tags.items()):
        data = struct.pack(f"{order}{len(numbers)}{'H' if kind == 3 else 'I'}", *numbers)
        if len(data) > 4:
            place, more = struct.pack(f"{order}I", behind + len(more)), more + data
        else:
            place = data.ljust(4, b"\0")
        directory += struct.pack(f"{order}HHI", tag, kind, len(numbers)) + place
    mark = b"II" if order == "<" else b"MM"
    return mark + struct.pack(f"{order}HI", 42, start) + body + directory + b"\0" * 4 + more


# BMP

def bmp(rows, width, height, bits, palette=(), compression=0, masks=(), header=40, top_down=False):
    """A BMP of rows that are already coded, in the order in which they lie in the file."""
    if header == 12:
        head = struct.pack("<IHHHH", 12, width, height, 1, bits)
    else:
        signed = -height if top_down else height
        head = struct.pack("<IiiHHIIiiII", header, width, signed, 1, bits, compression, len(rows), 0, 0, len(palette), 0)
        head += b"".join(struct.pack("<I", mask) for mask in masks)
        head = head.ljust(header, b"\0")
    colours = b"".join(bytes(colour[::-1]) + (b"" if header == 12 else b"\0") for colour in palette)
    start = 14 + len(head) + len(colours)
    return b"BM" + struct.pack("<IHHI", start + len(rows), 0, 0, start) + head + colours + rows


def padded(row):
    return row + b"\0" * (-len(row) % 4)


def bmp_palette(image, bits, **options):
    """A BMP with a palette."""
    colours, indexes = indexed(image)
    rows = b"".join(padded(packed(row, bits)) for row in indexes[::-1])
    return bmp(rows, *image.size, bits, palette=colours, **options)


def bmp_words(image, bits, shifts, **options):
    """A BMP of 16 or 32 bits a pixel: for each channel its place and its width in bits."""
    words = sum(samples(image, size)[:, :, channel] << place for channel, (place, size) in enumerate(shifts))
    step = 1 if options.get("top_down") else -1
    rows = b"".join(padded(row.astype(f"<u{bits // 8}").tobytes()) for row in words[::step])
    return bmp(rows, *image.size, bits, **options)


def bmp_bytes(image, **options):
    """A BMP of 24 bits a pixel."""
    step = 1 if options.get("top_down") else -1
    rows = b"".join(padded(row[:, ::-1].astype("u1").tobytes()) for row in samples(image)[::step])
    return bmp(rows, *image.size, 24, **options)


def bmp_runs(image, bits):
    """A BMP of 4 or 8 bits in runs; the first row of the file is written without any."""
    colours, indexes = indexed(image)
    first, *others = indexes[::-1, :, 0]
    plain = packed(first, bits)
    rows = bytes([0, len(first)]) + plain + b"\0" * (len(plain) % 2) + b"\0\0"
    for row in others:
        for part in numpy.split(row, numpy.flatnonzero(numpy.diff(row)) + 1):
            rows += bytes([len(part), int(part[0]) * (1 if bits == 8 else 17)])
        rows += b"\0\0"
    return bmp(rows + b"\0\1", *image.size, bits, palette=colours, compression=1 if bits == 8 else 2)


# JPEG

def ycck(image):
    """A CMYK image as Adobe's programs write it: inverted, its first three channels as YCbCr."""
    *inks, black = image.split()
    # The decoder gives 255 less what YCbCr says, and the file holds everything inverted.
    luma = Image.merge("RGB", inks).convert("YCbCr").split()
    data = bytearray(encoded(Image.merge("CMYK", [part.point(lambda value: 255 - value) for part in luma] + [black]),
                             "JPEG", quality=95))
    # Adobe's segment tells in its last byte what the channels are: 2 for YCCK.
    data[data.index(b"Adobe") + 11] = 2
    return bytes(data)


# Colour profiles

# The corners of Adobe's RGB and of Display P3, adapted to D50.
ADOBE = [(0.60974, 0.31111, 0.01947), (0.20528, 0.62567, 0.06087), (0.14919, 0.06322, 0.74457)]
P3 = [(0.51512, 0.24120, -0.00105), (0.29198, 0.69225, 0.04189), (0.15710, 0.06657, 0.78407)]
D50 = (0.9642, 1.0, 0.8249)


def fixed(value):
    return struct.pack(">i", round(value * 65536))


def profile(corners=ADOBE, gamma=2.2):
    """An ICC profile of version 2: three corners for RGB, none for gray."""
    curve = b"curv\0\0\0\0" + struct.pack(">IH", 1, round(gamma * 256)) + b"\0\0"
    name = b"test profile\0"
    description = b"desc\0\0\0\0" + struct.pack(">I", len(name)) + name + b"\0" * 78
    tags = {b"desc": description + b"\0" * (-len(description) % 4), b"cprt": b"text\0\0\0\0none\0\0\0\0",
            b"wtpt": b"XYZ \0\0\0\0" + b"".join(map(fixed, D50))}
    for letter, corner in zip("rgb", corners):
        tags[f"{letter}XYZ".encode()] = b"XYZ \0\0\0\0" + b"".join(map(fixed, corner))
        tags[f"{letter}TRC".encode()] = curve
    if not corners:
        tags[b"kTRC"] = curve
    table, body = struct.pack(">I", len(tags)), b""
    start = 128 + 4 + 12 * len(tags)
    for tag, data in tags.items():
        table += tag + struct.pack(">II", start + len(body), len(data))
        body += data
    head = struct.pack(">I", start + len(body)) + b"test" + bytes([2, 0x40, 0, 0]) + b"mntr"
    head += (b"RGB " if corners else b"GRAY") + b"XYZ " + struct.pack(">6H", 2026, 1, 1, 0, 0, 0) + b"acsp"
    head = head.ljust(68, b"\0") + b"".join(map(fixed, D50))
    return head.ljust(128, b"\0") + table + body


def read(data):
    """The image in the bytes, all of it."""
    image = Image.open(io.BytesIO(data))
    image.load()
    return image


SRGB = ImageCms.createProfile("sRGB")
# Green stands where red should be, blue where green should be: who forgets this profile is seen at once.
SWAPPED = [ADOBE[1], ADOBE[2], ADOBE[0]]
PROFILES = {
    "Adobe's": profile(ADOBE), "P3": profile(P3), "swapped": profile(SWAPPED), "linear": profile(ADOBE, gamma=1.0),
}
