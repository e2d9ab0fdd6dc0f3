"""Starts with faulty certificates and keys, which the server must refuse before it creates anything."""

import os

import pytest
from cases import some
from certificates import openssl
from client import eventually
from starting import SETTING, assert_does_not_start
from tls import log_lines


def encrypted(key):
    return openssl("pkcs8", "-topk8", "-in", key, "-passout", "pass:secret")


def traditionally_encrypted(key):
    return openssl("ec", "-in", key, "-aes128", "-passout", "pass:secret")


# The setting that is wrong, and how its file comes to be so; `None` removes it.
FAULTS = {
    "missing certificate": ("certificate", lambda good, other: None),
    "certificate file that is empty": ("certificate", lambda good, other: ""),
    "certificate file with text": ("certificate", lambda good, other: "no certificate\n"),
    "certificate file with the key": ("certificate", lambda good, other: good.key.read_text()),
    "half a certificate": ("certificate", lambda good, other: good.chain.read_text()[:400]),
    "half a chain": ("certificate", lambda good, other: good.chain.read_text()[:-300]),
    "certificate with other characters": ("certificate", lambda good, other: good.chain.read_text().replace("MII", "!!!")),
    "certificate file that is a folder": ("certificate", lambda good, other: {}),
    "missing key": ("key", lambda good, other: None),
    "key file that is empty": ("key", lambda good, other: ""),
    "key file with text": ("key", lambda good, other: "no key\n"),
    "key file with the certificate": ("key", lambda good, other: good.chain.read_text()),
    "half a key": ("key", lambda good, other: good.key.read_text()[:100]),
    "public key": ("key", lambda good, other: openssl("pkey", "-in", good.key, "-pubout")),
    "encrypted key": ("key", lambda good, other: encrypted(good.key)),
    "traditionally encrypted key": ("key", lambda good, other: traditionally_encrypted(good.key)),
    "key file that is a folder": ("key", lambda good, other: {}),
    "key of another certificate": ("key", lambda good, other: other.key.read_text()),
}


@pytest.fixture(scope="module")
def other(authority):
    """A certificate with a key of the same kind."""
    return authority.issue("other")


@pytest.fixture
def files(certificate, tmp_path):
    return certificate.copied(tmp_path)


def spoil(files, fault, other):
    """Damages one of the files; returns its setting and its path."""
    name, content_of = FAULTS[fault]
    path = files.chain if name == "certificate" else files.key
    content = content_of(files, other)
    path.unlink()
    if content == {}:
        path.mkdir()
    elif content is not None:
        path.write_text(content)
    return f"tls.{name}", str(path)


@pytest.mark.few(2)
@pytest.mark.parametrize("fault", FAULTS)
def test_faulty_file_is_refused_by_its_setting_and_path(new_tls_server, files, other, fault):
    setting, path = spoil(files, fault, other)
    assert_does_not_start(new_tls_server(files), SETTING, f"{setting}: ", path)


@pytest.mark.few(2)
@pytest.mark.parametrize("fault", some(FAULTS, 3))
def test_start_with_a_faulty_file_creates_nothing(new_tls_server, files, other, fault):
    spoil(files, fault, other)
    server = new_tls_server(files).launch()
    assert server.wait() == SETTING
    assert not server.storage.exists()


def test_content_of_a_key_is_never_repeated(new_tls_server, files, other):
    spoil(files, "half a key", other)
    content = files.key.read_text().splitlines()[1][:20]
    server = new_tls_server(files).launch()
    assert server.wait() == SETTING
    assert content not in server.errors


@pytest.mark.parametrize("name", ["certificate", "key"])
def test_unreadable_file_is_refused(new_tls_server, files, name):
    path = files.chain if name == "certificate" else files.key
    path.chmod(0)
    server = new_tls_server(files)
    if os.geteuid() == 0:
        # Without these capabilities root cannot read it either.
        server.command = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", *server.command]
    assert_does_not_start(server, SETTING, f"tls.{name}: ", str(path), "Permission denied")


@pytest.mark.parametrize("name", ["CERTIFICATE", "KEY"])
def test_only_one_of_both_settings_is_refused(new_tls_server, name):
    server = new_tls_server()
    del server.environment[f"LCFILE_TLS_{name}"]
    assert_does_not_start(server, SETTING, "tls.certificate", "tls.key")


@pytest.mark.parametrize("name", ["CERTIFICATE", "KEY"])
def test_start_with_only_one_of_both_settings_creates_nothing(new_tls_server, name):
    server = new_tls_server()
    del server.environment[f"LCFILE_TLS_{name}"]
    assert server.launch().wait() == SETTING
    assert not server.storage.exists()


@pytest.mark.extended
def test_settings_in_the_file_work(new_tls_server, certificate):
    server = new_tls_server()
    for name in certificate.settings:
        del server.environment[name]
    file = server.folder / "lcfile.yaml"
    file.write_text(f"{file.read_text()}tls:\n  certificate: {certificate.chain}\n  key: {certificate.key}\n")
    assert server.start().is_healthy()


# The end of a certificate

def greeted(server):
    """A server whose log has the line about its certificate; clients need not accept it."""
    server.launch()
    assert eventually(lambda: server.has_greeted() and "tls.daysLeft=" in server.errors, 20), server.errors
    return server


@pytest.mark.extended
@pytest.mark.parametrize("days", [-1, 0])
def test_certificate_that_has_ended_is_a_warning_in_the_log(new_tls_server, authority, days):
    server = greeted(new_tls_server(authority.issue(f"ended {days}", days=days)))
    assert any("The certificate has ended." in line for line in log_lines(server, "warning"))


@pytest.mark.extended
def test_certificate_that_ends_in_thirteen_days_is_a_warning_in_the_log(new_tls_server, authority):
    server = greeted(new_tls_server(authority.issue("ends soon", days=13)))
    assert any("tls.daysLeft=" in line for line in log_lines(server, "warning"))


@pytest.mark.extended
def test_certificate_that_ends_in_sixteen_days_is_no_warning_in_the_log(new_tls_server, authority):
    server = greeted(new_tls_server(authority.issue("ends later", days=16)))
    assert [line for line in log_lines(server, "warning") if "tls" in line] == []
