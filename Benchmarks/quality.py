"""The part of Benchmarks/run that tells how good derivatives look, and what better ones cost."""

import functools
import json
import statistics
import subprocess
import sys
from collections import defaultdict
from contextlib import ExitStack

from asking import Asker, derivative, fetched, quality, upload
from images import ROOM, SECONDS, WIDTHS
from measuring import ROOT, compare, report, start_lcfile
from peers import Nginx, Thumbor
from pictures import Pictures, environment

FORMATS = ("jpeg", "webp")
SETTINGS = ("fast", "best")
CONNECTIONS = 4


def bench(folder):
    folder.mkdir()
    pictures, asker = Pictures(folder), Asker(folder)
    servers = {}
    with ExitStack() as stack:
        peers = [stack.enter_context(peer(folder / peer.__name__)) for peer in (Nginx, Thumbor)]
        for setting in SETTINGS:
            own = folder / setting
            own.mkdir()
            server, servers[setting] = start_lcfile(own, ROOM | {"LCFILE_IMAGES_QUALITY": setting})
            stack.callback(server.stop)
        compare_looks(pictures, servers, peers)
        compare_rates(pictures.large(), servers, asker)


def compare_looks(pictures, servers, peers):
    asked = [
        (source, width, format, name, save(pictures, source, width, format, name, content))
        for source in pictures.several()
        for width in WIDTHS
        for format in FORMATS
        for name, content in derivatives(pictures, source, width, format, servers, peers).items()
    ]
    lines = "".join(json.dumps([str(source), width, str(file)]) + "\n" for source, width, _, _, file in asked)
    words = [environment() / "python", ROOT / "Benchmarks/scores.py"]
    done = subprocess.run(words, input=lines, stdout=subprocess.PIPE, text=True, timeout=1800)
    if done.returncode != 0:
        sys.exit("scores.py failed")
    rows = defaultdict(list)
    for (_, width, format, name, file), score in zip(asked, done.stdout.split(), strict=True):
        rows[width, format, name].append((float(score), file.stat().st_size))
    for (width, format, name), found in sorted(rows.items(), key=lambda row: row[0][:2]):
        scores, sizes = zip(*found)
        title = f"SSIMULACRA2, {width} px {format}, {len(found)} photos"
        mean, worst, size = statistics.mean(scores), min(scores), statistics.mean(sizes)
        print(f"{title:<46} {name:<18} mean {mean:>6.2f}   worst {worst:>6.2f} {size:>9.0f} bytes", flush=True)


def derivatives(pictures, source, width, format, servers, peers):
    """The result of each program, as bytes."""
    made = {}
    for setting, server in servers.items():
        original = uploaded(server, source)
        made[f"lcfile {setting}"] = fetched(f"{original}?imageView2/2/w/{width}/format/{format}/q/85")
    target = pictures.smaller(source, f"thumbnail.{format}", width, "[Q=85,strip]")
    made["libvips thumbnail"] = target.read_bytes()
    for peer in peers:
        if not (peer.files / source.name).exists():
            peer.add(source)
        if url := peer.derivative(source, width, format):
            made[peer.name] = fetched(url.replace("NUMBER", "0"))
    return made


def save(pictures, source, width, format, name, content):
    file = pictures.folder / f"{source.stem} {width} {name}.{format}"
    file.write_bytes(content)
    return file


@functools.cache
def uploaded(server, source):
    """The URL of a file that is uploaded once."""
    return upload(server, source)


def compare_rates(source, servers, asker):
    for width in WIDTHS:
        urls = [derivative(uploaded(servers[name], source), width, "jpeg", quality("jpeg")) for name in SETTINGS]
        fast, best = compare(*[lambda url=url: asker.rate(url, CONNECTIONS, SECONDS) for url in urls])
        title = f"12 MP JPEG -> {width} px, quality best, {CONNECTIONS} conn."
        report(title, "req/s", best, fast, "quality fast")
