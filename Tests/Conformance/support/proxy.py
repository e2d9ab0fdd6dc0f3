"""An nginx before the server, as operators set one up: it alone speaks TLS, and passes on what it gets."""

import contextlib
import subprocess
from pathlib import Path

import requests
from client import ALPHA, API, TIMEOUT, eventually, free_port

# The configuration that docs/deployment.md recommends.
SITE = Path(__file__).parents[3] / "deploy/nginx/lcfile.conf"
# What surrounds it on Debian, for a process without rights.
AROUND = """
daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/errors.log warn;
events {{ worker_connections 512; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    include {folder}/site.conf;
}}
"""


def site(folder, port, upstream):
    """The configuration with the addresses and the certificate of a test."""
    text = SITE.read_text()
    for old, new in [
        ("    listen [::]:80;\n", ""), ("    listen [::]:443 ssl http2;\n", ""),
        ("listen 80;", f"listen 127.0.0.1:{free_port()};"), ("listen 443 ", f"listen 127.0.0.1:{port} "),
        ("server 127.0.0.1:8080;", f"server 127.0.0.1:{upstream};"), ("server_name files.example.com;", "server_name localhost;"),
        ("/etc/letsencrypt/live/files.example.com/fullchain.pem", f"{folder}/certificate.pem"),
        ("/etc/letsencrypt/live/files.example.com/privkey.pem", f"{folder}/key.pem"),
    ]:
        assert old in text, old
        text = text.replace(old, new)
    return text


@contextlib.contextmanager
def plain_proxy(folder, upstream, *lines):
    """The URL of an nginx without TLS before a server, with further lines of its configuration."""
    folder.mkdir()
    port = free_port()
    (folder / "nginx.conf").write_text(AROUND.format(folder=folder))
    (folder / "site.conf").write_text(
        f"server {{ listen 127.0.0.1:{port}; client_max_body_size 0; proxy_http_version 1.1; {' '.join(lines)}"
        f" location / {{ proxy_pass http://127.0.0.1:{upstream}; }} }}"
    )
    process = subprocess.Popen(
        ["nginx", "-c", folder / "nginx.conf", "-p", folder, "-e", folder / "errors.log"],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )
    try:
        assert eventually(lambda: answers(f"http://127.0.0.1:{port}/health"))
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(timeout=TIMEOUT)


def answers(url):
    try:
        return requests.get(url, timeout=TIMEOUT).status_code == 200
    except requests.ConnectionError:
        return False


class Proxy:
    """Takes https on a port of its own; the server behind it may come later."""

    def __init__(self, folder):
        self.folder, self.port = folder, free_port()
        self.url = f"https://localhost:{self.port}"
        self.certificate = str(folder / "certificate.pem")
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
             "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
             "-keyout", folder / "key.pem", "-out", self.certificate],
            check=True, capture_output=True,
        )

    def start(self, server):
        file = self.folder / "nginx.conf"
        file.write_text(AROUND.format(folder=self.folder))
        (self.folder / "site.conf").write_text(site(self.folder, self.port, server.port))
        self.process = subprocess.Popen(
            ["nginx", "-c", file, "-p", self.folder, "-e", self.folder / "errors.log"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        assert eventually(lambda: self.is_healthy() or self.process.poll() is not None), "no answer in time"
        assert self.process.poll() is None, (self.folder / "errors.log").read_text()

    def is_healthy(self):
        try:
            return requests.get(f"{self.url}/health", verify=self.certificate, timeout=TIMEOUT).status_code == 200
        except requests.ConnectionError:
            return False

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=TIMEOUT)

    def api(self, app=ALPHA):
        """Calls through here."""
        api = API(self, app, {"X-LC-Key": app.key})
        api.session.verify = self.certificate
        return api
