"""Sources of every format that is read, in every form that the format has: what they hold and how they look."""

import functools
from dataclasses import dataclass

from image_writers import (
    GRAY, GRAY_ALPHA, PALETTE, RGB, RGBA, bmp_bytes, bmp_palette, bmp_runs, bmp_words, indexed, png, samples, tiff, ycck,
)
from PIL import Image
from pictures import BLUE, GREEN, RED, WHITE, YELLOW, encoded, plain

# Rows of these do not end at whole words in any depth but 32 bits.
WIDTH, HEIGHT = 118, 78
BLACK, CLEAR = (0, 0, 0), (0, 0, 0, 0)


def quartered(*colours, mode="RGB"):
    """A colour in each quarter: first the two above."""
    image = plain(WIDTH, HEIGHT, colours[0], mode)
    for place, colour in enumerate(colours):
        x, y = place % 2 * WIDTH // 2, place // 2 * HEIGHT // 2
        image.paste(colour, (x, y, x + WIDTH // 2, y + HEIGHT // 2))
    return image


COLOURS = quartered(RED, GREEN, BLUE, YELLOW)
TWO = quartered(BLACK, WHITE, WHITE, BLACK)
GRAYS = quartered(0, 85, 170, 255, mode="L")
# What no format has to keep exactly is not in it: nothing is half transparent.
CLEARED = quartered((*RED, 255), (*GREEN, 255), CLEAR, (*YELLOW, 255), mode="RGBA")
GRAY_CLEARED = quartered((40, 255), (120, 255), (0, 0), (220, 255), mode="LA")


@dataclass(frozen=True)
class Source:
    """A file, how it should look, what `imageInfo` calls its format and colours, and its result if none is said."""

    data: bytes
    picture: Image.Image
    format: str
    result: str
    model: str = ""
    exact: bool = True

    @property
    def is_clear(self):
        return self.picture.mode in ("RGBA", "LA")


def jpeg(picture, model, exact=True, **options):
    data = encoded(picture, "JPEG", **{"quality": 95, "subsampling": 0} | options)
    return Source(data, picture, "jpeg", "JPEG", model, exact)


def made_png(picture, bits, kind, model, **options):
    return Source(png(samples(picture, bits), bits, kind, **options), picture, "png", "PNG", model)


def png_palette(picture, bits, **options):
    colours, indexes = indexed(picture)
    return Source(png(indexes, bits, PALETTE, colours, **options), picture, "png", "PNG", f"palette{len(colours)}")


def png_clear_palette():
    colours, indexes = indexed(CLEARED)
    transparent = bytes(0 if colour == BLACK else 255 for colour in colours)
    return Source(png(indexes, 8, PALETTE, colours, transparent), CLEARED, "png", "PNG", f"palette{len(colours)}")


def still(data, picture, format):
    """Of the formats whose result is JPEG, or PNG if there is transparency."""
    clear = picture.mode in ("RGBA", "LA")
    return Source(data, picture, format, "PNG" if clear else "JPEG", "nrgba" if clear else "rgba")


def written(picture, format, word, result=None, **options):
    made = still(encoded(picture, format, **options), picture, word)
    return made if result is None else Source(made.data, picture, word, result, made.model)


def tiff_of(picture, model=None, exact=True, **options):
    made = still(encoded(picture, "TIFF", **options), picture, "tiff")
    return Source(made.data, picture, "tiff", made.result, made.model if model is None else model, exact)


def made_tiff(picture, bits, model, **options):
    made = still(tiff(samples(picture, bits), bits, **options), picture, "tiff")
    return Source(made.data, picture, "tiff", made.result, model)


def made_bmp(data, picture, model):
    made = still(data, picture, "bmp")
    return Source(made.data, picture, "bmp", made.result, model)


def svg(picture):
    parts = []
    for place in range(4):
        x, y = place % 2 * WIDTH // 2, place // 2 * HEIGHT // 2
        red, green, blue, alpha = picture.convert("RGBA").getpixel((x + 5, y + 5))
        fill = f'fill="rgb({red},{green},{blue})" fill-opacity="{alpha / 255}"'
        parts.append(f'<rect x="{x}" y="{y}" width="{WIDTH // 2}" height="{HEIGHT // 2}" {fill}/>')
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}">{"".join(parts)}</svg>'.encode()


def coarse(picture, shifts):
    """The image with as many bits a channel as its words have."""
    tops = [(1 << size) - 1 for _, size in shifts]
    parts = [part.point(lambda value, top=top: round(round(value * top / 255) * 255 / top))
             for part, top in zip(picture.split(), tops)]
    return Image.merge("RGB", parts)


FIVES = [(10, 5), (5, 5), (0, 5)]
SIXES = [(11, 5), (5, 6), (0, 5)]
EIGHTS = [(16, 8), (8, 8), (0, 8)]
BYTE_MASKS = (0xFF0000, 0xFF00, 0xFF, 0xFF000000)

SOURCES = {
    "JPEG": lambda: jpeg(COLOURS, "ycbcr"),
    "JPEG with a quarter of the colours": lambda: jpeg(COLOURS, "ycbcr", subsampling=2),
    "JPEG in passes": lambda: jpeg(COLOURS, "ycbcr", progressive=True),
    "JPEG in RGB": lambda: jpeg(COLOURS, "", keep_rgb=True),
    "JPEG in gray": lambda: jpeg(GRAYS, "gray"),
    "JPEG in gray and in passes": lambda: jpeg(GRAYS, "gray", progressive=True),
    "JPEG in CMYK": lambda: jpeg(COLOURS.convert("CMYK"), "cmyk", exact=False),
    "JPEG in CMYK and in passes": lambda: jpeg(COLOURS.convert("CMYK"), "cmyk", exact=False, progressive=True),
    "JPEG in YCCK": lambda: Source(
        ycck(COLOURS.convert("CMYK")), COLOURS.convert("CMYK"), "jpeg", "JPEG", "ycck", False
    ),
    "PNG of 1 bit": lambda: made_png(TWO.convert("L"), 1, GRAY, "gray"),
    "PNG of 2 bits": lambda: made_png(GRAYS, 2, GRAY, "gray"),
    "PNG of 4 bits": lambda: made_png(GRAYS, 4, GRAY, "gray"),
    "PNG in gray": lambda: made_png(GRAYS, 8, GRAY, "gray"),
    "PNG in gray of 16 bits": lambda: made_png(GRAYS, 16, GRAY, "gray16"),
    "PNG in gray with alpha": lambda: made_png(GRAY_CLEARED, 8, GRAY_ALPHA, "nrgba"),
    "PNG in gray with alpha of 16 bits": lambda: made_png(GRAY_CLEARED, 16, GRAY_ALPHA, "nrgba64"),
    "PNG": lambda: made_png(COLOURS, 8, RGB, "rgba"),
    "PNG of 16 bits": lambda: made_png(COLOURS, 16, RGB, "rgba64"),
    "PNG with alpha": lambda: made_png(CLEARED, 8, RGBA, "nrgba"),
    "PNG with alpha of 16 bits": lambda: made_png(CLEARED, 16, RGBA, "nrgba64"),
    "PNG with a palette of 1 bit": lambda: png_palette(TWO, 1),
    "PNG with a palette of 2 bits": lambda: png_palette(COLOURS, 2),
    "PNG with a palette of 4 bits": lambda: png_palette(COLOURS, 4),
    "PNG with a palette": lambda: png_palette(COLOURS, 8),
    "PNG with a palette and transparency": png_clear_palette,
    "PNG with a transparent colour": lambda: Source(
        png(samples(CLEARED)[:, :, :3], 8, RGB, transparent=b"\0" * 6), CLEARED, "png", "PNG", "nrgba"
    ),
    "PNG interlaced": lambda: made_png(COLOURS, 8, RGB, "rgba", interlaced=True),
    "PNG of 2 bits interlaced": lambda: made_png(GRAYS, 2, GRAY, "gray", interlaced=True),
    "PNG with alpha of 16 bits interlaced": lambda: made_png(CLEARED, 16, RGBA, "nrgba64", interlaced=True),
    "WebP": lambda: written(COLOURS, "WEBP", "webp", "WEBP", quality=95),
    "WebP without loss": lambda: written(COLOURS, "WEBP", "webp", "WEBP", lossless=True),
    "WebP with alpha": lambda: written(CLEARED, "WEBP", "webp", "WEBP", quality=95),
    "WebP without loss with alpha": lambda: written(CLEARED, "WEBP", "webp", "WEBP", lossless=True),
    "GIF": lambda: Source(encoded(COLOURS, "GIF"), COLOURS, "gif", "GIF"),
    "GIF interlaced": lambda: Source(encoded(COLOURS, "GIF", interlace=1), COLOURS, "gif", "GIF"),
    "GIF in gray": lambda: Source(encoded(GRAYS, "GIF"), GRAYS, "gif", "GIF"),
    "GIF with transparency": lambda: Source(encoded(CLEARED, "GIF"), CLEARED, "gif", "GIF"),
    "TIFF": lambda: tiff_of(COLOURS),
    "TIFF with LZW": lambda: tiff_of(COLOURS, compression="tiff_lzw"),
    "TIFF with deflate": lambda: tiff_of(COLOURS, compression="tiff_adobe_deflate"),
    "TIFF with packed bits": lambda: tiff_of(COLOURS, compression="packbits"),
    "TIFF with JPEG": lambda: tiff_of(COLOURS, compression="jpeg", quality=95),
    "TIFF of 1 bit": lambda: tiff_of(TWO.convert("1"), ""),
    "TIFF of 1 bit as a fax": lambda: tiff_of(TWO.convert("1"), "", compression="group4"),
    "TIFF in gray": lambda: tiff_of(GRAYS, "gray"),
    "TIFF in gray of 16 bits": lambda: made_tiff(GRAYS, 16, "gray16"),
    "TIFF of 16 bits": lambda: made_tiff(COLOURS, 16, "rgba64"),
    "TIFF of 16 bits from the other end": lambda: made_tiff(COLOURS, 16, "rgba64", order=">"),
    "TIFF in tiles": lambda: made_tiff(COLOURS, 8, "rgba", tile=32),
    "TIFF in tiles with deflate": lambda: made_tiff(COLOURS, 8, "rgba", tile=16, deflated=True),
    "TIFF with alpha": lambda: tiff_of(CLEARED),
    "TIFF with alpha of 16 bits": lambda: made_tiff(CLEARED, 16, "nrgba64"),
    "TIFF with a palette": lambda: tiff_of(COLOURS.quantize(16), ""),
    "TIFF in CMYK": lambda: tiff_of(COLOURS.convert("CMYK"), "", exact=False),
    "TIFF in CMYK with LZW": lambda: tiff_of(COLOURS.convert("CMYK"), "", exact=False, compression="tiff_lzw"),
    "BMP of 1 bit": lambda: made_bmp(bmp_palette(TWO, 1), TWO, "palette2"),
    "BMP of 4 bits": lambda: made_bmp(bmp_palette(COLOURS, 4), COLOURS, "palette4"),
    "BMP of 8 bits": lambda: made_bmp(bmp_palette(COLOURS, 8), COLOURS, "palette4"),
    "BMP of 8 bits in runs": lambda: made_bmp(bmp_runs(COLOURS, 8), COLOURS, "palette4"),
    "BMP of 4 bits in runs": lambda: made_bmp(bmp_runs(COLOURS, 4), COLOURS, "palette4"),
    "BMP of 16 bits": lambda: made_bmp(bmp_words(COLOURS, 16, FIVES), coarse(COLOURS, FIVES), "rgba"),
    "BMP of 16 bits with masks": lambda: made_bmp(bmp_words(
        COLOURS, 16, SIXES, compression=3, masks=(0xF800, 0x7E0, 0x1F)
    ), coarse(COLOURS, SIXES), "rgba"),
    "BMP": lambda: made_bmp(bmp_bytes(COLOURS), COLOURS, "rgba"),
    "BMP from the top": lambda: made_bmp(bmp_bytes(COLOURS, top_down=True), COLOURS, "rgba"),
    "BMP with the oldest header": lambda: made_bmp(bmp_bytes(COLOURS, header=12), COLOURS, "rgba"),
    "BMP with the newest header": lambda: made_bmp(bmp_bytes(COLOURS, header=124), COLOURS, "rgba"),
    "BMP of 32 bits": lambda: made_bmp(bmp_words(COLOURS, 32, EIGHTS), COLOURS, "rgba"),
    "BMP of 32 bits from the top": lambda: made_bmp(bmp_words(COLOURS, 32, EIGHTS, top_down=True), COLOURS, "rgba"),
    "BMP with alpha": lambda: made_bmp(bmp_words(
        CLEARED, 32, [*EIGHTS, (24, 8)], compression=3, masks=BYTE_MASKS, header=108
    ), CLEARED, "nrgba"),
    "BMP as Pillow writes it": lambda: made_bmp(encoded(COLOURS, "BMP"), COLOURS, "rgba"),
    "HEIC": lambda: written(COLOURS, "HEIF", "heic", quality=95, chroma=444),
    "HEIC with alpha": lambda: written(CLEARED, "HEIF", "heic", quality=95, chroma=444),
    "AVIF": lambda: written(COLOURS, "AVIF", "avif", "AVIF", quality=95, subsampling="4:4:4"),
    "AVIF with alpha": lambda: written(CLEARED, "AVIF", "avif", "AVIF", quality=95, subsampling="4:4:4"),
    "SVG": lambda: Source(svg(COLOURS), COLOURS, "svg", "PNG"),
    "SVG with transparency": lambda: Source(svg(CLEARED), CLEARED, "svg", "PNG", "nrgba"),
    "PDF": lambda: written(COLOURS, "PDF", "pdf", quality=95),
    "JPEG XL": lambda: written(COLOURS, "JXL", "jxl", quality=95),
    "JPEG XL without loss": lambda: written(COLOURS, "JXL", "jxl", lossless=True),
    "JPEG XL with alpha": lambda: written(CLEARED, "JXL", "jxl", lossless=True),
    "JPEG 2000": lambda: written(COLOURS, "JPEG2000", "jp2"),
    "JPEG 2000 with loss": lambda: written(COLOURS, "JPEG2000", "jp2", quality_layers=[20], irreversible=True),
    "JPEG 2000 with alpha": lambda: written(CLEARED, "JPEG2000", "jp2"),
    "JPEG 2000 without its box": lambda: written(COLOURS, "JPEG2000", "jp2", no_jp2=True),
}


@functools.cache
def source(name):
    return SOURCES[name]()
