"""Small file systems of a test's own, for what happens when storage fails; only root may mount them."""

import contextlib
import os
import subprocess

import pytest


@contextlib.contextmanager
def mounted(folder, *arguments):
    """A folder with a file system on it for as long as the block runs; the test is skipped where nothing can be mounted."""
    folder.mkdir()
    result = subprocess.run(["mount", *arguments, folder], capture_output=True, text=True)
    if result.returncode != 0:
        pytest.skip(f"this machine does not let tests mount a small disk: {result.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


def memory(folder, size="36m"):
    """A file system in memory; a sixteenth of it, the reserve, has room for the databases of two apps."""
    return mounted(folder, "-t", "tmpfs", "-o", f"size={size}", "tmpfs")


@contextlib.contextmanager
def ext4(folder, megabytes=48):
    """An ext4 file system in a file, without the blocks that ext4 sets aside for root."""
    image = folder.parent / f"{folder.name}.img"
    with open(image, "wb") as file:
        file.truncate(megabytes << 20)
    made = subprocess.run(["mkfs.ext4", "-q", "-m", "0", "-F", image], capture_output=True, text=True)
    if made.returncode != 0:
        pytest.skip(f"this machine does not make ext4 file systems: {made.stderr.strip()}")
    with mounted(folder, "-o", "loop", image):
        yield folder


def break_down(folder):
    """Makes an ext4 file system refuse writes from now on, as the kernel does after an error of the disk."""
    subprocess.run(["mount", "-o", "remount,abort", folder], check=True, capture_output=True)


def fill(folder):
    """Writes until nothing more fits; returns the file."""
    filler = folder / "filler"
    with open(filler, "ab", buffering=0) as file:
        for size in (1 << 20, 4096, 1):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                pass
    return filler


def total(folder):
    """The size in bytes."""
    status = os.statvfs(folder)
    return status.f_blocks * status.f_frsize


def free(folder):
    """Free bytes that root may use."""
    status = os.statvfs(folder)
    return status.f_bfree * status.f_frsize
