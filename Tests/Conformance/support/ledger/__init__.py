"""The crash ledger: clients work, every answer is written down outside the server, the server is killed or loses its power
at random moments and is started again on the same storage, and everything that was answered must be there.

`CrashTest` runs it; `Everybody` has the clients: files in all dialects, objects, verdicts, schemas, mails, SMS,
derivatives, and an import.
"""

from .crashes import Kill, KillOne, KillStore, PowerLoss
from .everybody import SETTINGS, Everybody
from .running import CrashTest, Ledger

__all__ = ["SETTINGS", "CrashTest", "Everybody", "Kill", "KillOne", "KillStore", "Ledger", "PowerLoss"]
