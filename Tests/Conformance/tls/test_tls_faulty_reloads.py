"""A certificate or key that cannot be used at SIGHUP changes nothing but the log."""

import pytest
from client import eventually
from tls import TLSServer, hang_up, log_lines, presented
from uploading import noise

HEALTHY = b'{"status":"ok"}'
# The setting that the log must name, and how its file comes to be faulty.
FAULTS = {
    "missing certificate": ("tls.certificate", lambda files, other: files.chain.unlink()),
    "missing key": ("tls.key", lambda files, other: files.key.unlink()),
    "malformed certificate": ("tls.certificate", lambda files, other: files.chain.write_text("no certificate")),
    "empty certificate": ("tls.certificate", lambda files, other: files.chain.write_text("")),
    "random bytes": ("tls.certificate", lambda files, other: files.chain.write_bytes(noise(5000))),
    "half a certificate": ("tls.certificate", lambda files, other: files.chain.write_text(other.chain.read_text()[:400])),
    "malformed key": ("tls.key", lambda files, other: files.key.write_text("no key")),
    "key of another certificate": ("tls.key", lambda files, other: files.key.write_bytes(other.key.read_bytes())),
    "certificate of another key": ("tls.key", lambda files, other: files.chain.write_bytes(other.chain.read_bytes())),
}


def damage(server, fault, other):
    """Damages a file and sends the signal; returns the new lines of the log at level error."""
    before = len(log_lines(server, "error"))
    FAULTS[fault][1](server.certificate, other)
    hang_up(server)
    assert eventually(lambda: len(log_lines(server, "error")) > before)
    return log_lines(server, "error")[before:]


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory, authority, certificate, renewed):
    """By fault: the lines of the log at level error, and the certificate of a new connection after it."""
    files = certificate.copied(tmp_path_factory.mktemp("files"))
    server = TLSServer(tmp_path_factory.mktemp("faulty"), authority, files).start()
    found = {}
    for fault in FAULTS:
        # Each signal has its line before the next one, so none of them is merged with another.
        found[fault] = damage(server, fault, renewed), presented(server)
        files.become(certificate)
    assert server.stop() == 0
    return found


@pytest.mark.parametrize("fault", FAULTS)
def test_faulty_file_leaves_the_certificate(outcomes, certificate, fault):
    assert outcomes[fault][1] == certificate.der


@pytest.mark.parametrize("fault", FAULTS)
def test_faulty_file_is_one_error_in_the_log_that_names_the_setting(outcomes, fault):
    line, = outcomes[fault][0]
    assert f'error="{FAULTS[fault][0]}: ' in line


def test_open_connection_goes_on_after_a_faulty_file(changing, renewed):
    with changing.raw() as connection:
        damage(changing, "malformed key", renewed)
        assert connection.request("GET", "/health", {}).content == HEALTHY


def test_corrected_file_is_read_at_the_next_signal(changing, renewed):
    """A renewal writes one file after the other."""
    damage(changing, "certificate of another key", renewed)
    changing.certificate.become(renewed)
    hang_up(changing)
    assert eventually(lambda: presented(changing) == renewed.der)
