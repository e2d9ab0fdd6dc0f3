"""The part of Benchmarks/run that asks for far more images than can be made."""

import resource
import sys
from concurrent.futures import ThreadPoolExecutor

from asking import Asker, derivative, quality, upload
from images import ROOM
from measuring import report, start_lcfile, wrk
from pictures import Pictures
from uploads import Memory

CLIENTS = 2000
SECONDS = 20
ALONE_SECONDS = 5
# The default of images.memory, and what the rest of the server may take, in MB.
IMAGES, REST = 512, 150
DOWNLOAD = 100_000
DOWNLOADS = 16
DOWNLOAD_GOAL = 0.5
CLIENTS_THAT = {"told": "wait as told", "now": "ask again at once"}


def bench(folder):
    folder.mkdir()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most < CLIENTS + 500:
        sys.exit(f"overload: {CLIENTS} connections need more than {most} open files")
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    pictures, asker = Pictures(folder), Asker(folder)
    file = folder / "plain.bin"
    file.write_bytes(bytes(DOWNLOAD))
    for refused, title in CLIENTS_THAT.items():
        own = folder / refused
        own.mkdir()
        server, url = start_lcfile(own, ROOM)
        try:
            plain = upload(url, file)
            image = derivative(upload(url, pictures.large()), 200, "jpeg", quality("jpeg"))
            alone = wrk(plain, DOWNLOADS, ALONE_SECONDS)
            memory = Memory(server.process.pid)
            with memory, ThreadPoolExecutor(1) as pool:
                asked = pool.submit(asker.ask, [image], CLIENTS, SECONDS, refused=refused)
                loaded = wrk(plain, DOWNLOADS, SECONDS)
                answers = asked.result()
            counts = f"{answers.good} of 200, {answers.refused} of 429, {answers.others} others   goal 0 others"
            print(f"{f'{CLIENTS} clients that {title}, {SECONDS} s':<46} {counts}", flush=True)
            print(f"{'memory at its peak':<46} {memory.peak():>10.1f} MB   goal below {IMAGES + REST}", flush=True)
            goal = f"goal {DOWNLOAD_GOAL:.2f}"
            report("download 100 KB meanwhile", "req/s", loaded, alone, "without load", goal)
        finally:
            server.stop()
