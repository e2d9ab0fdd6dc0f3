import itertools

import pytest
from data import Objects
from live_client import Live

NUMBERS = itertools.count(1)


@pytest.fixture
def connect(api):
    """Opens connections, which are closed when the test ends; `connect(caller)` subscribes as that caller."""
    opened = []

    def make(by=None, **options):
        opened.append(Live(by or api, **options))
        return opened[-1]

    yield make
    for live in opened:
        live.close()


@pytest.fixture
def live(connect):
    """A guest's connection."""
    return connect()


@pytest.fixture
def tasks(request, api):
    """A class that no other case uses."""
    return Objects(api, f"{request.module.__name__.removeprefix('test_')}_{next(NUMBERS)}")
