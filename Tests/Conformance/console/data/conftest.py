import pytest


@pytest.fixture
def area(console):
    """The area Data, before the log-in."""
    from data_area import DataArea

    return DataArea(console)


@pytest.fixture
def master(console_server):
    """The API of the first app with its master key."""
    return console_server.api(master=True)
