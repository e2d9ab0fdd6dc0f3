"""The part of Benchmarks/run that measures processor time: the coefficients of ImagePlan+time.swift.

Each row is the processor time of the server and of its worker processes for one more pixel, as the difference of two
chains on the same image. The table in the source has these figures rounded up.
"""

import itertools
import os
import urllib.request

from asking import fetched, upload
from measuring import start_lcfile
from pictures import Pictures

TICK = 1 / os.sysconf("SC_CLK_TCK")
# Seconds of processor time that a chain is repeated for.
ENOUGH = 0.4
SIDES = (2000, 1500)
PIXELS = SIDES[0] * SIDES[1]
FRESH = itertools.count(1)


class Costs:
    """Asks a server for images, one at a time, and reads the processor time that it took for them."""

    def __init__(self, folder):
        self.pictures = Pictures(folder)
        self.server, self.url = start_lcfile(folder)
        self.photo = upload(self.url, self.pictures.large())

    def processor(self):
        fields = open(f"/proc/{self.server.process.pid}/stat").read().rpartition(")")[2].split()
        # utime, stime and those of children that have ended (proc(5)).
        return sum(map(int, fields[11:15])) * TICK

    def seconds(self, url, chain):
        """Processor time of one request; a scaling that changes nothing makes each one new to the server."""
        begin, count = self.processor(), 0
        while count < 2 or (self.processor() - begin < ENOUGH and count < 40):
            fetched(urllib.request.Request(f"{url}?{chain}|imageMogr2/thumbnail/{900_000 + next(FRESH)}x%3E"))
            count += 1
        return (self.processor() - begin) / count

    def made(self, chain, name):
        """The URL of a new file that the server makes of the photograph."""
        file = self.pictures.folder / name
        file.write_bytes(fetched(urllib.request.Request(f"{self.photo}?{chain}")))
        return upload(self.url, file)

    def row(self, what, seconds, pixels):
        print(f"{what:<46} {seconds / pixels * 1e9:>10.1f} ns a pixel", flush=True)


def bench(folder):
    folder.mkdir()
    costs = Costs(folder)
    try:
        decoding(costs)
        still = costs.made(f"imageMogr2/thumbnail/{SIDES[0]}x{SIDES[1]}!/format/png", "still.png")
        steps(costs, still)
        encoding(costs, still)
        moving(costs)
    finally:
        costs.server.stop()


def decoding(costs):
    size = f"imageMogr2/thumbnail/{SIDES[0]}x{SIDES[1]}!"
    made = {
        "jpeg": f"{size}/format/jpg/q/90!", "progressive": f"{size}/format/jpg/q/90!/interlace/1",
        "png": f"{size}/format/png", "webp": f"{size}/format/webp/q/90!", "gif": f"{size}/format/gif",
        "avif": f"{size}/format/avif",
    }
    for name, chain in made.items():
        url = costs.made(chain, f"source-{name}")
        costs.row(f"decode {name} to 50 pixels", costs.seconds(url, "imageMogr2/thumbnail/50x/format/jpg"), PIXELS)
        costs.row(f"decode {name} whole", costs.seconds(url, "imageMogr2/gravity/South/crop/50x50/format/jpg"), PIXELS)
    for name, options in {
        "source.tif": "[compression=deflate]", "source.jxl": "", "source.jp2": "", "source.heic": "", "source.bmp": "",
        "lossless.webp": "[lossless]", "deep.png": "[bitdepth=16]",
    }.items():
        try:
            file = costs.pictures.smaller(costs.pictures.large(), name, SIDES[0], options)
            url = upload(costs.url, file)
        except SystemExit:
            print(f"decode {name}: cannot be written here", flush=True)
            continue
        costs.row(f"decode {name} to 50 pixels", costs.seconds(url, "imageMogr2/thumbnail/50x/format/jpg"), PIXELS)
        costs.row(f"decode {name} whole", costs.seconds(url, "imageMogr2/gravity/South/crop/50x50/format/jpg"), PIXELS)


def steps(costs, url):
    plain = costs.seconds(url, "imageMogr2/format/jpg")
    rows = {
        "sharpen": "sharpen/1", "rotate 90": "rotate/90", "rotate 45, of the result": "rotate/45",
        **{f"blur {radius}x{sigma}": f"blur/{radius}x{sigma}"
           for radius, sigma in ((1, 0.5), (3, 1), (10, 5), (25, 15), (50, 25), (50, 50))},
    }
    for name, step in rows.items():
        area = PIXELS * 2.04 if "45" in name else PIXELS
        costs.row(name, costs.seconds(url, f"imageMogr2/{step}/format/jpg") - plain, area)
    small = costs.seconds(url, "imageMogr2/thumbnail/50x/format/jpg")
    for width, height in ((1900, 1425), (1000, 750), (4000, 3000)):
        # Less what encoding takes, which a row below tells.
        took = costs.seconds(url, f"imageMogr2/thumbnail/{width}x{height}!/format/jpg") - small
        costs.row(f"scale to {width} and encode JPEG, of the result", took, width * height)
    text, letter, jpeg = "bGNmaWxlIGxjZmlsZSBsY2ZpbGU", "TQ", "|imageMogr2/format/jpg"
    marked = costs.seconds(url, f"watermark/2/text/{text}{jpeg}")
    costs.row("watermark", marked - plain, PIXELS)
    large = costs.seconds(url, f"watermark/2/text/{letter}/fontsize/20000{jpeg}")
    costs.row("letter of 1000 pixels, of its area", large - marked, 2_000_000)
    costs.row("tiles", costs.seconds(url, f"watermark/4/text/{text}/rotate/30{jpeg}") - plain, PIXELS)


def encoding(costs, url):
    small = costs.seconds(url, "imageMogr2/gravity/South/crop/50x50/format/jpg")
    for name, words in {
        "jpeg": "format/jpg/q/90!", "progressive": "format/jpg/q/90!/interlace/1", "png": "format/png",
        "webp": "format/webp/q/90!", "gif": "format/gif", "avif": "format/avif",
    }.items():
        costs.row(f"encode {name}", costs.seconds(url, f"imageMogr2/{words}") - small, PIXELS)
    jpeg = costs.seconds(url, "imageMogr2/format/jpg/q/90!")
    tries = costs.seconds(url, "imageMogr2/size-limit/1k/format/jpg") - jpeg
    costs.row("each try of size-limit, JPEG", tries / 8, PIXELS)
    for level in (3, 9):
        slim = costs.seconds(url, f"imageslim/zlevel/{level}|imageMogr2/strip")
        costs.row(f"imageslim/zlevel/{level}", slim - small, PIXELS)


def moving(costs):
    """Animations of eight frames."""
    file = costs.pictures.smaller(costs.pictures.large(), "middle.jpg", 800)
    gif = upload(costs.url, costs.pictures.animated(file, "moving.gif"))
    chain = "imageMogr2/format/webp/q/90!"
    (costs.pictures.folder / "moving.webp").write_bytes(fetched(urllib.request.Request(f"{gif}?{chain}")))
    webp = upload(costs.url, costs.pictures.folder / "moving.webp")
    area = 800 * 600 * 8
    for name, url in (("GIF", gif), ("WebP", webp)):
        still = costs.seconds(url, "imageMogr2/thumbnail/50x/format/jpg")
        plain = costs.seconds(url, "imageMogr2/thumbnail/50x")
        costs.row(f"moving {name}: decode and scale to 50 pixels", plain - still, area)
        whole = costs.seconds(url, "imageMogr2/strip/format/webp")
        costs.row(f"moving {name}: encode WebP", whole - plain, area)
        other = costs.seconds(url, "imageMogr2/thumbnail/802x602!/format/gif")
        costs.row(f"moving {name}: encode GIF", other - plain, area)
        for step in ("blur/50x50", "blur/10x5", "sharpen/1", "rotate/45", "rotate/90"):
            costs.row(f"moving {name}: {step}", costs.seconds(url, f"imageMogr2/{step}/format/webp") - whole, area)
