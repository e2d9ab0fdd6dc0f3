"""Clients that say nothing; in a file of its own, because it waits for longer than all other tests together."""

import pytest
from client import eventually
from people import start

pytestmark = pytest.mark.long


@pytest.mark.extended
def test_silent_client_is_closed_and_one_that_speaks_is_not(new_server, connect):
    # SDKs send something every 180 seconds.
    api = start(new_server, LCFILE_LIVE_QUERIES_IDLE_TIMEOUT="10").api()
    silent, speaking = connect(api), connect(api)

    def is_closed():
        speaking.echo()
        return silent.socket.close_code

    assert eventually(is_closed, 30) == 1001
    assert speaking.echo()["cmd"] == "echo"
