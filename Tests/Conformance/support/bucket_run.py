"""Starts a store, runs a command with LCFILE_TEST_S3, and ends the store."""

import json
import os
import subprocess
import sys
import tempfile

from s3_engine import S3Engine


def main(command):
    with tempfile.TemporaryDirectory(prefix="lcfile-buckets-") as folder:
        engine = S3Engine(folder)
        try:
            store = {"endpoint": engine.endpoint, "access": engine.access, "secret": engine.secret}
            return subprocess.run(command, env=os.environ | {"LCFILE_TEST_S3": json.dumps(store)}).returncode
        finally:
            engine.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
