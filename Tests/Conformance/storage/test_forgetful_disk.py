"""The file system that forgets what was not synced: what each operation leaves behind when the power fails.

Each case is done in many folders at once; then the power fails. All outcomes that are allowed are seen, and no other.
"""

import os
import signal
import subprocess
import sys

import pytest
from power import forgetful_disk

FOLDERS = 100
OLD, NEW = b"o" * 9000, b"n" * 9000


def write(path, data=NEW, synced=True):
    with open(path, "wb") as file:
        file.write(data)
        file.flush()
        if synced:
            os.fsync(file.fileno())


def overwrite(path, offset, data, synced=False):
    with open(path, "r+b") as file:
        file.seek(offset)
        file.write(data)
        file.flush()
        if synced:
            os.fsync(file.fileno())


def sync(folder):
    descriptor = os.open(folder, os.O_RDONLY)
    os.fsync(descriptor)
    os.close(descriptor)


# Operations; each folder has the durable file `old` and the durable, empty folder `sub`.

def create_and_sync_both(folder):
    write(folder / "new")
    sync(folder)


def create_and_sync_bytes(folder):
    write(folder / "new")


def create_and_sync_name(folder):
    write(folder / "new", synced=False)
    sync(folder)


def rename(folder):
    os.rename(folder / "old", folder / "new")


def rename_and_sync(folder):
    rename(folder)
    sync(folder)


def replace(folder):
    write(folder / "new")
    os.rename(folder / "new", folder / "old")


def replace_and_sync(folder):
    replace(folder)
    sync(folder)


def move_and_sync_source(folder):
    os.rename(folder / "old", folder / "sub" / "old")
    sync(folder)


def move_and_sync_target(folder):
    os.rename(folder / "old", folder / "sub" / "old")
    sync(folder / "sub")


def link_and_sync(folder):
    os.link(folder / "old", folder / "sub" / "new")
    sync(folder / "sub")


def link_then_remove(folder):
    link_and_sync(folder)
    os.unlink(folder / "old")


def remove(folder):
    os.unlink(folder / "old")


def remove_and_sync(folder):
    remove(folder)
    sync(folder)


def make_folder(folder):
    (folder / "made").mkdir()
    write(folder / "made" / "new")
    sync(folder / "made")


def make_folder_and_sync(folder):
    make_folder(folder)
    sync(folder)


def overwrite_page(folder):
    overwrite(folder / "old", 4096, NEW[:4096])


def overwrite_and_sync(folder):
    overwrite(folder / "old", 0, NEW, synced=True)


def append(folder):
    overwrite(folder / "old", len(OLD), NEW)


def cut_off(folder):
    os.truncate(folder / "old", 0)


def cut_off_and_sync(folder):
    with open(folder / "old", "r+b") as file:
        file.truncate(0)
        os.fsync(file.fileno())


def outcome(folder):
    """The names, each with what became of its bytes."""
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, folder)] = look(file.read())
    return " ".join(f"{name}={found[name]}" for name in sorted(found))


def look(data):
    if data in (OLD, NEW, b"", OLD + NEW):
        return {OLD: "old", NEW: "new", b"": "empty"}.get(data, "longer")
    if data.startswith(OLD):
        return "some-longer"
    # Sectors that were never written are zeros.
    sectors = {bytes(set(data[start : start + 512])) for start in range(0, len(data), 512)}
    if len(data) == len(OLD) and sectors == {b"o", b"n"}:
        return "second-page" if data == OLD[:4096] + NEW[:4096] + OLD[8192:] else "torn"
    assert sectors <= {b"n", b"\0", b"\0n", b"n\0"}, sectors
    return "part"


TABLE = [
    # Names and bytes
    (create_and_sync_both, "new=new old=old"),
    (create_and_sync_bytes, "new=new old=old", "old=old"),
    (create_and_sync_name, "new=new old=old", "new=part old=old", "new=empty old=old"),
    (overwrite_page, "old=old", "old=second-page", "old=torn"),
    (overwrite_and_sync, "old=new"),
    (append, "old=old", "old=some-longer", "old=longer"),
    (cut_off, "old=old", "old=empty"),
    (cut_off_and_sync, "old=empty"),
    # Names
    (rename, "new=old", "old=old", "new=old old=old"),
    (rename_and_sync, "new=old"),
    (replace, "old=old", "old=new", "new=new old=old", "new=new old=new"),
    (replace_and_sync, "old=new"),
    (remove, "old=old", ""),
    (remove_and_sync, ""),
    # Several folders
    (move_and_sync_source, "sub/old=old"),
    (move_and_sync_target, "sub/old=old", "old=old sub/old=old"),
    (link_and_sync, "old=old sub/new=old"),
    (link_then_remove, "old=old sub/new=old", "sub/new=old"),
    (make_folder, "old=old", "made/new=new old=old"),
    (make_folder_and_sync, "made/new=new old=old"),
]
WITHOUT_SYNCS = [
    ("directories", create_and_sync_both, "new=new old=old", "old=old"),
    ("directories", overwrite_and_sync, "old=new"),
    ("blobs", create_and_sync_both, "new=new old=old", "new=part old=old", "new=empty old=old"),
    ("database", create_and_sync_both, "new=new old=old"),
]


def two_names(folder):
    write(folder / "first", b"", synced=False)
    write(folder / "second", b"", synced=False)


def note_then_link(folder):
    """As an upload: a note, then another name elsewhere, which is synced."""
    os.rename(folder / "old", folder / "note")
    os.link(folder / "note", folder / "sub" / "new")
    sync(folder / "sub")


IN_ORDER = [
    (two_names, "old=old", "first=empty old=old", "first=empty old=old second=empty"),
    (create_and_sync_bytes, "new=new old=old"),
    (note_then_link, "note=old sub/new=old"),
    (rename, "old=old", "new=old"),
    (overwrite_page, "old=old", "old=second-page", "old=torn"),
]
OUT_OF_ORDER = [
    (two_names, *IN_ORDER[0][1:], "old=old second=empty"),
    (note_then_link, "note=old sub/new=old", "note=old old=old sub/new=old", "old=old sub/new=old"),
]


@pytest.fixture(scope="module")
def disk(tmp_path_factory):
    with forgetful_disk(tmp_path_factory.mktemp("forgetful") / "disk") as disk:
        yield disk


def outcomes(disk, operation, seed=1, ignored=(), keeps_order=False):
    """What became of all folders."""
    folders = [disk.folder / f"{operation.__name__}{seed}" / str(number) for number in range(FOLDERS)]
    for folder in folders:
        (folder / "sub").mkdir(parents=True)
        write(folder / "old", OLD)
    disk.settle()
    disk.ignore(*ignored)
    disk.keep_order(keeps_order)
    for folder in folders:
        operation(folder)
    disk.lose_power(seed)
    disk.ignore()
    return {outcome(folder) for folder in folders}


@pytest.mark.few(2)
@pytest.mark.parametrize("operation, allowed", [(row[0], set(row[1:])) for row in TABLE])
def test_a_loss_of_power_leaves_what_was_synced_and_some_of_the_rest(disk, operation, allowed):
    assert outcomes(disk, operation) == allowed


@pytest.mark.parametrize("operation, allowed", [(row[0], set(row[1:])) for row in OUT_OF_ORDER])
def test_names_may_reach_the_disk_in_any_order(disk, operation, allowed):
    assert outcomes(disk, operation, "any order") == allowed


@pytest.mark.extended
@pytest.mark.parametrize("operation, allowed", [(row[0], set(row[1:])) for row in IN_ORDER])
def test_names_keep_their_order_if_they_are_told_to(disk, operation, allowed):
    # Each loss ends the one order of the whole disk somewhere, in the middle of one folder at most.
    assert set().union(*(outcomes(disk, operation, f"order {n}", keeps_order=True) for n in range(6))) == allowed


@pytest.mark.few(1)
@pytest.mark.parametrize("kind, operation, allowed", [(*row[:2], set(row[2:])) for row in WITHOUT_SYNCS])
def test_syncs_that_are_switched_off_bring_nothing_to_the_disk(disk, kind, operation, allowed):
    assert outcomes(disk, operation, kind, ignored=[kind]) == allowed


# Makes one file after the other, each with its sync, once it is told to.
MAKER = """
import os, sys
folder = os.open(sys.argv[1], os.O_RDONLY)
sys.stdin.read(1)
for number in range(10):
    os.close(os.open(f"{sys.argv[1]}/{number}", os.O_CREAT))
    os.fsync(folder)
"""


@pytest.mark.parametrize("count, synced", [(1, 0), (2, 0), (3, 1), (4, 1), (5, 2)])
def test_a_process_ends_at_its_change_or_sync_of_that_number(disk, count, synced):
    folder = disk.folder / f"strike{count}"
    folder.mkdir()
    disk.settle()
    maker = subprocess.Popen([sys.executable, "-c", MAKER, folder], stdin=subprocess.PIPE)
    disk.strike(maker.pid, count)
    maker.communicate(b"go")
    assert maker.returncode == -signal.SIGKILL
    assert len(list(folder.iterdir())) == (count + 1) // 2
    disk.lose_power(count)
    # The last change may be there as well.
    assert len(list(folder.iterdir())) - synced in (0, 1)
