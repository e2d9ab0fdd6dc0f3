"""The part of Benchmarks/run that measures uploads: large files in each dialect, and many small ones at once."""

import argparse
import multiprocessing
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse

from dialects import BLOCK, KEYS, MASTER, MEBI, Client, blocks, form, lengths, parts, put, raw, source, tus
from measuring import ROOT, SECONDS, compare, report, start_lcfile

# As the lines of a request.
CREDENTIALS = "".join(f"{name}: {value}\r\n" for name, value in KEYS.items())
LARGE = 4096 * MEBI
CHUNK = MEBI // 4
# Requests of 256 KiB are many: this file need not be larger.
CHUNKED = 256 * MEBI
# How many times faster the client must be alone, so that the server is measured and not it.
CLIENT_GOAL = 3
MEMORY_GOAL = 64
SMALL = 100_000
CLIENTS = 64
SMALL_GOAL = 0.5
# At most so many in a turn, ours and the yardstick's, and never longer than SECONDS.
SMALL_FILES = 8_000
BARE_FILES = 12_000


def parsed_size(text):
    """The number of bytes that `4GB` is, in powers of 1024 as in the configuration."""
    found = re.fullmatch(r"(\d+)(MB|GB)", text)
    if not found or int(found[1]) == 0:
        raise argparse.ArgumentTypeError(f"{text} is no size such as 512MB or 4GB")
    return int(found[1]) * {"MB": MEBI, "GB": 1024 * MEBI}[found[2]]


def bench(folder, size):
    folder.mkdir()
    needed = max(2 * size, (9 * SMALL_FILES + 6 * BARE_FILES) * SMALL)
    if shutil.disk_usage(folder).free < needed:
        sys.exit(f"uploads: {needed >> 30} GB must be free at {folder}")
    server, url = start_server(folder)
    try:
        bench_large(folder, server.process.pid, url, size)
        bench_small(folder, server.process.pid, url)
    finally:
        server.stop()


def start_server(folder):
    """The process and its URL; it allows as many open uploads as the clients request."""
    limits = ["LCFILE_UPLOADS_MAX_OPEN", "LCFILE_UPLOADS_MAX_OPEN_GUESTS", "LCFILE_UPLOADS_MAX_OPEN_ADDRESS"]
    return start_lcfile(folder, dict.fromkeys(limits, "100000"))


def bench_large(folder, pid, url, size):
    memory_file = source()
    # Of all dialects with requests of one size; the client is checked against it.
    fastest = {}
    for name, dialect, whole, piece in [
        ("S3 PUT", put, size, size),
        ("raw body", raw, size, size),
        ("form", form, size, size),
        ("tus, one PATCH", tus, size, size),
        ("tus, 8 MiB PATCHes", tus, size, 8 * MEBI),
        ("Kodo v1, 4 MiB blocks", blocks, size, BLOCK),
        ("Kodo v1, 256 KiB chunks", blocks, min(size, CHUNKED), CHUNK),
        ("Kodo v2, 4 MiB parts", parts, size, 4 * MEBI),
        ("Kodo v2, 16 MiB parts", parts, size, 16 * MEBI),
    ]:
        memory = Memory(pid)

        def upload():
            os.sync()
            client = Client(url, memory_file)
            with memory:
                start = time.monotonic()
                file = dialect(client, whole, piece)
                elapsed = time.monotonic() - start
            check_and_remove(folder, client, file, whole)
            return whole / elapsed / 1e6

        mine, other = compare(upload, lambda: dd(folder, whole))
        fastest[piece] = max(mine, fastest.get(piece, 0))
        report(f"upload {whole // MEBI} MB, {name}", "MB/s", mine, other, "dd conv=fsync")
        memory.report(f"memory: {name}", f"goal below {MEMORY_GOAL}")
    for piece, mine in fastest.items():
        title = "one request" if piece == size else f"requests of {piece >> 10} KiB"
        alone = client_alone(memory_file, min(size, 1024 * MEBI), piece)
        report(f"the client alone, {title}", "MB/s", alone, mine, "fastest upload", f"goal {CLIENT_GOAL:.2f}")


def client_alone(memory_file, size, piece):
    """How fast the client is with a server that does nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        sink = multiprocessing.get_context("fork").Process(target=swallow, args=[listener], daemon=True)
        sink.start()
        try:
            client = Client(f"http://127.0.0.1:{listener.getsockname()[1]}", memory_file)
            start = time.monotonic()
            for length in lengths(size, piece):
                client.ask("PUT", "/", size=length)
            return size / (time.monotonic() - start) / 1e6
        finally:
            sink.terminate()
            sink.join()


def swallow(listener):
    """A server that throws requests away and answers them, one connection after the other."""
    buffer = bytearray(MEBI)
    while True:
        connection, _ = listener.accept()
        while head := head_of(connection):
            left = int(re.search(rb"Content-Length: (\d+)", head)[1])
            while left > 0 and (count := connection.recv_into(buffer, min(left, MEBI), socket.MSG_TRUNC)):
                left -= count
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")


def head_of(connection):
    head = b""
    while not head.endswith(b"\r\n\r\n") and (byte := connection.recv(1)):
        head += byte
    return head


def dd(folder, size):
    """Zeros, which cost dd nothing to make; the upload's bytes are random, so no disk has it easier with ours."""
    os.sync()
    copy = folder / "copy.bin"
    words = ["dd", "if=/dev/zero", f"of={copy}", "bs=1M", f"count={size // MEBI}", "conv=fsync", "status=none"]
    start = time.monotonic()
    subprocess.run(words, check=True, timeout=600)
    elapsed = time.monotonic() - start
    copy.unlink()
    return size / elapsed / 1e6


def check_and_remove(folder, client, file, size):
    """The whole file must be there: an upload without one is fast."""
    if stored(folder) != [size]:
        sys.exit(f"a file of {size} bytes is stored as {stored(folder)}")
    client.ask("DELETE", f"/1.1/files/{file}", MASTER)
    # The server removes the bytes after its answer.
    end = time.monotonic() + 30
    while stored(folder):
        if time.monotonic() > end:
            sys.exit("a file was deleted and is still there")
        time.sleep(0.01)
    client.close()


def stored(folder):
    """The sizes of all blobs that the server keeps."""
    return [path.stat().st_size for path in folder.glob("storage/*/blobs/*/*")]


def bench_small(folder, pid, url):
    clients, synced = (build(folder, name) for name in ("clients", "synced"))
    port = urllib.parse.urlsplit(url).port
    modes = {"put": "S3 PUT, tokens beforehand", "both": "token and S3 PUT", "form": "form"}
    memories = {mode: Memory(pid) for mode in modes}
    answered = []

    def upload(mode):
        with memories[mode]:
            rate, files = measured(clients, port, CREDENTIALS, CLIENTS, SMALL, SMALL_FILES, SECONDS, mode)
        answered.append(files)
        return rate

    def bare(folders):
        work = pathlib.Path(tempfile.mkdtemp(prefix="bare-", dir=folder))
        rate, _ = measured(synced, work, CLIENTS, SMALL, BARE_FILES, SECONDS, folders)
        return rate

    uploads = [lambda mode=mode: upload(mode) for mode in modes]
    *rates, each, one = compare(*uploads, lambda: bare("each"), lambda: bare("one"))
    if stored(folder) != [SMALL] * int(sum(answered)):
        sys.exit("not every file is stored that was answered")
    for (mode, name), mine in zip(modes.items(), rates):
        for folders, other in (("a folder each", each), ("one folder", one)):
            title = f"100 KB, {CLIENTS} clients, {name}"
            report(title, "files/s", mine, other, f"fdatasync, {folders}", f"goal {SMALL_GOAL:.2f}")
        memories[mode].report(f"memory: 100 KB, {name}", f"goal below {MEMORY_GOAL}")


def build(folder, name):
    binary = folder / name
    subprocess.run(["cc", "-O2", "-o", binary, ROOT / f"Benchmarks/{name}.c", "-lpthread"], check=True)
    return binary


def measured(*words, lines=""):
    """What one of the C programs prints, which can read lines: files per second, and how many."""
    words = [str(word) for word in words]
    done = subprocess.run(words, input=lines, check=True, stdout=subprocess.PIPE, text=True, timeout=120)
    return map(float, done.stdout.split())


class Memory:
    """By how much the peak of a process's memory rises while something is done; the worst of several times counts."""

    def __init__(self, pid):
        self.process = pathlib.Path(f"/proc/{pid}")
        self.rises = []

    def peak(self):
        return int(re.search(r"VmHWM:\s*(\d+)", (self.process / "status").read_text())[1]) / 1024

    def __enter__(self):
        (self.process / "clear_refs").write_text("5")
        self.before = self.peak()

    def __exit__(self, *_):
        self.rises.append((self.peak() - self.before, self.before))

    def report(self, what, goal=""):
        rise, before = max(self.rises)
        print(f"{what:<46} {rise:>10.1f} MB above {before:.0f} MB   {goal}".rstrip(), flush=True)
