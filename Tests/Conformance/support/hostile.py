"""Hostile images, and what opening one costs the server."""

import io
import os
import struct
import time
import zlib
from pathlib import Path

import pillow_heif
import pillow_jxl  # noqa: F401 (Pillow writes JPEG XL once this is there)
from client import assert_refused, eventually
from PIL import Image

pillow_heif.register_heif_opener()

MB = 1 << 20
# What the process is without images, its threads and its caches included.
IDLE = 150 * MB


# What it cost

def memory(server, field="VmRSS"):
    """The memory of the server's process in bytes; VmHWM is the most that it was."""
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return int(status.split(f"{field}:")[1].split()[0]) << 10


def forget_peak(server):
    """From here on VmHWM counts anew (proc(5), clear_refs)."""
    Path(f"/proc/{server.process.pid}/clear_refs").write_text("5")


def processor(server):
    """Seconds that the threads of the server's process ran so far."""
    fields = Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def is_idle(server, share=0.1):
    """Whether the server works for less than a share of half a second; a loop that never ends takes all of it."""
    before, began = processor(server), time.monotonic()
    eventually(lambda: time.monotonic() > began + 0.5)
    return processor(server) - before < share * 0.5


def children(server):
    """The processes that the server started and that still are."""
    tasks = Path(f"/proc/{server.process.pid}/task").glob("*/children")
    return [child for task in tasks for child in task.read_text().split()]


def assert_unharmed(server, budget):
    """The same process runs, never took more than the budget of its images, and left no process behind."""
    assert server.process.poll() is None, f"the server ended by itself: {server.errors[-2000:]}"
    assert server.is_healthy()
    assert memory(server, "VmHWM") < budget + IDLE
    assert eventually(lambda: not children(server)), "a worker runs on"


def opened(data):
    """The image, decoded."""
    image = Image.open(io.BytesIO(data))
    image.load()
    return image


def answered(api, data, words="imageView2/2/w/100", name="picture.jpg"):
    """The image that came back, or nothing if it was refused; every other answer is a failure."""
    response = api.fetch(f"{api.store(data, name=name)['url']}?{words}")
    if response.status_code != 200:
        assert_refused(response, 400, 400)
        return None
    return opened(response.content) if response.headers["Content-Type"].startswith("image/") else response.json()


# Pieces

def deflated_zeros(count):
    """So many zero bytes as zlib packs them, a thousandth of that, without ever having them."""
    block = zlib.compressobj(9, zlib.DEFLATED, -15)
    whole = block.compress(bytes(MB)) + block.flush(zlib.Z_FULL_FLUSH)
    rest = zlib.compressobj(9, zlib.DEFLATED, -15)
    end = rest.compress(bytes(count % MB)) + rest.flush()
    # Adler-32 of zeros: the first half stays 1, the second half counts them.
    return b"\x78\xda" + whole * (count // MB) + end + struct.pack(">I", count % 65521 << 16 | 1)


def png_piece(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height, packed=None, depth=8, colour=2, interlaced=False, pieces=b""):
    """A PNG whose pixels are these, or next to none; pieces come before them."""
    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlaced)
    packed = zlib.compress(bytes(1000)) if packed is None else packed
    pieces = png_piece(b"IHDR", header) + pieces + png_piece(b"IDAT", packed) + png_piece(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + pieces


def black_png(side, interlaced=False):
    """A PNG of zeros, whole and correct."""
    passes = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
    if not interlaced:
        passes = [(0, 0, 1, 1)]
    lines = ((-(-(side - x) // dx), -(-(side - y) // dy)) for x, y, dx, dy in passes)
    size = sum(rows * (columns * 3 + 1) for columns, rows in lines)
    return png(side, side, deflated_zeros(size), interlaced=interlaced)


def jpeg_sized(width, height):
    """A small JPEG whose header says another size."""
    data = written(8, 8, "JPEG")
    at = data.index(b"\xff\xc0") + 5
    return data[:at] + struct.pack(">HH", height, width) + data[at + 4:]


def jpeg_with(marker, *payloads):
    """A small JPEG with segments of this kind behind its start."""
    data = written(8, 8, "JPEG")
    segments = b"".join(struct.pack(">BBH", 0xFF, marker, len(payload) + 2) + payload for payload in payloads)
    return data[:2] + segments + data[2:]


def jpeg_of_scans(side, count):
    """A progressive JPEG whose last scan stands so many times."""
    data = written(side, side, "JPEG", progressive=True, quality=1)
    return data[:-2] + data[data.rindex(b"\xff\xda"):-2] * count + data[-2:]


def written(width, height, format, colour=(0, 0, 0), **options):
    out = io.BytesIO()
    Image.new("RGB", (width, height), colour).save(out, format, **options)
    return out.getvalue()


# GIF and WebP

def flat_lzw(pixels):
    """LZW of so many pixels of colour 0, at most 8 million: each code is the one before and a pixel more."""
    bits, length, code, done = 4, 3, 0, 0
    while done < pixels:
        # The next free code is the very one that is written; the first one is the pixel itself.
        free = 6 + max(0, code - 1)
        run = min(code + 1, pixels - done)
        value = 0 if run == 1 else 4 + run
        bits |= value << length
        length += max(3, free.bit_length())
        done, code = done + run, code + 1
    bits |= 5 << length
    packed = bits.to_bytes((length + 3 + 12) // 8, "little")
    return b"\2" + b"".join(bytes([len(part)]) + part for part in pieces_of(packed, 255)) + b"\0"


def pieces_of(data, size):
    return [data[at: at + size] for at in range(0, len(data), size)]


def gif(width, height, frames=1, data=None):
    """A GIF of one colour; each frame fills it, or each but the first has this data."""
    frame = b"\x21\xf9\4\0\1\0\0\0" + b"," + struct.pack("<HHHHB", 0, 0, width, height, 0)
    whole = frame + flat_lzw(width * height)
    start = b"GIF89a" + struct.pack("<HHBBB", width, height, 0x80, 0, 0) + b"\xe0\x10\x10\x10\xe0\x10"
    loop = b"\x21\xff\x0bNETSCAPE2.0\3\1\0\0\0"
    return start + loop + whole + (whole if data is None else frame + data) * (frames - 1) + b";"


def gif_sized(width, height):
    """A GIF whose only frame is as large as it says, and holds next to nothing."""
    start = b"GIF89a" + struct.pack("<HHBBB", width, height, 0x80, 0, 0) + b"\xe0\x10\x10\x10\xe0\x10"
    return start + b"," + struct.pack("<HHHHB", 0, 0, width, height, 0) + b"\2\2\x44\1\0;"


def riff(*chunks):
    packed = [kind + struct.pack("<I", len(data)) + data + bytes(len(data) % 2) for kind, data in chunks]
    body = b"WEBP" + b"".join(packed)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def webp_sized(width, height):
    """The header of a lossless WebP of this size, and no image."""
    return riff((b"VP8L", b"\x2f" + struct.pack("<I", width - 1 | height - 1 << 14) + bytes(50)))


def animated_webp(side, frames):
    """A WebP of one colour whose frames each fill it."""
    still = written(side, side, "WEBP", lossless=True)
    size = (side - 1).to_bytes(3, "little") * 2
    frame = bytes(6) + size + (100).to_bytes(3, "little") + b"\0" + still[12:]
    return riff((b"VP8X", b"\2\0\0\0" + size), (b"ANIM", bytes(6)), *[(b"ANMF", frame)] * frames)


# TIFF and BMP

def tiff(width, height, strip=b"\0" * 100, packing=1, next=0, **tags):
    """A TIFF of one strip, RGB; packing 1 is none and 8 is zlib's; next is where the next directory is."""
    fields = {256: (4, width), 257: (4, height), 258: (3, 8), 259: (3, packing), 262: (3, 2), 273: (4, 8), 277: (3, 3),
              278: (4, height), 279: (4, len(strip))} | {int(tag[1:]): value for tag, value in tags.items()}
    entries = b"".join(struct.pack("<HHII", tag, type, 1, value) for tag, (type, value) in sorted(fields.items()))
    directory = struct.pack("<H", len(fields)) + entries + struct.pack("<I", next)
    return b"II*\0" + struct.pack("<I", 8 + len(strip)) + strip + directory


def tiff_in_a_loop():
    """A TIFF of one image whose directory is followed by itself."""
    strip = bytes(12 * 12 * 3)
    return tiff(12, 12, strip, next=8 + len(strip))


def bmp_sized(width, height, bits=24, packing=0):
    header = struct.pack("<IiiHHIIiiII", 40, width, height, 1, bits, packing, 0, 0, 0, 0, 0)
    return b"BM" + struct.pack("<IHHI", 1000, 0, 0, 54) + header + bytes(1000)


# HEIF

def box(kind, *parts, version=None):
    body = b"" if version is None else struct.pack(">I", version << 24)
    body += b"".join(parts)
    return struct.pack(">I", len(body) + 8) + kind + body


def heif_sized(width, height, format):
    """A small HEIC or AVIF that says another size."""
    data = written(64, 64, format)
    at = data.index(b"ispe") + 8
    return data[:at] + struct.pack(">II", width, height) + data[at + 8:]


def heif(items, *boxes):
    """A HEIF of nothing but its description; items are (id, type, properties)."""
    entries = [box(b"infe", struct.pack(">HH", id, 0), kind, b"\0", version=2) for id, kind in items]
    meta = [
        box(b"hdlr", bytes(4), b"pict", bytes(13), version=0), box(b"pitm", struct.pack(">H", 1), version=0),
        box(b"iinf", struct.pack(">H", len(entries)), *entries, version=0), *boxes,
    ]
    return box(b"ftyp", b"heic", bytes(4), b"mif1heic") + box(b"meta", *meta, version=0)


def heif_of_many(count):
    """A HEIF of so many items, each of which says that all others are pieces of it."""
    ids = range(1, count + 1)
    places = b"".join(struct.pack(">HHHII", id, 0, 1, 0, 0xFFFFFF) for id in ids)
    iloc = box(b"iloc", b"\x44\0", struct.pack(">H", count), places, version=0)
    pieces = struct.pack(">50H", *range(1, 51))
    iref = box(b"iref", *[box(b"dimg", struct.pack(">HH", id, 50), pieces) for id in ids], version=0)
    return heif([(id, b"grid") for id in ids], iloc, iref)


def heif_grid_of_itself():
    """A HEIF whose image is a grid of 65536 tiles, each of which is that image."""
    grid = b"\0\0\xff\xff" + struct.pack(">HH", 16384, 8192)
    idat = box(b"idat", grid)
    iloc = box(b"iloc", b"\x44\0", struct.pack(">H", 1), struct.pack(">HHHHII", 1, 1, 0, 1, 0, len(grid)), version=1)
    iref = box(b"iref", box(b"dimg", struct.pack(">HH", 1, 65535), struct.pack(">H", 1) * 65535), version=0)
    size = box(b"ispe", struct.pack(">II", 16384, 8192), version=0)
    uses = struct.pack(">IHBB", 1, 1, 1, 1)
    properties = box(b"iprp", box(b"ipco", size), box(b"ipma", uses, version=0))
    return heif([(1, b"grid")], iloc, iref, properties, idat)


# JPEG XL and JPEG 2000

def jxl_sized(width, height):
    """The beginning of a JPEG XL of this size, at most 2**30 (ISO 18181-1, SizeHeader)."""
    fields = [(0, 1), (3, 2), (height - 1, 30), (0, 3), (3, 2), (width - 1, 30), (1, 1), (1, 1)]
    bits = length = 0
    for value, count in fields:
        bits |= value << length
        length += count
    return b"\xff\x0a" + bits.to_bytes((length + 7) // 8, "little") + bytes(200)


def jp2_sized(width, height):
    """A small JPEG 2000 that says another size."""
    data = written(64, 64, "JPEG2000")
    at = data.index(b"ihdr") + 4
    data = data[:at] + struct.pack(">II", height, width) + data[at + 8:]
    at = data.index(b"\xff\x51") + 6
    # The image, where it begins, and one tile of the same size.
    return data[:at] + struct.pack(">IIIIII", width, height, 0, 0, width, height) + data[at + 24:]


# PDF

def pdf(*objects):
    """A PDF of these objects, numbered from 1, the first of which is the catalogue."""
    out, places = bytearray(b"%PDF-1.4\n"), []
    for number, text in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n" % number + (text if isinstance(text, bytes) else text.encode()) + b"\nendobj\n"
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(out))
    return bytes(out) + b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + table + end


def pdf_stream(data, **facts):
    words = "".join(f"/{name} {value}" for name, value in facts.items())
    return f"<</Length {len(data)}{words}>>\nstream\n".encode() + data + b"\nendstream"


def pdf_page(content=b"0 0 50 50 re f", box="0 0 100 100", resources="", *more, **facts):
    """A PDF of one page that draws a black square, or these commands; its content is object 4, more begin at 5."""
    page = f"<</Type/Page/Parent 2 0 R/MediaBox[{box}]/Contents 4 0 R/Resources<<{resources}>>>>"
    return pdf("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>", page,
               pdf_stream(content, **facts), *more)
