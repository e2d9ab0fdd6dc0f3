"""The part of Benchmarks/run that measures downloads over TLS against nginx, on connections that stay open: of HTTP/1.1
by wrk, and of HTTP/2 by h2load."""

import os
import re
import shutil
import ssl
import subprocess
import sys
import urllib.parse
import urllib.request
from contextlib import ExitStack
from statistics import median

from asking import upload
from downloads import made
from measuring import APP, BINARY, Process, free_port, load, report, start_lcfile, turns
from peers import FileServer

# Of each side in each of three rounds.
SECONDS = float(os.environ.get("BENCH_SECONDS", 3))
SIZES = {"100 B": 100, "10 KB": 10_000, "100 KB": 100_000, "1 MB": 1_000_000, "10 MB": 10_000_000}
CONNECTIONS = (1, 16, 64)
# Requests at once on each connection of HTTP/2, and the bytes that all of them ask for, so that some end in a round.
STREAMS = 10
IN_FLIGHT = 256_000_000
GOAL = 0.8


def bench(folder):
    for tool in ("openssl", "h2load"):
        if shutil.which(tool) is None:
            sys.exit(f"{tool} is missing; run scripts/bootstrap bench")
    folder.mkdir()
    files = {name: made(folder, size, size) for name, size in SIZES.items()}
    # In the clear, because that is what the uploading function speaks; the storage stays.
    server, url = start_lcfile(folder)
    try:
        paths = {name: urllib.parse.urlsplit(upload(url, file)).path for name, file in files.items()}
    finally:
        server.stop()
    certificate, key = make_certificate(folder)
    with ExitStack() as stack:
        port = free_port()
        nginx = stack.enter_context(FileServer(folder / "nginx", location=f"""
                    listen 127.0.0.1:{port} ssl http2;
                    ssl_certificate {certificate}; ssl_certificate_key {key}; ssl_protocols TLSv1.2 TLSv1.3;
        """))
        mine = encrypted_lcfile(folder, certificate, key, stack)
        for name, file in files.items():
            nginx.add(file)
            urls = (mine + paths[name], f"https://127.0.0.1:{port}/{file.name}")
            check(urls, file, certificate)
            for version, measure in (("TLS", load_http1), ("HTTP/2", load_http2)):
                for connections in CONNECTIONS:
                    rates = turns([lambda url=url: measure(url, connections, file.stat().st_size) for url in urls])
                    report(
                        f"{version}, download {name}, {connections} conn.", "req/s", *map(median, zip(*rates)), "nginx",
                        f"goal {GOAL:.2f}",
                    )


def load_http1(url, connections, _):
    """Requests a second."""
    return load(url, connections, SECONDS).rate


def load_http2(url, connections, size):
    """Requests a second; an answer that is no success stops the run."""
    streams = max(1, min(STREAMS, IN_FLIGHT // (connections * size)))
    words = ["h2load", "--threads=1", f"--clients={connections}", f"--max-concurrent-streams={streams}"]
    # With the windows that browsers have: those of h2load by default are as large as a file can be.
    words += ["--window-bits=20", "--connection-window-bits=24", f"--duration={max(2, round(SECONDS))}", url]
    answer = subprocess.run(words, check=True, capture_output=True, text=True, timeout=60).stdout
    successes, *failures = map(int, re.search(r"codes: (\d+) 2xx, (\d+) 3xx, (\d+) 4xx, (\d+) 5xx", answer).groups())
    if sum(failures) > 0 or successes == 0 or "Application protocol: h2" not in answer:
        sys.exit(f"h2load {url}:\n{answer}")
    return float(re.search(r"finished in [\d.]+s, ([\d.]+) req/s", answer)[1])


def encrypted_lcfile(folder, certificate, key, stack):
    """The address of a server that speaks TLS, with the storage of the one before."""
    port, metrics = free_port(), free_port()
    settings = {
        "LCFILE_TLS_CERTIFICATE": str(certificate), "LCFILE_TLS_KEY": str(key), "LCFILE_LOG_LEVEL": "warning",
        "LCFILE_METRICS_PORT": str(metrics),
    }
    words = [BINARY, "serve", "--storage", folder / "storage", "--port", str(port)]
    server = Process(words, APP | settings, f"http://127.0.0.1:{metrics}/metrics")
    stack.callback(server.stop)
    return f"https://127.0.0.1:{port}"


def make_certificate(folder):
    """The paths of a certificate for the loopback address and of its key, as small as authorities give them today."""
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    words = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    words += ["-keyout", key, "-out", certificate, "-subj", "/CN=bench", "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run(words, check=True, capture_output=True)
    return certificate, key


def check(urls, file, certificate):
    """Downloads the file twice from each, after which it is hot."""
    context = ssl.create_default_context(cafile=certificate)
    for url in 2 * urls:
        with urllib.request.urlopen(url, context=context, timeout=30) as answer:
            if answer.read() != file.read_bytes():
                sys.exit(f"{url} does not have the bytes of {file.name}")
