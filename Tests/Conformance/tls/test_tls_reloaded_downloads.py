"""Downloads that run while the certificate is read again are finished."""

import threading

import pytest
from client import eventually
from hot import active, get, make_hot
from hot_files import all_of, stored
from tls import FEW_BYTES, hang_up, reload
from uploading import MB, noise


@pytest.mark.few(1)
@pytest.mark.parametrize("kind", ["hot", "route"])
def test_download_that_runs_during_a_reload_is_finished(own, renewed, kind):
    data = noise(12 * MB)
    _, target = stored(own, data)
    if kind == "hot":
        make_hot(own, target)
    with own.raw(receive_buffer=FEW_BYTES) as connection:
        connection.send(get(target))
        assert eventually(lambda: active(own) == 1)
        reload(own, renewed)
        assert connection.answer("GET").content == data


class Downloads(threading.Thread):
    """Downloads a file again and again, with a connection for each download or one for all."""

    def __init__(self, server, target, data, fields=(), keeps=False):
        super().__init__()
        self.server, self.target, self.data, self.fields, self.keeps = server, target, data, fields, keeps
        self.count, self.lost, self.ends = 0, [], threading.Event()

    def run(self):
        while not self.ends.is_set():
            try:
                with self.server.raw() as connection:
                    self.download(connection)
                    while self.keeps and not self.ends.is_set():
                        self.download(connection)
            except Exception as error:
                self.lost.append(repr(error))

    def download(self, connection):
        connection.send(get(self.target, *self.fields))
        if connection.answer("GET").content != self.data:
            self.lost.append("other bytes")
        self.count += 1


def test_ten_reloads_lose_no_download(own, certificate, renewed):
    data = noise(MB)
    _, target = stored(own, data)
    ways = [{}, {"keeps": True}, {"fields": ["Range: bytes=0-"]}, {"fields": ["Range: bytes=0-"], "keeps": True}]
    downloads = [Downloads(own, target, data, **way) for way in ways]
    for each in downloads:
        each.start()
    try:
        for version in [renewed, certificate] * 5:
            counts = [each.count for each in downloads]
            reload(own, version)
            assert eventually(lambda: all(each.count > count for each, count in zip(downloads, counts)))
    finally:
        for each in downloads:
            each.ends.set()
        for each in downloads:
            each.join()
    assert [each.lost for each in downloads] == [[]] * len(ways)


@pytest.mark.extended
def test_signal_during_a_stop_does_not_end_a_download(changing):
    data = noise(12 * MB)
    _, target = stored(changing, data)
    with changing.raw(receive_buffer=FEW_BYTES) as connection:
        connection.send(get(target, "Connection: close"))
        assert eventually(lambda: active(changing) == 1)
        changing.terminate()
        hang_up(changing)
        assert all_of(connection).endswith(data)
    assert changing.wait() == 0
