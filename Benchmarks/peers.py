"""Other servers, each with a setup in which it is fast: nginx with files, nginx with image_filter, and thumbor."""

import os
import shutil
import signal
import sys
from pathlib import Path

from measuring import CORES, Process, free_port
from pictures import environment

# Debian's package libnginx-mod-http-image-filter.
FILTER = Path("/usr/lib/nginx/modules/ngx_http_image_filter_module.so")
QUALITY = 85


class Peer:
    """A server that ends with its block."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


class FileServer(Peer):
    """nginx with a folder of files."""

    name = "nginx"

    def __init__(self, folder, module="", location=""):
        """Two more directives: one for the whole configuration, and one for the server."""
        folder.mkdir()
        self.files = folder / "www"
        self.files.mkdir()
        (self.files / "health").write_text("ok")
        port = free_port()
        (folder / "nginx.conf").write_text(f"""
            {module}
            daemon off; master_process on; worker_processes {CORES}; worker_rlimit_nofile 8192; error_log stderr warn;
            user root; pid {folder}/nginx.pid;
            events {{ worker_connections 2048; }}
            http {{
                access_log off; sendfile on; tcp_nopush on; keepalive_requests 100000000; open_file_cache max=100;
                types {{ }} default_type application/octet-stream;
                client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
                fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
                server {{
                    listen 127.0.0.1:{port}; root {self.files};
                    {location}
                }}
            }}
        """)
        words = ["nginx", "-c", folder / "nginx.conf", "-p", folder]
        self.process = Process(words, {}, f"http://127.0.0.1:{port}/health")
        self.url = f"http://127.0.0.1:{port}"

    def stop(self):
        self.process.stop()

    def add(self, file):
        shutil.copyfile(file, self.files / file.name)
        return f"{self.url}/{file.name}"


class Nginx(FileServer):
    """It also resizes the files; it writes the format that it reads."""

    name = "nginx image_filter"

    def __init__(self, folder):
        if not FILTER.exists():
            sys.exit("nginx's image_filter is missing; run scripts/bootstrap bench")
        super().__init__(folder, f"load_module {FILTER};", f"""
                    location ~ "^/width/(?<side>[0-9]+)/(?<name>.+)$" {{
                        alias {folder}/www/$name;
                        image_filter resize $side -; image_filter_buffer 64M;
                        image_filter_jpeg_quality {QUALITY};
                    }}
        """)

    def derivative(self, file, width, format):
        """A URL, or nothing if it cannot write that."""
        own = "jpeg" if file.suffix == ".jpg" else file.suffix[1:]
        return f"{self.url}/width/{width}/{file.name}?NUMBER" if format == own else None


class Thumbor(Peer):
    """As many processes as there are cores; files of a folder, nothing kept."""

    name = "thumbor"

    def __init__(self, folder):
        folder.mkdir()
        self.files = folder / "files"
        self.files.mkdir()
        configuration = folder / "thumbor.conf"
        # AVIF with the quality that lcfile takes if none is said.
        configuration.write_text(f"""
LOADER = "thumbor.loaders.file_loader"
FILE_LOADER_ROOT_PATH = "{self.files}"
STORAGE = "thumbor.storages.no_storage"
ALLOW_UNSAFE_URL = True
QUALITY = {QUALITY}
AVIF_QUALITY = 55
""")
        port = free_port()
        words = [environment() / "thumbor", "--ip", "127.0.0.1", "--port", str(port), "--conf", configuration]
        words += ["--processes", str(CORES), "--log-level", "ERROR"]
        self.process = Process(words, {}, f"http://127.0.0.1:{port}/healthcheck")
        self.url = f"http://127.0.0.1:{port}"

    def stop(self):
        """Its processes stay behind when the first one ends."""
        first = self.process.process.pid
        others = Path(f"/proc/{first}/task/{first}/children").read_text().split()
        self.process.stop()
        for other in others:
            os.kill(int(other), signal.SIGTERM)

    def add(self, file):
        shutil.copyfile(file, self.files / file.name)

    def derivative(self, file, width, format):
        return f"{self.url}/unsafe/{width}x0/filters:format({format})/{file.name}?NUMBER"
