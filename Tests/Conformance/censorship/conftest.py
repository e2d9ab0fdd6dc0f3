"""What the tests of censorship share."""

import pytest
from censoring import Receiver


@pytest.fixture(scope="module")
def receiver():
    receiver = Receiver()
    yield receiver
    receiver.close()
