"""All clients of the ledger, and the servers that the tested one talks to."""

from contextlib import contextmanager
from pathlib import Path
from random import Random

from client import Server
from mail_sink import MailSink, mail_settings
from sms_gateway import SMSGateway, sms_settings

from .derivatives import Derivatives
from .imports import Imports
from .objects import Things
from .queues import Codes, Mails
from .schemas import Schemas
from .verdicts import Verdicts

# Parts of any size, so that small files have several; a small reserve, because a disk of a test may have to write it.
SETTINGS = {
    "LCFILE_UPLOADS_MIN_PART_SIZE": "1B", "LCFILE_LOG_LEVEL": "error", "LCFILE_DISK_RESERVE": "1MB",
    "LCFILE_OBJECTS_MAX_CLASSES": "10000",
}
OBJECT_CLIENTS = 2


class Everybody:
    """The clients with one seed, and the server that they work with, which `make` makes."""

    def __init__(self, folder, storage, seed, make=Server):
        self.folder = Path(folder)
        self.sink, self.gateway = MailSink(self.folder / "mails"), SMSGateway(self.folder / "sms")
        self.server = make(
            folder, storage=storage, **mail_settings(self.sink) | sms_settings(self.gateway) | SETTINGS
        )
        named = lambda kind, name, *more: kind(Random(f"{seed} {name}"), name, *more)
        self.clients = [
            *(Things(f"Ledger{number}", Random(f"{seed} things {number}")) for number in range(OBJECT_CLIENTS)),
            named(Verdicts, "verdicts"), named(Schemas, "Schema"), named(Derivatives, "derivatives"),
            named(Mails, "mails", self.sink), named(Codes, "codes", self.gateway),
        ]
        self.imports = Imports(self.server, self.folder)

    @contextmanager
    def at_work(self):
        """Runs the other servers; stops everything in the end."""
        self.sink.start()
        self.gateway.start()
        try:
            yield self
        finally:
            self.imports.end()
            self.server.stop()
            self.sink.stop()
            self.gateway.stop()
