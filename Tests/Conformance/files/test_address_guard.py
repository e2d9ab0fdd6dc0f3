"""Addresses that the server does not fetch from: private networks in every notation, and redirects to them."""

import itertools
import socket

import pytest
from client import Server, eventually
from data import assert_400
from elsewhere import Elsewhere, answer, redirect, unfinished

# 127.0.0.1, and what else leads to this machine; {} is the port of a listener.
LOOPBACK = [
    "127.0.0.1", "127.0.0.2", "127.255.255.254", "127.1", "127.0.1", "2130706433", "0x7f000001", "0X7F000001",
    "0x7f.0.0.1", "0x7f.1", "017700000001", "0177.0.0.1", "0177.1", "127.000.000.001", "00177.0.0.1", "127.0.0.1.",
    "4294967297.0.0.1", "0", "0.0.0.0", "0x0", "00000000000", "localhost", "LOCALHOST", "LocalHost", "localhost.",
    "file.localhost", "[::1]", "[0:0:0:0:0:0:0:1]", "[0000:0000::0001]", "[::]", "[::ffff:127.0.0.1]",
    "[::FFFF:7f00:1]", "[::ffff:0:127.0.0.1]", "[::127.0.0.1]", "[::7f00:1]", "[64:ff9b::127.0.0.1]",
    "[64:ff9b::7f00:1]", "[64:ff9b:1::7f00:1]", "[2002:7f00:1::]", "[2002:7f00:1::1]", "[2001:0:1:1:1:1:80ff:fffe]",
    "%31%32%37.0.0.1", "127%2e0%2e0%2e1", "１２７.0.0.1", "127。0。0。1", "①②⑦.0.0.1", "[::1%25lo]", "[::ffff:0.0.0.0]",
]
# Networks that are not of the public, and the places where clouds keep their secrets.
PRIVATE = [
    "10.0.0.1", "10.255.255.255", "0xa.0.0.1", "012.0.0.1", "10.1", "167772161", "172.16.0.1", "172.31.255.255",
    "192.168.0.1", "192.168.1", "0300.0250.0.1", "3232235521", "169.254.0.1", "169.254.169.254", "2852039166",
    "0xa9fea9fe", "0xa9.0xfe.0xa9.0xfe", "0251.0376.0251.0376", "025177524776", "169.254.43518", "169.16689662",
    "100.64.0.1", "100.127.255.254", "192.0.0.1", "192.0.0.192", "192.0.2.1", "192.88.99.1", "198.18.0.1", "198.19.255.255",
    "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255", "0.1.2.3",
    "[fe80::1]", "[febf::1]", "[fec0::1]", "[fc00::1]", "[fd00::1]", "[fd00:ec2::254]", "[ff02::1]", "[ff0e::1]",
    "[::ffff:10.0.0.1]", "[::ffff:a9fe:a9fe]", "[::ffff:100.64.0.1]", "[::a9fe:a9fe]", "[64:ff9b::a9fe:a9fe]",
    "[64:ff9b::10.0.0.1]", "[2002:a9fe:a9fe::]", "[2002:a00:1::1]", "[2001:db8::1]", "[100::1]", "[3fff::1]",
    "[5f00::1]", "[2001::1]", "[fe80::1%25lo]",
]
# Hosts that readers of URLs do not agree on.
CONFUSING = [
    "http://example.org@127.0.0.1:{}/", "http://127.0.0.1:{}#@example.org/", "http://127.0.0.1:{}\\@example.org/",
    "http://example.org\\@127.0.0.1:{}/", "http://example.org:80@127.0.0.1:{}/", "http:127.0.0.1:{}/",
    "http:/127.0.0.1:{}/", "http:///127.0.0.1:{}/", "http:\\\\127.0.0.1:{}/", "http://127.0.0.1:{}/%0d%0aHost:%20a",
    "http://127.0.0.1:{}/\r\nX: 1", "http://127.0.0.1\t:{}/", "http://127.0.0.1 :{}/",
    "http://127.0.0.1:{}\0.example.org/", "http://[::1]:{}.example.org/", "http://127.0.0.1%00.example.org:{}/",
    "http://{{127.0.0.1,x}}:{}/", "http://[127.0.0.1]:{}/", "http://127.0.0.1:0{}/",
]
SHOWN = {"ids": ascii}
GUARD = "the address guard refused"


@pytest.fixture(scope="module")
def listener():
    """Notices every connection to this machine's loopback address."""
    elsewhere = Elsewhere("127.0.0.1")
    yield elsewhere
    elsewhere.close()


@pytest.fixture(scope="module")
def everywhere():
    """Listeners on one port of every address of this machine."""
    with socket.socket(socket.AF_INET6 if socket.has_dualstack_ipv6() else socket.AF_INET) as taken:
        if taken.family == socket.AF_INET6:
            taken.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        taken.bind(("", 0))
        taken.listen(128)
        taken.setblocking(False)
        yield taken


@pytest.fixture(scope="module")
def talkative(tmp_path_factory):
    """A server whose log tells why requests were refused."""
    server = Server(tmp_path_factory.mktemp("talkative"), LCFILE_LOG_LEVEL="debug").start()
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    """A server that may fetch from 127.0.0.1 and from nowhere else in private networks."""
    server = Server(tmp_path_factory.mktemp("opened"), LCFILE_FETCH_ALLOWED_NETWORKS="127.0.0.1/32").start()
    yield server
    assert server.stop() == 0


def fetch(api, url):
    return api.post("/1.1/files", json={"name": "x.txt", "url": url, "fetch": True})


def nobody_came(listening):
    """Whether no connection waits to be accepted: a client's is there as soon as it is made."""
    try:
        listening.accept()[0].close()
    except BlockingIOError:
        return True
    return False


def refused(api, url):
    """The sentence that refuses the URL."""
    response = fetch(api, url)
    assert_400(response)
    return response.json()["error"]


@pytest.mark.parametrize("host", LOOPBACK, **SHOWN)
def test_this_machine_is_refused_however_it_is_written(api, everywhere, host):
    assert_400(fetch(api, f"http://{host}:{everywhere.getsockname()[1]}/"))
    assert nobody_came(everywhere)


@pytest.mark.parametrize("url", CONFUSING, **SHOWN)
def test_url_that_readers_do_not_agree_on_is_refused(api, everywhere, url):
    assert_400(fetch(api, url.format(everywhere.getsockname()[1])))
    assert nobody_came(everywhere)


@pytest.fixture(scope="module")
def private_answers(talkative):
    """The answers to fetches from every private network. They come before the tests, which wait once for the log."""
    asked = list(itertools.product(["http", "https"], PRIVATE))
    answers = {(scheme, host): fetch(talkative.api(), f"{scheme}://{host}/latest/meta-data") for scheme, host in asked}
    last = answers[asked[-1]].headers["X-Request-Id"]
    assert eventually(lambda: last in talkative.errors), "the log does not name the last request"
    return answers


@pytest.mark.parametrize("host", PRIVATE, **SHOWN)
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_private_network_is_refused_by_the_guard(talkative, listener, private_answers, scheme, host):
    response = private_answers[scheme, host]
    assert_400(response)
    assert response.json()["error"] == refused(talkative.api(), listener.url())
    # The answer does not tell the guard's refusal from a connection that failed; the log does.
    request = response.headers["X-Request-Id"]
    assert [line for line in talkative.errors.splitlines() if request in line and GUARD in line]


@pytest.mark.single
def test_server_does_not_fetch_from_itself(api, server):
    before = api.count()
    stored = api.store(b"x", name="x.txt")
    assert_400(fetch(api, stored["url"]))
    assert_400(fetch(api, f"http://127.0.0.1:{server.metrics_port}/metrics"))
    assert api.count() == before + 1


def test_refusal_does_not_tell_whether_a_port_is_open(api, listener):
    closed = Elsewhere()
    closed.close()
    for scheme in ("http", "https"):
        urls = [f"{scheme}://127.0.0.1:{one.port}/" for one in (listener, closed)]
        answers = [fetch(api, url) for url in urls]
        assert answers[0].status_code == answers[1].status_code == 400
        texts = [answer.text.replace(str(one.port), "<port>") for answer, one in zip(answers, (listener, closed))]
        assert texts[0] == texts[1]
    assert listener.visitors() == 0


@pytest.mark.parametrize("host", ["localhost", "[::1]", "0x7f.1", "[::ffff:127.0.0.1]"])
def test_refusal_is_one_sentence_for_every_notation(api, listener, host):
    assert refused(api, listener.url(host=host)) == refused(api, listener.url())


def test_refusal_names_no_address_that_was_not_given(api, listener):
    assert "127.0.0.1" not in refused(api, listener.url(host="localhost"))


@pytest.mark.parametrize("caller", ["guest", "owner", "master"])
def test_guard_holds_for_everybody(cast, listener, caller):
    assert_400(fetch(cast[caller], listener.url()))
    assert listener.visitors() == 0


def test_refused_fetch_keeps_nothing(api, server, listener):
    before, others = (api.count(), len(server.blobs_at_rest())), unfinished(server)
    assert_400(fetch(api, listener.url()))
    assert eventually(lambda: unfinished(server) == others)
    assert (api.count(), len(server.blobs())) == before


@pytest.mark.disk
def test_proxy_of_the_environment_is_no_way_around(new_server, listener):
    names = ("http_proxy", "https_proxy", "ALL_PROXY", "all_proxy", "HTTPS_PROXY")
    server = new_server(**{name: listener.url() for name in names}).start()
    assert_400(fetch(server.api(), listener.url()))
    assert_400(fetch(server.api(), "http://169.254.169.254/"))
    assert listener.visitors() == 0


# One address is open

@pytest.fixture(scope="module")
def source():
    elsewhere = Elsewhere("127.0.0.1")
    yield elsewhere
    elsewhere.close()


@pytest.fixture(params=["127.0.0.2", "::1"])
def behind(request):
    """A listener beside the one that is open."""
    try:
        elsewhere = Elsewhere(request.param)
    except OSError as error:
        pytest.skip(f"this machine has no {request.param}: {error}")
    yield elsewhere
    elsewhere.close()


def test_open_network_is_fetched_from(opened, source):
    assert fetch(opened.api(), source.offer(answer(b"x"))).status_code == 201


def test_rest_of_the_network_stays_closed(opened, behind):
    assert_400(fetch(opened.api(), behind.offer(answer(b"x"))))
    assert behind.visitors() == 0


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirect_leads_to_no_closed_address(opened, source, behind, status):
    url = source.offer(redirect(behind.offer(answer(b"secret")), status))
    response = fetch(opened.api(), url)
    assert_400(response)
    assert "secret" not in response.text
    assert len(source.visits_of(url)) == 1
    assert behind.visitors() == 0


def test_second_redirect_leads_to_no_closed_address(opened, source, behind):
    url = source.offer(redirect(source.offer(redirect(behind.offer(answer(b"secret"))))))
    assert_400(fetch(opened.api(), url))
    assert behind.visitors() == 0


@pytest.mark.parametrize("host", ["127.0.0.2", "127.2", "0x7f000002", "2130706434", "0177.0.0.2", "[::ffff:127.0.0.2]",
                                  "[64:ff9b::7f00:2]", "[2002:7f00:2::]"])
def test_redirect_to_another_notation_leads_nowhere_else(opened, source, host):
    behind = Elsewhere("127.0.0.2")
    try:
        assert_400(fetch(opened.api(), source.offer(redirect(behind.url(host=host)))))
        assert behind.visitors() == 0
    finally:
        behind.close()


def test_redirect_to_a_closed_network_says_what_the_address_itself_does(opened, source):
    direct = refused(opened.api(), "http://169.254.169.254/")
    assert refused(opened.api(), source.offer(redirect("http://169.254.169.254/"))) == direct


def test_source_that_names_another_service_is_not_followed(opened, source, behind):
    services = f'h2="{behind.host}:{behind.port}", http/1.1="{behind.host}:{behind.port}"'
    hints = {"Alt_Svc": services, "Refresh": f"0; url={behind.url()}", "Link": f"<{behind.url()}>; rel=preload"}
    url = source.offer(answer(b"x", **hints))
    assert [fetch(opened.api(), url).status_code for _ in range(2)] == [201, 201]
    assert behind.visitors() == 0


@pytest.mark.parametrize("networks", ["nonsense", "127.0.0.1/33", "127.0.0/8", "::1/129", "127.0.0.1/-1", "127.0.0.1/x",
                                      "localhost"])
def test_network_that_is_none_stops_the_start(new_server, networks):
    server = new_server(LCFILE_FETCH_ALLOWED_NETWORKS=networks).launch()
    assert server.wait() == 78, server.errors
    sentence, = [line for line in server.errors.splitlines() if line.startswith("lcfile: ")]
    assert "fetch.allowedNetworks" in sentence
