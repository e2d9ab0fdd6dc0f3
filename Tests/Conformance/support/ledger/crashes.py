"""How a server ends: killed, or without power."""

import time

from client import eventually

from .storage import faults_of_storage, faults_of_stores


class Kill:
    """The kernel lives on and keeps what the process wrote."""

    name = "kills"
    # Whether a blob may stay that nothing names.
    leaves_blobs = False
    # Finds what is wrong on the disk.
    faults_of_storage = staticmethod(faults_of_storage)

    def started(self, server):
        """The first start is over."""

    def strike(self, server, chance):
        """Whether the server will end by itself, at a change of its files."""
        return False

    def end(self, server, chance):
        server.kill()

    def ended(self, test):
        """The server has ended, and its clients know."""

    def cut_start(self, server, chance):
        """Ends a start somewhere in its middle."""
        server.launch()
        time.sleep(chance.random() * 0.4)
        self.end(server, chance)


class KillOne(Kill):
    """One of several servers is killed; the others go on, and everything must be there before it is back."""

    name = "killed servers"
    faults_of_storage = staticmethod(faults_of_stores)

    def __init__(self):
        self.victim = None

    def end(self, server, chance):
        # A start that is cut off is that of the same one.
        if all(member.is_running for member in server.members):
            self.victim = chance.choice(server.members)
        self.victim.kill()

    def ended(self, test):
        test.look_at_clients(test.uploads.faults)


class KillStore(Kill):
    """What the servers share is killed and started again: their database, or their S3 store. The servers go on."""

    faults_of_storage = staticmethod(faults_of_stores)

    def __init__(self, name, store):
        self.name, self.store = f"kills of the {name}", store

    def end(self, server, chance):
        self.store.kill()
        time.sleep(chance.random())
        self.store.start()

    def ended(self, test):
        if not eventually(lambda: all(works(member) for member in test.server.members), 60):
            test.fault("the servers do not work again")

    def cut_start(self, server, chance):
        self.end(server, chance)


def works(server):
    """Whether a server reaches both stores. `/ready` can be true for seconds after the end of one."""
    return server.api().store_raw(b"it works", "works.txt").status_code == 201


class PowerLoss(Kill):
    """The disk keeps what was synced. Half of the losses come just before a change or a sync, whose number among all
    from now on is random; so they also hit the moments between two calls that follow each other at once.

    `ignored` are the kinds of syncs that do nothing: then answers must get lost, or the test shows nothing.
    """

    name = "losses of power"

    def __init__(self, disk, ignored=(), keeps_order=False):
        self.disk, self.ignored = disk, ignored
        disk.keep_order(keeps_order)
        # The note of a commit is a name in another folder than the blob. Without an order of names it may be lost, and the
        # blob of an upload without an answer be there.
        self.leaves_blobs = not keeps_order

    def started(self, server):
        # What the first start made is there in any case: else a disk without syncs is just empty.
        if self.ignored:
            self.disk.settle()
            self.disk.ignore(*self.ignored)

    def strike(self, server, chance):
        if chance.random() < 0.5:
            return False
        self.disk.strike(server.process.pid, chance.randrange(1, 1500))
        return True

    def end(self, server, chance):
        server.kill()
        self.disk.lose_power(chance.randrange(1 << 32))

    def cut_start(self, server, chance):
        server.launch()
        self.disk.strike(server.process.pid, chance.randrange(1, 600))
        wait_for_end(server, 1)
        self.end(server, chance)


def wait_for_end(server, seconds):
    """Whether the server ended within this time."""
    start = time.monotonic()
    while time.monotonic() - start < seconds:
        if server.process.poll() is not None:
            return True
        time.sleep(0.005)
    return False
