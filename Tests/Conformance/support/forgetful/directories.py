"""Directories: the names that processes see, those that the disk holds, and the changes between them."""

import itertools
import stat

from nodes import Node

MOMENTS = itertools.count(1)


class Change:
    """A name that got another node, or none, at a moment. Of a rename, the end of the old name has the beginning of the
    new one as its `partner`, and the same moment: the disk never has the first without the second."""

    def __init__(self, directory, name, node, partner=None):
        self.directory, self.name, self.node, self.partner = directory, name, node, partner
        self.moment = next(MOMENTS) if partner is None else partner.moment
        self.is_on_disk = False


class Directory(Node):
    """Names and their nodes. All changes of all directories are appended to the journal."""

    def __init__(self, number, mode, uid, gid, journal):
        super().__init__(number, stat.S_IFDIR | mode, uid, gid)
        self.entries, self.disk = {}, {}
        self.journal = journal
        # By name, in their order.
        self.changes = {}

    def put(self, name, node, partner=None):
        """Gives a name to a node, or takes it away."""
        change = Change(self, name, node, partner)
        before = self.entries.pop(name, None)
        if before is not None:
            before.links -= 1
            before.changed = change.moment
        if node is not None:
            self.entries[name] = node
            node.links += 1
            node.changed = change.moment
        self.changes.setdefault(name, []).append(change)
        self.journal.append(change)
        self.changed = change.moment
        self.touch()
        return change

    def sync(self):
        for name in list(self.changes):
            if name in self.changes:
                settle(self.changes[name][-1])

    def lose(self, chance):
        """Lets the disk have some of the changes that were not synced; of those of one name the first ones."""
        share = chance.choice([0.0, 1.0, chance.random()])
        for name in list(self.changes):
            changes = self.changes.get(name)
            if changes and chance.random() < share:
                settle(changes[-1 if share == 1 else chance.randrange(len(changes))])

    def forget(self):
        """Becomes what the disk holds."""
        self.changes.clear()
        self.entries = dict(self.disk)


def settle(change):
    """Brings a change to the disk, after those of the same name before it."""
    directory, name = change.directory, change.name
    changes = directory.changes.get(name, [])
    while not change.is_on_disk:
        first = changes.pop(0)
        if first.partner is not None and not first.partner.is_on_disk:
            settle(first.partner)
        if first.node is None:
            directory.disk.pop(name, None)
        else:
            directory.disk[name] = first.node
        first.is_on_disk = True
    if not changes:
        directory.changes.pop(name, None)
