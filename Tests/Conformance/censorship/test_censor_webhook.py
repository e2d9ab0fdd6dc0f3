"""The webhook: what the server asks, which answers it takes, and how it goes on when the receiver does not answer."""

import json

import pytest
from censoring import (
    LONG, PLAIN, SECRET, Receiver, assert_blocked, at_server, block, censoring, decided, is_signed, photo, put, says,
    settings, signed, state, with_purge, with_webhook,
)
from client import ALPHA, TIMEOUT, assert_refused, eventually, free_port
from people import unique

CALLBACK = "/1.1/censorship/callback"


@pytest.fixture(scope="module")
def server(tmp_path_factory, receiver):
    more = with_webhook(receiver, **with_purge(receiver), LCFILE_CENSORSHIP_WORKERS="4")
    server = censoring(tmp_path_factory.mktemp("censor_webhook"), **more)
    settings(server.api(master=True), auto=True)
    yield server
    assert server.process.poll() is None, f"the server ended by itself: {server.errors[-2000:]}"
    assert server.stop() == 0


@pytest.fixture(scope="module")
def master(server):
    return server.api(master=True)


@pytest.fixture
def upload(server, receiver):
    """Uploads a new image while the receiver answers so; returns its record."""
    def upload(answer):
        receiver.says = answer
        return server.api().store(photo(unique("asked")))
    yield upload
    receiver.says = {"verdict": "passed"}


def call_back(server, file, verdict, headers=None, **fields):
    body = json.dumps({"app": ALPHA.id, "file": file, "verdict": verdict} | fields).encode()
    caller = server.api()
    caller.headers = {}
    return caller.post(CALLBACK, data=body, headers=headers or signed(body))


@pytest.mark.smoke
@pytest.mark.parametrize("given", ["passed", "review", "rejected"])
def test_answer_is_the_verdict(master, upload, given):
    id = upload({"verdict": given, "scores": {"weapons": 0.25}, "reason": "because"})["objectId"]
    seen = decided(master, id)
    expected = {"censorResult": given, "decidedBy": "machine", "checker": "webhook", "reason": "because"}
    assert expected.items() <= seen.items()
    assert seen["scores"]["weapons"] == 0.25
    assert len(seen["history"]) == 1


def test_request_names_the_file_and_is_signed(server, master, receiver, upload):
    made = upload({"verdict": "passed"})
    decided(master, made["objectId"])
    asked, = receiver.asked(made["objectId"])
    expected = {"app": ALPHA.id, "name": "photo.jpg", "mime_type": "image/jpeg"}
    assert expected.items() <= asked.items()
    assert asked["size"] == made["metaData"]["size"]
    assert asked["callback"].endswith(CALLBACK)
    request = next(one for one in receiver.requests if json.loads(one.body)["file"] == made["objectId"])
    assert (request.method, request.path) == ("POST", "/check")
    assert request.headers["Content-Type"] == "application/json"
    assert is_signed(request) and not is_signed(request, "another secret")
    assert not [name for name in request.headers if name.lower() in ("x-lc-key", "x-lc-id", "authorization")]


def test_receiver_gets_the_image_by_its_address(server, master, receiver, upload):
    """Also while the file is held."""
    got = []

    def answer(request):
        got.append(server.api().fetch(at_server(server, json.loads(request.body)["url"])))
        request.reply(200, b'{"verdict":"passed"}')

    settings(master, hold=True)
    try:
        id = upload(answer)["objectId"]
        decided(master, id)
    finally:
        settings(master, hold=False)
    assert got[0].status_code == 200
    assert got[0].headers["Content-Type"] == "image/jpeg"
    assert "no-store" in got[0].headers["Cache-Control"]


def test_rejected_file_is_blocked_at_once(server, master, upload):
    made = upload({"verdict": "rejected"})
    decided(master, made["objectId"])
    assert_blocked(server.api().fetch(at_server(server, made["url"])))


# Answers that come later

def test_later_answer_is_the_verdict(server, master, upload):
    id = upload(says(202))["objectId"]
    late = lambda: call_back(server, id, "rejected", scores={"a": 0.5}, reason="late").status_code == 200
    assert eventually(late, LONG)
    seen = decided(master, id)
    assert (seen["censorResult"], seen["checker"], seen["reason"]) == ("rejected", "webhook", "late")
    # The same answer again finds no job.
    assert call_back(server, id, "passed").status_code == 404
    assert state(master, id)["censorResult"] == "rejected"


@pytest.mark.parametrize("waits", [False, True], ids=["queued", "for a caller"])
def test_later_answer_can_come_before_the_202(server, master, receiver, upload, waits):
    """A receiver that looks at the image at once, and confirms the request when it has finished."""
    statuses = []

    def answer(request):
        if request.path == "/purge":
            return request.reply(200)
        statuses.append(call_back(server, json.loads(request.body)["file"], "rejected").status_code)
        request.reply(202)

    if waits:
        id = upload({"verdict": "passed"})["objectId"]
        assert decided(master, id)["censorResult"] == "passed"
        receiver.says = answer
        assert master.post(f"/1.1/files/{id}/censor").json() == {"censorResult": "rejected"}
    else:
        id = upload(answer)["objectId"]
    seen = decided(master, id)
    assert (seen["censorResult"], seen["checker"]) == ("rejected", "webhook")
    assert eventually(lambda: statuses) == [200]
    # No check waits for a further answer.
    assert call_back(server, id, "passed").status_code == 404


def test_caller_does_not_wait_for_a_later_answer(server, master, upload):
    id = upload({"verdict": "passed"})["objectId"]
    decided(master, id)
    upload(says(202))
    assert master.post(f"/1.1/files/{id}/censor").json() == {"censorResult": "review"}
    assert call_back(server, id, "rejected").json() == {"censorResult": "rejected"}
    assert state(master, id)["censorResult"] == "rejected"


@pytest.mark.few(2)
@pytest.mark.parametrize("body, status", [
    ({"verdict": "perhaps"}, 400), ({"verdict": None}, 400), ({"verdict": "pending"}, 400),
    ({"verdict": "passed", "scores": {"a": 7}}, 400),
    ({"verdict": "passed", "scores": {f"{number}": 0.5 for number in range(33)}}, 400),
], ids=str)
def test_later_answer_that_makes_no_sense_is_refused(server, master, receiver, upload, body, status):
    id = upload(says(202))["objectId"]
    assert eventually(lambda: receiver.asked(id), LONG)
    assert eventually(lambda: call_back(server, id, **{"verdict": None} | body).status_code == status, TIMEOUT)
    assert state(master, id)["censorResult"] == "pending"
    assert eventually(lambda: call_back(server, id, "passed").status_code == 200, TIMEOUT)


def test_later_answer_with_a_wrong_signature_changes_nothing(server, master, receiver, upload):
    id = upload(says(202))["objectId"]
    assert eventually(lambda: receiver.asked(id), LONG)
    body = json.dumps({"app": ALPHA.id, "file": id, "verdict": "passed"}).encode()
    for headers in (signed(body, "another secret"), signed(body, at=1_000), signed(b"{}"), {}):
        caller = server.api()
        caller.headers = {}
        assert caller.post(CALLBACK, data=body, headers=headers).status_code == 403
    assert state(master, id)["censorResult"] == "pending"
    assert eventually(lambda: call_back(server, id, "passed").status_code == 200, TIMEOUT)


def test_person_decides_before_the_later_answer(server, master, receiver, upload):
    id = upload(says(202))["objectId"]
    assert eventually(lambda: receiver.asked(id), LONG)
    put(master, id, "passed", by="alice")
    call_back(server, id, "rejected")
    seen = state(master, id)
    assert (seen["censorResult"], seen["by"]) == ("passed", "alice")


@pytest.mark.extended
def test_answer_that_does_not_come_ends_in_review(new_server, receiver):
    server = new_server(
        apps=(ALPHA,), **PLAIN | with_webhook(
            receiver, LCFILE_CENSORSHIP_CALLBACK_TIMEOUT="1", LCFILE_CENSORSHIP_ATTEMPTS="1"
        )
    ).start()
    master = server.api(master=True)
    settings(master, auto=True)
    receiver.says = says(202)
    seen = decided(master, server.api().store(photo("never"))["objectId"])
    receiver.says = {"verdict": "passed"}
    assert seen["censorResult"] == "review" and "webhook" in (seen.get("checker", "") + seen["reason"])


# Answers that are none

def endless(request):
    """More than a server takes, without an end that it announces."""
    request.send_response_only(200)
    request.end_headers()
    try:
        for _ in range(1000):
            request.wfile.write(b" " * 65536)
    except OSError:
        pass
    request.cut()


def slow(request):
    request.owner.closed.wait(4)
    request.cut()


BAD = {
    "500": says(500), "404": says(404, b'{"verdict":"passed"}'), "redirect": says(302, Location="/elsewhere"),
    "no JSON": says(200, b"passed"), "no object": says(200, b'"passed"'), "empty": says(200), "204": says(204),
    "unknown verdict": says(200, b'{"verdict":"perhaps"}'), "pending": says(200, b'{"verdict":"pending"}'),
    "bad scores": says(200, b'{"verdict":"passed","scores":{"a":7}}'),
    "not UTF-8": says(200, b'{"verdict":"passed","reason":"\xff"}'),
    "huge": says(200, b'{"verdict":"passed","reason":"' + b"x" * 70_000 + b'"}'), "endless": endless, "slow": slow,
    "cut off": lambda request: (request.head(200, 100), request.cut()),
}


@pytest.fixture(scope="module")
def badly_answered(server, receiver):
    """An image for each of them, which is the first answer that the server gets; all wait for the second together."""
    first = {f"{name}.jpg": answer for name, answer in BAD.items()}

    def answer(request):
        bad = first.pop(json.loads(request.body)["name"], None)
        bad(request) if bad else request.reply(200, b'{"verdict":"passed"}')

    receiver.says = answer
    ids = {name: server.api().store(photo(unique("bad")), name=f"{name}.jpg")["objectId"] for name in BAD}
    assert eventually(lambda: all(len(receiver.asked(id)) > 1 for id in ids.values()), LONG), "an image is not asked for again"
    receiver.says = {"verdict": "passed"}
    return ids


@pytest.mark.parametrize("first", BAD)
def test_bad_answer_is_asked_for_again(master, receiver, badly_answered, first):
    id = badly_answered[first]
    seen = decided(master, id)
    assert seen["censorResult"] == "passed", seen
    assert len(receiver.asked(id)) == 2
    assert len(seen["history"]) == 1


@pytest.mark.extended
def test_server_goes_on_after_the_receiver_was_down(new_server):
    port = free_port()
    settings_of = {
        "LCFILE_CENSORSHIP_WEBHOOK": f"http://127.0.0.1:{port}/check", "LCFILE_CENSORSHIP_WEBHOOK_SECRET": SECRET,
        "LCFILE_CENSORSHIP_WEBHOOK_TIMEOUT": "2",
    }
    server = new_server(apps=(ALPHA,), **PLAIN | settings_of).start()
    master = server.api(master=True)
    settings(master, auto=True)
    ids = [server.api().store(photo(f"down {number}"))["objectId"] for number in range(3)]
    assert [state(master, id)["censorResult"] for id in ids] == ["pending"] * 3
    receiver = Receiver(port)
    try:
        for id in ids:
            assert decided(master, id)["censorResult"] == "passed"
            assert len(receiver.asked(id)) == 1
    finally:
        receiver.close()


@pytest.mark.extended
def test_receiver_that_stays_down_ends_in_review_with_the_reason(new_server):
    server = new_server(apps=(ALPHA,), **PLAIN | {
        "LCFILE_CENSORSHIP_WEBHOOK": "http://127.0.0.1:1/check", "LCFILE_CENSORSHIP_WEBHOOK_SECRET": SECRET,
        "LCFILE_CENSORSHIP_ATTEMPTS": "2",
    }).start()
    master = server.api(master=True)
    settings(master, auto=True)
    seen = decided(master, server.api().store(photo("down for good"))["objectId"])
    assert seen["censorResult"] == "review"
    assert seen["reason"]


@pytest.mark.extended
def test_private_address_is_refused_unless_it_is_allowed(new_server, receiver):
    server = new_server(apps=(ALPHA,), **with_webhook(receiver, LCFILE_CENSORSHIP_ATTEMPTS="1")).start()
    master = server.api(master=True)
    settings(master, auto=True)
    id = server.api().store(photo("private"))["objectId"]
    assert decided(master, id)["censorResult"] == "review"
    assert receiver.asked(id) == []


def test_webhook_without_a_secret_is_refused_at_start(new_server, receiver):
    server = new_server(apps=(ALPHA,), **PLAIN, LCFILE_CENSORSHIP_WEBHOOK=f"{receiver.url}/check").launch()
    assert server.wait() == 78
    assert "censorship.webhookSecret" in server.errors


# Purges

def test_block_purges_the_urls(server, master, receiver, upload):
    made = upload({"verdict": "passed"})
    decided(master, made["objectId"])
    block(master, made["objectId"])

    def purges(id):
        # Those of files that earlier tests blocked can come until now.
        return [one for one in list(receiver.requests) if one.path == "/purge" and json.loads(one.body)["file"] == id]

    assert eventually(lambda: purges(made["objectId"]), LONG)
    request, = purges(made["objectId"])
    body = json.loads(request.body)
    assert body["app"] == ALPHA.id
    assert made["url"] in body["urls"]
    assert is_signed(request)
    # A second block changes nothing, and a pass is no reason to purge.
    put(master, made["objectId"], "passed")
    other = upload({"verdict": "passed"})["objectId"]
    decided(master, other)
    assert [len(purges(id)) for id in (made["objectId"], other)] == [1, 0]


@pytest.mark.extended
def test_purge_is_repeated_until_it_succeeds(server, master, receiver, upload):
    made = upload({"verdict": "passed"})
    decided(master, made["objectId"])
    receiver.forget_requests()
    failures = iter([503, 500])
    receiver.says = lambda request: request.reply(next(failures, 200), b"{}")
    block(master, made["objectId"])
    purges = lambda: len([one for one in list(receiver.requests) if one.path == "/purge"])
    assert eventually(lambda: purges() >= 3, LONG)
    assert_refused(call_back(server, made["objectId"], "passed"), 404, 101)
