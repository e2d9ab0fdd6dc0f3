"""Programs whose wall clock differs from that of the machine (the source is in `shifted`).

Debian's faketime cannot be used: it allocates memory when it is loaded, and jemalloc reads the time for that.
"""

import atexit
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parent / "shifted" / "clock.c"


@cache
def library():
    """The built library; without a C compiler the test is skipped."""
    compiler = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    if compiler is None:
        pytest.skip("there is no C compiler")
    folder = tempfile.mkdtemp(prefix="lcfile-shifted-")
    atexit.register(shutil.rmtree, folder)
    built = Path(folder) / "shifted.so"
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-o", str(built), str(SOURCE)], check=True)
    return built


def shifted(seconds):
    """The environment of a program whose clock is ahead by so many seconds."""
    return {"LD_PRELOAD": str(library()), "SHIFTED_CLOCK": str(seconds)}
