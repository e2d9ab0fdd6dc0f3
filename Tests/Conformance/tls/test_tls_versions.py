"""Handshakes: versions, ALPN, chains, kinds of keys, and sessions that clients resume."""

import ssl
from operator import attrgetter

import pytest
from certificates import RSA, Certificate, openssl
from client import eventually
from tls import TLSConnection, TLSServer

OLD = [ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1]
NEW = [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3]
NAME = attrgetter("name")


def client(authority, version=None, protocols=None):
    context = authority.client()
    # OpenSSL offers earlier versions only at this level.
    context.set_ciphers("DEFAULT:@SECLEVEL=0")
    if version:
        context.minimum_version = context.maximum_version = version
    if protocols:
        context.set_alpn_protocols(protocols)
    return context


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion:DeprecationWarning")
@pytest.mark.parametrize("version", OLD, ids=NAME)
def test_old_version_is_refused(server, version):
    with pytest.raises(ssl.SSLError) as refusal:
        TLSConnection(server.port, client(server.authority, version))
    assert refusal.value.reason == "TLSV1_ALERT_PROTOCOL_VERSION"


@pytest.mark.parametrize("version", NEW, ids=NAME)
def test_new_version_is_accepted(server, version):
    with TLSConnection(server.port, client(server.authority, version)) as connection:
        assert connection.request("GET", "/health", {}).status == 200


@pytest.mark.parametrize("offered, selected", [
    (["http/1.1"], "http/1.1"), (["h2", "http/1.1"], "h2"), (["http/1.1", "h2"], "h2"),
    (["http/1.0", "h2", "http/1.1", "h3"], "h2"), (["http/1.0", "http/1.1"], "http/1.1"), (None, None),
], ids=str)
@pytest.mark.parametrize("version", NEW, ids=NAME)
def test_alpn_selects_the_newest_version_of_both(server, version, offered, selected):
    with TLSConnection(server.port, client(server.authority, version, offered)) as connection:
        assert connection.socket.selected_alpn_protocol() == selected


@pytest.mark.parametrize("offered", [["http/1.1"], ["http/1.0", "http/1.1"], ["unknown"], None], ids=str)
def test_client_that_does_not_offer_http2_gets_http1(server, offered):
    with TLSConnection(server.port, client(server.authority, protocols=offered)) as connection:
        assert connection.request("GET", "/health", {}).content == b'{"status":"ok"}'


@pytest.fixture(scope="module")
def rsa_server(tmp_path_factory, authority):
    """A server whose key is of the kind that most suites of TLS 1.2 are for."""
    server = TLSServer(tmp_path_factory.mktemp("suites"), authority, authority.issue("suites", kind=RSA)).start()
    yield server
    assert server.stop() == 0


@pytest.mark.parametrize("ciphers, is_accepted", [
    ("ECDHE-RSA-AES128-GCM-SHA256", True), ("ECDHE-RSA-AES256-GCM-SHA384", True), ("ECDHE-RSA-CHACHA20-POLY1305", True),
    # Without forward secrecy, or without authenticated encryption.
    ("AES128-GCM-SHA256", False), ("AES256-SHA256", False), ("ECDHE-RSA-AES128-SHA", False),
    ("ECDHE-RSA-AES128-SHA256", False),
])
def test_suites_of_tls_1_2_are_those_that_are_recommended(rsa_server, authority, ciphers, is_accepted):
    server = rsa_server
    context = client(authority, ssl.TLSVersion.TLSv1_2)
    context.set_ciphers(f"{ciphers}:@SECLEVEL=0")
    if is_accepted:
        with TLSConnection(server.port, context) as connection:
            assert connection.socket.cipher()[0] == ciphers
    else:
        with pytest.raises(ssl.SSLError) as refusal:
            TLSConnection(server.port, context)
        assert refusal.value.reason == "SSLV3_ALERT_HANDSHAKE_FAILURE"


# Certificates

@pytest.mark.extended
def test_whole_chain_is_sent(new_tls_server, authority, certificate, tmp_path):
    chain = tmp_path / "chain.pem"
    chain.write_text(certificate.chain.read_text() + authority.root.read_text())
    server = new_tls_server(Certificate(chain, certificate.key)).start()
    shown = openssl("s_client", "-connect", f"127.0.0.1:{server.port}", "-showcerts")
    sent = shown.split("-----BEGIN CERTIFICATE-----")[1:]
    assert [f"-----BEGIN CERTIFICATE-----{each.partition('-----END')[0]}" for each in sent] == [
        each for each in chain.read_text().split("-----END CERTIFICATE-----\n") if each
    ]


def test_client_that_trusts_only_the_root_accepts_a_chain_with_the_intermediate(server):
    with server.raw() as connection:
        assert connection.socket.getpeercert()["issuer"] == ((("commonName", "intermediate"),),)


KEYS = {
    "RSA": RSA, "EC P-256": ("EC", "-pkeyopt", "ec_paramgen_curve:P-256"),
    "EC P-384": ("EC", "-pkeyopt", "ec_paramgen_curve:P-384"),
}


@pytest.fixture(scope="module")
def servers(tmp_path_factory, authority):
    """Servers by the kind of their key."""
    servers = {}
    for kind, key in KEYS.items():
        folder = tmp_path_factory.mktemp("key")
        servers[kind] = TLSServer(folder, authority, authority.issue(kind.replace(" ", "-"), key)).launch()
    for server in servers.values():
        assert eventually(server.is_healthy)
    yield servers
    assert [server.stop() for server in servers.values()] == [0] * len(servers)


@pytest.mark.parametrize("version", NEW, ids=NAME)
@pytest.mark.parametrize("kind", KEYS)
def test_kind_of_key_works(servers, kind, version):
    server = servers[kind]
    with TLSConnection(server.port, client(server.authority, version)) as connection:
        assert connection.request("GET", "/health", {}).status == 200


def traditional(key):
    return openssl("pkey", "-in", key, "-traditional")


FORMATS = {
    "traditional": lambda certificate: ("", traditional(certificate.key)),
    "with parameters": lambda certificate: (openssl("ecparam", "-name", "prime256v1"), traditional(certificate.key)),
    "behind the certificates": lambda certificate: (certificate.chain.read_text(), certificate.key.read_text()),
    "with CRLF": lambda certificate: ("", certificate.key.read_text().replace("\n", "\r\n")),
}


@pytest.mark.few(1)
@pytest.mark.parametrize("format", FORMATS)
def test_format_of_a_key_works(new_tls_server, certificate, tmp_path, format):
    key = tmp_path / "key.pem"
    key.write_bytes("".join(FORMATS[format](certificate)).encode())
    server = new_tls_server(Certificate(certificate.chain, key)).start()
    assert server.is_healthy()


def test_certificate_and_key_in_one_file_work(new_tls_server, certificate, tmp_path):
    file = tmp_path / "both.pem"
    file.write_text(certificate.key.read_text() + certificate.chain.read_text())
    server = new_tls_server(Certificate(file, file)).start()
    assert server.is_healthy()


# Sessions

@pytest.mark.parametrize("version", NEW, ids=NAME)
def test_client_that_offers_an_earlier_session_is_served(server, version):
    context = client(server.authority, version)
    with TLSConnection(server.port, context) as first:
        assert first.request("GET", "/health", {}).status == 200
        session = first.socket.session
    with TLSConnection(server.port, context, session=session) as second:
        assert second.request("GET", "/health", {}).status == 200
