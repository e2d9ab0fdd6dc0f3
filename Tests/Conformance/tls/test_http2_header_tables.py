"""The table of header fields for responses (HPACK), whose size a client of HTTP/2 chooses and the server limits."""

import pytest
from h2.settings import SettingCodes
from http2 import Client2

DEFAULT, HUGE = 4096, 2**32 - 1


def served(client):
    """The size of the table after some responses, which must be decoded with it."""
    for number in range(20):
        answer = client.request("GET", f"/1.1/date/none{number}")
        assert (answer.status, answer.headers["content-type"]) == (404, "application/json;charset=utf-8")
    return client.h2.decoder.header_table_size


@pytest.mark.few(2)
@pytest.mark.parametrize("asked, used", [(0, 0), (100, 100), (DEFAULT, DEFAULT), (1 << 16, DEFAULT), (HUGE, DEFAULT)])
def test_first_settings_make_no_large_table(server, asked, used):
    with Client2(server, {SettingCodes.HEADER_TABLE_SIZE: asked}) as client:
        # The library expects only sizes that it asked for later.
        client.h2.decoder.max_allowed_table_size = HUGE
        assert served(client) == used


@pytest.mark.parametrize("size", [1, 8, 1000])
def test_later_settings_make_no_large_table_however_they_arrive(server, size):
    with Client2(server) as client:
        assert served(client) == DEFAULT
        client.h2.update_settings({SettingCodes.HEADER_TABLE_SIZE: HUGE})
        data = client.h2.data_to_send()
        for start in range(0, len(data), size):
            client.send(data[start:start + size])
        assert served(client) == DEFAULT


@pytest.mark.extended
def test_table_that_became_small_grows_to_the_limit_only(server):
    with Client2(server, {SettingCodes.HEADER_TABLE_SIZE: 0}) as client:
        assert served(client) == 0
        client.h2.update_settings({SettingCodes.HEADER_TABLE_SIZE: HUGE})
        client.flush()
        assert served(client) == DEFAULT
