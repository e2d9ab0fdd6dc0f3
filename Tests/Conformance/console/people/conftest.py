import pytest


@pytest.fixture
def people(console):
    """The area People, before the log-in."""
    from people_area import PeopleArea

    return PeopleArea(console)


@pytest.fixture(scope="session")
def master(console_server):
    return console_server.api(master=True)
