"""A SeaweedFS in a folder until standard input ends, for parts that run in another Python than the tests' (`weed` is in
theirs). Prints its settings as JSON.

    Tests/Conformance/.venv/bin/python Benchmarks/seaweedfs.py FOLDER
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "Tests/Conformance/support"))

from s3_engine import S3Engine  # noqa: E402

engine = S3Engine(sys.argv[1])
try:
    print(json.dumps(engine.environment), flush=True)
    sys.stdin.read()
finally:
    engine.close()
