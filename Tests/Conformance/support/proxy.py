"""An nginx before the server, as operators set one up: it alone speaks TLS, and passes on what it gets."""

import subprocess

import requests
from client import ALPHA, API, TIMEOUT, eventually, free_port

CONFIGURATION = """
daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/errors.log warn;
events {{ worker_connections 512; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    map $http_upgrade $connection_option {{ default upgrade; "" ""; }}
    upstream lcfile {{ server 127.0.0.1:{upstream}; keepalive 16; }}
    server {{
        listen 127.0.0.1:{port} ssl; server_name localhost;
        ssl_certificate {folder}/certificate.pem; ssl_certificate_key {folder}/key.pem;
        client_max_body_size 0;
        location / {{
            proxy_pass http://127.0.0.1:{upstream};
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_set_header Host $http_host;
            proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
            proxy_set_header X-Forwarded-Proto $scheme;
            proxy_request_buffering off;
            proxy_read_timeout 15s;
        }}
        # As docs/configuration.md has it.
        location /v1/ {{
            proxy_pass http://lcfile;
            proxy_http_version 1.1;
            proxy_set_header Host $host;
            proxy_set_header Upgrade $http_upgrade;
            proxy_set_header Connection $connection_option;
            proxy_read_timeout 600s;
        }}
    }}
}}
"""


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
        file.write_text(CONFIGURATION.format(folder=self.folder, port=self.port, upstream=server.port))
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
