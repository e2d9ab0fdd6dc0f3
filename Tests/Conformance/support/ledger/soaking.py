"""The ledger as a command: its options, and what it prints."""

import argparse
import tempfile
from contextlib import nullcontext
from pathlib import Path

from power import KINDS, ForgetfulDisk
from several import Several
from shared_stores import SharedStores

from .crashes import Kill, KillOne, KillStore, PowerLoss
from .everybody import Everybody
from .running import CrashTest, Ledger


def options(words, crashes):
    parser = argparse.ArgumentParser(description=words)
    parser.add_argument("--kills", type=int, default=crashes, help="how often the server ends")
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--seed", type=int, default=15)
    return parser


def run(name, seed, crashes, seconds, disk=None, **power):
    """Runs the test and prints what was done and lost; with a disk it loses power. Returns the number of faults."""
    print(f"{name}: seed {seed}, {crashes} crashes or {seconds:.0f} seconds {power or ''}", flush=True)
    with tempfile.TemporaryDirectory(prefix=f"lcfile-{name}-") as folder:
        folder = Path(folder)
        with ForgetfulDisk(folder / "disk") if disk else nullcontext() as disk:
            storage = disk.folder / "storage" if disk else folder / "storage"
            crash = PowerLoss(disk, **power) if disk else Kill()
            return crashing(name, Everybody(folder, storage, seed), crash, seed, crashes, seconds)


def run_several(name, seed, crashes, seconds, servers=3):
    """The same with several servers: one of them is killed, or their database, or their store."""
    print(f"{name}: seed {seed}, {crashes} crashes or {seconds:.0f} seconds, {servers} servers", flush=True)
    faults = 0
    with tempfile.TemporaryDirectory(prefix=f"lcfile-{name}-") as folder:
        folder = Path(folder)
        (folder / "stores").mkdir()
        stores = SharedStores(folder / "stores")
        try:
            crash_kinds = KillOne(), KillStore("database", stores.postgres), KillStore("store", stores.store)
            for number, crash in enumerate(crash_kinds):
                own = folder / f"run{number}"
                own.mkdir()

                def make(folder, storage, **settings):
                    return Several(folder, servers, **stores.settings(folder) | settings)

                everybody = Everybody(own, None, seed, make)
                share = len(crash_kinds)
                faults += crashing(name, everybody, crash, seed, -(-crashes // share), seconds / share)
        finally:
            stores.close()
    return faults


def crashing(name, everybody, crash, seed, crashes, seconds):
    """Runs one kind of crash, and prints."""
    with everybody.at_work():
        test = CrashTest(everybody, seed, Ledger(everybody.folder / "ledger"), crash)
        test.run(crashes, seconds)
    for what, count in sorted(test.counts.items()):
        print(f"{name}: {count:>8} {what}")
    for fault in test.faults[:50]:
        print(f"{name}: FAULT {fault[:500]}")
    print(f"{name}: {len(test.faults):>8} faults", flush=True)
    if test.faults:
        print(everybody.server.errors[-5000:])
    return len(test.faults)


def kinds(text):
    """The kinds of syncs that an option names."""
    names = KINDS if text == "all" else tuple(filter(None, text.split(",")))
    if not set(names) <= set(KINDS):
        raise argparse.ArgumentTypeError(f"known are all, {', '.join(KINDS)}")
    return names
