"""SIGHUP reads the certificate and the key again: new connections get them, open ones go on."""

import os

import pytest
from certificates import Certificate
from client import eventually
from tls import TLSConnection, hang_up, log_lines, presented, reload

HEALTHY = b'{"status":"ok"}'


# New connections

def test_new_connection_gets_the_new_certificate(own, renewed):
    own.certificate.become(renewed)
    hang_up(own)
    assert eventually(lambda: presented(own) == renewed.der)


@pytest.mark.extended
def test_files_that_changed_are_not_read_without_the_signal(changing, certificate, renewed):
    changing.certificate.become(renewed)
    assert presented(changing) == certificate.der


@pytest.mark.extended
def test_certificate_behind_a_symbolic_link_is_renewed(new_tls_server, certificate, renewed, tmp_path):
    """As certbot renews one: the links get other targets."""
    links = Certificate(tmp_path / "certificate.pem", tmp_path / "key.pem")

    def link_to(version):
        for link, target in ((links.chain, version.chain), (links.key, version.key)):
            link.unlink(missing_ok=True)
            link.symlink_to(target)

    link_to(certificate)
    server = new_tls_server(links).start()
    link_to(renewed)
    hang_up(server)
    assert eventually(lambda: presented(server) == renewed.der)


def test_last_of_many_signals_counts(own, renewed):
    for _ in range(50):
        hang_up(own)
    own.certificate.become(renewed)
    hang_up(own)
    assert eventually(lambda: presented(own) == renewed.der)


def test_session_of_the_old_certificate_does_not_prevent_a_connection(own, authority, renewed):
    context = authority.client()
    with TLSConnection(own.port, context) as connection:
        assert connection.request("GET", "/health", {}).content == HEALTHY
        session = connection.socket.session
    reload(own, renewed)
    with TLSConnection(own.port, context, session=session) as connection:
        assert connection.socket.getpeercert(binary_form=True) == renewed.der


# Open connections

def test_open_connection_goes_on_after_a_reload(own, renewed):
    with own.raw() as connection:
        assert connection.request("GET", "/health", {}).content == HEALTHY
        reload(own, renewed)
        assert connection.request("GET", "/health", {}).content == HEALTHY


def test_open_connection_without_a_request_goes_on_after_a_reload(own, renewed):
    with own.raw() as connection:
        reload(own, renewed)
        assert connection.request("GET", "/health", {}).content == HEALTHY


# Other states of the server

def writer_of(pipe):
    """The writing end of a named pipe; `None` before a process reads it."""
    try:
        return open(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK), "wb")
    except OSError:
        return None


@pytest.mark.extended
def test_signal_during_the_start_is_a_reload_at_its_end(new_tls_server, certificate, renewed, tmp_path):
    files = certificate.copied(tmp_path)
    files.key.unlink()
    os.mkfifo(files.key)
    server = new_tls_server(files).launch()
    # The start waits for the key, and has read the certificate.
    with eventually(lambda: writer_of(files.key)) as pipe:
        hang_up(server)
        files.key.unlink()
        files.become(renewed)
        pipe.write(certificate.key.read_bytes())
    server.wait_for_start()
    assert eventually(lambda: presented(server) == renewed.der)


@pytest.mark.extended
def test_signal_without_tls_leaves_the_server_running(new_server):
    server = new_server().start()
    hang_up(server)
    assert eventually(lambda: log_lines(server, "notice"))
    assert server.is_healthy()


@pytest.mark.extended
def test_signal_without_tls_is_one_notice_in_the_log(new_server):
    server = new_server().start()
    hang_up(server)
    assert eventually(lambda: log_lines(server, "notice"))
    line, = log_lines(server, "notice")
    assert "SIGHUP" in line
