"""Several servers on one database and one bucket behind an nginx, which takes them in turn."""

import os
import re
import subprocess
from pathlib import Path

from buckets import blob_settings, common_store, prefix_of
from client import ALPHA, BETA, TIMEOUT, Server, eventually, free_port
from databases import database_of
from proxy import AROUND

# The configuration that docs/scale-out.md recommends.
SITE = Path(__file__).parents[3] / "deploy/scale-out/nginx.conf"


def site(port, ports):
    """The configuration on a port, with servers on the other ports."""
    text = SITE.read_text()
    member = re.compile(r"^( *server )\S+:8080 (.*\n)", re.MULTILINE)
    line = member.search(text)
    members = "".join(f"{line[1]}127.0.0.1:{own} {line[2]}" for own in ports)
    text, count = member.subn("", text[: line.start()] + text[line.end() :])
    assert count >= 1 and "listen 80;" in text
    return (text[: line.start()] + members + text[line.start() :]).replace("listen 80;", f"listen 127.0.0.1:{port};")


class Balancer:
    """The nginx: it sends each request to the next server, without stickiness."""

    def __init__(self, folder, port):
        self.folder, self.port, self.process = Path(folder), port, None
        self.folder.mkdir()

    def start(self, ports):
        (self.folder / "nginx.conf").write_text(AROUND.format(folder=self.folder))
        (self.folder / "site.conf").write_text(site(self.port, ports))
        self.process = subprocess.Popen(
            ["nginx", "-c", self.folder / "nginx.conf", "-p", self.folder, "-e", self.folder / "errors.log"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )

    def stop(self):
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            self.process.wait(timeout=TIMEOUT)


class Several(Server):
    """The servers, with what tests ask of one: its address is that of the nginx.

    Each has a storage folder of its own. `settings` are those of all; they name the database and the bucket.
    """

    def __init__(self, folder, count, apps=(ALPHA, BETA), **settings):
        self.folder, self.port = Path(folder), free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.apps = apps
        # As of a server whose blobs are in the store of all tests.
        self.prefix = prefix_of(folder) if common_store() else None
        self.settings = {"LCFILE_PUBLIC_URL": self.url, "LCFILE_HTTP_PROXIES": "127.0.0.1"} | settings
        self.members = [self.another(f"server{number}") for number in range(count)]
        self.balancer = Balancer(self.folder / "nginx", self.port)

    def another(self, name, **settings):
        """One more server, which the nginx does not know."""
        own = self.folder / name
        own.mkdir()
        return Server(own, self.apps, **self.settings | settings)

    @property
    def process(self):
        """The process of the first server that has ended, else that of the first one."""
        processes = [member.process for member in self.members]
        return next((process for process in processes if process is not None and process.poll() is not None), processes[0])

    @property
    def own_port(self):
        return self.members[0].port

    @property
    def storage(self):
        return self.members[0].storage

    @property
    def environment(self):
        return self.members[0].environment

    @property
    def command(self):
        return self.members[0].command

    @property
    def errors(self):
        return "".join(member.errors for member in self.members)

    def launch(self):
        for member in self.members:
            if not member.is_running:
                member.launch()
        return self

    def start(self):
        """Starts what does not run, the servers at the same time."""
        self.launch()
        for member in self.members:
            member.wait_for_start()
        if self.balancer.process is None:
            self.balancer.start([member.port for member in self.members])
        assert eventually(self.is_healthy), (self.balancer.folder / "errors.log").read_text()
        return self

    def terminate(self):
        for member in self.members:
            member.terminate()

    def stop(self):
        self.balancer.stop()
        codes = [member.stop() for member in self.members]
        return max(codes, key=lambda code: code != 0)

    def kill(self):
        for member in self.members:
            member.kill()


def shared_server(folder, **options):
    """A server, or as many as `LCFILE_TEST_SERVERS` says, for which `engines` has started the stores."""
    count = int(os.environ.get("LCFILE_TEST_SERVERS", "1"))
    if count == 1:
        return Server(folder, **options)
    stores = {"LCFILE_DATABASE_URL": database_of(folder)} | blob_settings(common_store(), prefix_of(folder))
    return Several(folder, count, **stores | options)
