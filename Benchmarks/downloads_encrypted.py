"""The part of Benchmarks/run that measures downloads over TLS against nginx, on connections that stay open."""

import os
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
GOAL = 0.8


def bench(folder):
    if shutil.which("openssl") is None:
        sys.exit("openssl is missing; run scripts/bootstrap bench")
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
                    listen 127.0.0.1:{port} ssl;
                    ssl_certificate {certificate}; ssl_certificate_key {key}; ssl_protocols TLSv1.2 TLSv1.3;
        """))
        mine = encrypted_lcfile(folder, certificate, key, stack)
        for name, file in files.items():
            nginx.add(file)
            urls = (mine + paths[name], f"https://127.0.0.1:{port}/{file.name}")
            check(urls, file, certificate)
            for connections in CONNECTIONS:
                rates = turns([lambda url=url: load(url, connections, SECONDS).rate for url in urls])
                report(
                    f"TLS, download {name}, {connections} conn.", "req/s", *map(median, zip(*rates)), "nginx",
                    f"goal {GOAL:.2f}",
                )


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
