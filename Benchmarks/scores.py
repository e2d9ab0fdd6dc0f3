"""How near pictures come to the best that can be made of a photograph at their size, by SSIMULACRA2.

Reads lines of JSON, [photograph, width, picture], and prints a score for each: 100 is the same, from 90 on nobody sees
a difference. The best is the photograph in linear light, resampled by Lanczos with three lobes and rounded to eight
bits once.
"""

import json
import os
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from itertools import groupby
from pathlib import Path

import numpy
from PIL import Image
from ssimulacra2 import compute_ssimulacra2


def linear(values):
    values = values.astype(numpy.float32) / 255
    return numpy.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def encoded(light):
    light = light.clip(0, 1)
    values = numpy.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055)
    return (values * 255 + 0.5).astype(numpy.uint8)


def reference(photograph, width):
    light = linear(numpy.asarray(Image.open(photograph).convert("RGB")))
    size = width, round(width * light.shape[0] / light.shape[1])
    bands = [Image.fromarray(light[..., band]).resize(size, Image.Resampling.LANCZOS) for band in range(3)]
    return Image.fromarray(encoded(numpy.stack([numpy.asarray(band) for band in bands], axis=2)))


def scores(task):
    """The scores of all pictures of one photograph and width."""
    (photograph, width), pictures = task
    best = reference(photograph, width)
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "reference.png"
        best.save(target)
        found = []
        for picture in pictures:
            with Image.open(picture) as image:
                if image.size != best.size:
                    sys.exit(f"{picture} has {image.size} instead of {best.size}")
            found.append(compute_ssimulacra2(target, picture))
        return found


def main():
    asked = [json.loads(line) for line in sys.stdin]
    tasks = [(key, [line[2] for line in lines]) for key, lines in groupby(asked, key=lambda line: line[:2])]
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for found in pool.map(scores, tasks):
            print(*found, sep="\n")


if __name__ == "__main__":
    main()
