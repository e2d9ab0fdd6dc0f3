"""Programs whose wall clock differs from that of the machine (the source is in `shifted`).

Debian's faketime cannot be used: it allocates memory when it is loaded, and jemalloc reads the time for that.
"""

from pathlib import Path

from preloading import preload_library

SOURCES = Path(__file__).resolve().parent / "shifted"


def shifted(seconds):
    """The environment of a program whose clock is ahead by so many seconds."""
    return {"LD_PRELOAD": str(preload_library(SOURCES)), "SHIFTED_CLOCK": str(seconds)}
