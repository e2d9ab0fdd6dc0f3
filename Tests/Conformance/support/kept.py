"""What a server keeps of derivatives on its disk."""

import struct

from client import ALPHA, eventually
from pictures import encoded, plain

# The last derivative that is asked for before one counts: a size that no test asks for tells it from others.
LAST_SIZE = (31, 7)
LAST = encoded(plain(*LAST_SIZE))


def folder(server, app=ALPHA):
    return server.storage / app.id / "derivatives"


def kept(server, app=ALPHA):
    """The files in which derivatives are kept, those on their way in left out."""
    return [path for path in files(server, app) if not is_last(path)]


def files(server, app=ALPHA):
    return sorted(path for path in folder(server, app).rglob("*") if path.is_file() and "staging" not in path.name)


def content(path):
    """The bytes of a file; none if it has made room for another one just now."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""


def is_last(path):
    return content(path)[16:24] == struct.pack(">II", *LAST_SIZE)


def count_last(server, app):
    return len([path for path in files(server, app) if is_last(path)])


def settle(server, app=ALPHA):
    """Waits until what was answered before is written: one that is asked for now is, and nothing is on its way.

    A derivative is written while or after it is answered. Without this, one that is kept too often would come after the
    look at what is kept.
    """
    api = server.api(app)

    def is_written():
        before = count_last(server, app)
        url = api.store(LAST, name="last.png")["url"]
        assert api.fetch(f"{url}?imageMogr2/strip").status_code == 200
        # One that comes while room is being made for others may not be kept: then another one is asked for.
        return eventually(lambda: count_last(server, app) > before, 1)

    assert eventually(is_written), "nothing is kept any more"
    assert eventually(lambda: not list(folder(server, app).glob("staging-*"))), "something is still being written"


def assert_kept(server, count, app=ALPHA):
    """Exactly so many are kept, and no more come."""
    # Those of a deleted file may go while or after the deletion is answered.
    assert eventually(lambda: len(kept(server, app)) == count), kept(server, app)
    settle(server, app)
    assert len(kept(server, app)) == count, kept(server, app)


def bytes_kept(server, app=ALPHA):
    """The room that they take, in whole blocks of the disk."""
    sizes = []
    for path in kept(server, app):
        try:
            sizes.append(-(-path.stat().st_size // 4096) * 4096)
        except FileNotFoundError:
            pass  # It made room for another one just now.
    return sum(sizes)
