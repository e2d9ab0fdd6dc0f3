"""S3 servers that scripts start on loopback, with presigned URLs for their objects (Signature Version 4)."""

import hashlib
import hmac
import json
import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import xml.etree.ElementTree
from pathlib import Path

from measuring import ROOT

# The first start of an engine may install it.
START_SECONDS = 900
STOP_SECONDS = 120
# Engines have Unix sockets in their folders, whose paths have at most 107 bytes.
LONGEST_FOLDER = 80
NAMESPACE = "{http://s3.amazonaws.com/doc/2006-03-01/}"


class Engine:
    """An S3 server. `SCRIPT start DIR` starts it and prints `export S3_...=` lines; `SCRIPT stop DIR` stops it."""

    def __init__(self, name, script, folder):
        if len(os.fsencode(folder)) > LONGEST_FOLDER:
            sys.exit(f"{folder} must have at most {LONGEST_FOLDER} bytes: {name} has Unix sockets in it")
        self.name, self.script, self.folder = name, script, folder
        try:
            lines = self.run("start", START_SECONDS)
        except BaseException:
            self.stop()
            raise
        settings = dict(re.findall(r"^export (S3_\w+)=(.*)$", lines, re.MULTILINE))
        self.host = urllib.parse.urlsplit(settings["S3_ENDPOINT"]).netloc
        self.access_key, self.secret_key = settings["S3_ACCESS_KEY"], settings["S3_SECRET_KEY"]
        self.region, self.bucket = settings["S3_REGION"], settings["S3_BUCKET"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def run(self, command, seconds):
        # An engine that installs itself stays there for the next run.
        environment = {"S3_TOOLS": str(ROOT / ".build/s3-tools")} | os.environ
        words = [self.script, command, self.folder]
        done = subprocess.run(words, stdout=subprocess.PIPE, text=True, env=environment, timeout=seconds)
        if done.returncode != 0:
            sys.exit(f"{self.script} {command} failed with status {done.returncode}")
        return done.stdout

    def stop(self):
        self.run("stop", STOP_SECONDS)

    @property
    def port(self):
        return int(self.host.rpartition(":")[2])

    def presigned(self, method, keys, query={}):
        """Paths with query strings that authenticate one request each, for an hour; path style, unsigned payload."""
        now = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        scope = f"{now[:8]}/{self.region}/s3/aws4_request"
        secret = f"AWS4{self.secret_key}".encode()
        for part in scope.split("/"):
            secret = hmac.digest(secret, part.encode(), "sha256")
        parameters = query | {
            "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
            "X-Amz-Credential": f"{self.access_key}/{scope}",
            "X-Amz-Date": now,
            "X-Amz-Expires": "3600",
            "X-Amz-SignedHeaders": "host",
        }
        sorted_query = urllib.parse.urlencode(sorted(parameters.items()), quote_via=urllib.parse.quote, safe="")
        for key in keys:
            path = f"/{self.bucket}/{urllib.parse.quote(key)}"
            request = f"{method}\n{path}\n{sorted_query}\nhost:{self.host}\n\nhost\nUNSIGNED-PAYLOAD"
            digest = hashlib.sha256(request.encode()).hexdigest()
            text = f"AWS4-HMAC-SHA256\n{now}\n{scope}\n{digest}"
            yield f"{path}?{sorted_query}&X-Amz-Signature={hmac.digest(secret, text.encode(), 'sha256').hex()}"

    def ask(self, method, key="", query={}):
        """The headers and the body of a 200; any other status ends the run."""
        url = f"http://{self.host}{next(self.presigned(method, [key], query))}"
        try:
            with urllib.request.urlopen(urllib.request.Request(url, method=method), timeout=30) as answer:
                return answer.headers, answer.read()
        except urllib.error.HTTPError as error:
            sys.exit(f"{self.name}: {method} {key}: {error.code} {error.read().decode()[:200]}")

    def sizes(self, prefix):
        """Key and size of each object whose key has that prefix, as the server lists them."""
        found, query = {}, {"list-type": "2", "prefix": prefix}
        while True:
            page = xml.etree.ElementTree.fromstring(self.ask("GET", query=query)[1])
            for item in page.iter(f"{NAMESPACE}Contents"):
                found[item.findtext(f"{NAMESPACE}Key")] = int(item.findtext(f"{NAMESPACE}Size"))
            if page.findtext(f"{NAMESPACE}IsTruncated") != "true":
                return found
            query["continuation-token"] = page.findtext(f"{NAMESPACE}NextContinuationToken")


class SeaweedFS(Engine):
    """It syncs the bytes of an object before its response only below prefixes that are configured with `fsync`."""

    def sync_below(self, prefix):
        location = f"/buckets/{self.bucket}/{prefix}"
        self.shell(f"fs.configure -locationPrefix={location} -fsync -apply")
        stored = json.loads(self.shell("fs.configure"))["locations"]
        if not any(rule["locationPrefix"] == location and rule["fsync"] for rule in stored):
            sys.exit(f"{self.name} did not store the rule fsync for {location}: {stored}")

    def shell(self, command):
        """What `weed shell` prints; the program and the ports are those of the running server."""
        process = Path("/proc") / (self.folder / "run/weed.pid").read_text().strip()
        words = (process / "cmdline").read_bytes().decode().split("\0")
        options = dict(word.lstrip("-").split("=", 1) for word in words if "=" in word)
        ports = {name: f"{options[f'{name}.port']}.{options[f'{name}.port.grpc']}" for name in ("master", "filer")}
        shell = [os.readlink(process / "exe"), "shell", *(f"-{name}=127.0.0.1:{port}" for name, port in ports.items())]
        done = subprocess.run(shell, input=command, check=True, capture_output=True, text=True, timeout=60)
        return done.stdout
