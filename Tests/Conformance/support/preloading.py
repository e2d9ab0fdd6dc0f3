"""Libraries in C that a program loads before its own (LD_PRELOAD), to change what the system answers it."""

import atexit
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import pytest


@cache
def preload_library(folder):
    """The path of the library that is built from the sources in a folder; without a C compiler the test is skipped."""
    compiler = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    if compiler is None:
        pytest.skip("there is no C compiler")
    built = tempfile.mkdtemp(prefix=f"lcfile-{folder.name}-")
    atexit.register(shutil.rmtree, built)
    library = Path(built) / f"{folder.name}.so"
    sources = sorted(map(str, folder.glob("*.c")))
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-o", str(library), *sources, "-ldl"], check=True)
    return library
