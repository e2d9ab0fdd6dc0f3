"""Plays LeanCloud's REST for programs that read a running app: protocol/data 1 to 7.

Where the notes do not know an answer, this package chooses one: a call that needs the master key and comes without it
is 403 code 403, class permissions have no REST call (404), a scan shows ACLs with `returnACL=true` as a query does.
"""

from .faults import Faults
from .server import LeanCloudServer
from .state import Changes, State
