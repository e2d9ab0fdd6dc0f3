"""What a server keeps of derivatives on its disk."""

from client import ALPHA, eventually


def folder(server, app=ALPHA):
    return server.storage / app.id / "derivatives"


def kept(server, app=ALPHA):
    """The files in which derivatives are kept, those on their way in left out."""
    return sorted(path for path in folder(server, app).rglob("*") if path.is_file() and "staging" not in path.name)


def assert_kept(server, count, app=ALPHA):
    """A derivative is written while or after it is answered, so this waits."""
    assert eventually(lambda: len(kept(server, app)) == count), kept(server, app)


def bytes_kept(server, app=ALPHA):
    """The room that they take, in whole blocks of the disk."""
    sizes = []
    for path in kept(server, app):
        try:
            sizes.append(-(-path.stat().st_size // 4096) * 4096)
        except FileNotFoundError:
            pass  # It made room for another one just now.
    return sum(sizes)
