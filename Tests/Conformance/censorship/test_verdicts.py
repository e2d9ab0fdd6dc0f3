"""Verdicts of people and of checks: who decides, what is stored, what is refused."""

import pytest
from censoring import block, bytes_of, censoring, decided, image, photo, put, settings, state, verdict, waiting
from client import ALPHA, ROCKET, assert_refused, eventually
from data import ID, MISSING, TIME
from people import unique


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """Neither a model nor a webhook: only the list of known images."""
    server = censoring(tmp_path_factory.mktemp("verdicts"))
    yield server
    assert server.process.poll() is None, f"the server ended by itself: {server.errors[-2000:]}"
    assert server.stop() == 0


@pytest.fixture(scope="module")
def master(server):
    return server.api(master=True)


@pytest.fixture(scope="module")
def api(server):
    return server.api()


@pytest.fixture
def file(api):
    return api.store(photo(unique("file")))


def check(master, id, **options):
    return master.post(f"/1.1/files/{id}/censor", **options)


# People

@pytest.mark.smoke
@pytest.mark.parametrize("given", ["passed", "rejected"])
def test_verdict_of_a_person_is_stored_with_name_note_and_time(master, file, given):
    id = file["objectId"]
    answer = put(master, id, given, note="a note 照片", by="alice")
    assert TIME.fullmatch(answer["decidedAt"])
    expected = {"objectId": id, "censorResult": given, "decidedBy": "person", "by": "alice", "note": "a note 照片"}
    assert expected.items() <= answer.items()
    assert "history" not in answer
    seen = state(master, id)
    assert expected.items() <= seen.items()
    entry = seen["history"][0]
    assert {"verdict": given, "kind": "person", "by": "alice", "note": "a note 照片"}.items() <= entry.items()


def test_history_has_every_decision_the_newest_first(master, file):
    for number in range(4):
        put(master, file["objectId"], ["passed", "rejected"][number % 2], note=f"{number}")
    history = state(master, file["objectId"])["history"]
    assert [entry["note"] for entry in history] == ["3", "2", "1", "0"]
    assert [entry["verdict"] for entry in history] == ["rejected", "passed"] * 2


def test_name_and_note_are_optional(master, file):
    answer = put(master, file["objectId"], "passed")
    assert not {"by", "note"} & set(name for name, value in answer.items() if value is not None)


def test_file_that_was_never_checked_has_no_verdict(master, file):
    seen = state(master, file["objectId"])
    assert seen["objectId"] == file["objectId"] and seen.get("censorResult") is None
    assert seen["history"] == []


@pytest.mark.few(2)
@pytest.mark.parametrize("body, words", [
    ({"verdict": "bad"}, "verdict"), ({"verdict": "review"}, "verdict"), ({"verdict": "pending"}, "verdict"),
    ({"verdict": None}, "verdict"), ({"verdict": 1}, "verdict"), ({}, "verdict"),
    ({"verdict": "passed", "note": "n" * 1001}, "note"), ({"verdict": "passed", "note": "注" * 334}, "note"),
    ({"verdict": "passed", "note": 5}, "note"), ({"verdict": "passed", "by": "b" * 129}, "by"),
    ({"verdict": "passed", "by": []}, "by"),
], ids=str)
def test_bad_verdict_is_refused_and_changes_nothing(master, file, body, words):
    response = master.call("PUT", f"/1.1/files/{file['objectId']}/censor", json=body)
    assert_refused(response, 400, 1, words)
    assert verdict(master, file["objectId"]) is None


def test_longest_note_and_name_are_taken(master, file):
    answer = put(master, file["objectId"], "passed", note="n" * 1000, by="b" * 128)
    assert (len(answer["note"]), len(answer["by"])) == (1000, 128)


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"null", b"\xff"], ids=ascii)
def test_body_that_is_no_object_is_refused(master, file, data):
    response = master.call(
        "PUT", f"/1.1/files/{file['objectId']}/censor", data=data, headers={"Content-Type": "application/json"}
    )
    assert response.status_code == 400, response.text


@pytest.mark.parametrize("id", [MISSING, "nonsense", "a" * 65])
@pytest.mark.parametrize("method", ["GET", "PUT", "POST"])
def test_unknown_file_is_404(master, method, id):
    body = {"json": {"verdict": "passed"}} if method == "PUT" else {}
    response = master.call(method, f"/1.1/files/{id}/censor", **body)
    assert response.status_code == 404, response.text
    assert response.json()["code"] == 101


def test_verdict_for_a_deleted_file_is_404(master, file):
    id = file["objectId"]
    block(master, id)
    assert master.delete(id).status_code == 200
    assert_refused(master.call("PUT", f"/1.1/files/{id}/censor", json={"verdict": "passed"}), 404, 101)
    assert_refused(check(master, id), 404, 101)


# Checks that a caller waits for

@pytest.mark.smoke
def test_check_answers_with_the_verdict(master, file):
    response = check(master, file["objectId"])
    assert (response.status_code, response.json()) == (200, {"censorResult": "review"})
    seen = state(master, file["objectId"])
    assert (seen["censorResult"], seen["decidedBy"]) == ("review", "machine")
    assert seen["reason"]


@pytest.mark.parametrize("key", [f"{ALPHA.master},master"])
def test_javascript_posts_an_empty_object(server, file, key):
    caller = server.api()
    caller.headers = {"X-LC-Id": ALPHA.id, "X-LC-Key": key, "Content-Type": "application/json;charset=UTF-8"}
    response = check(caller, file["objectId"], data=b"{}")
    assert (response.status_code, response.json()) == (200, {"censorResult": "review"})


def test_check_does_not_change_a_persons_verdict(master, file):
    block(master, file["objectId"], by="alice")
    check(master, file["objectId"])
    seen = state(master, file["objectId"])
    assert (seen["censorResult"], seen["decidedBy"], seen["by"]) == ("rejected", "person", "alice")


@pytest.mark.parametrize("name, type, data", [
    ("a.txt", "text/plain", b"hello"), ("a.mp4", "video/mp4", b"\0" * 64), ("a.pdf", "application/json", b"{}"),
], ids=lambda value: value if isinstance(value, str) else "")
def test_file_that_is_no_image_is_refused(master, api, name, type, data):
    id = api.store(data, name=name, type=type)["objectId"]
    assert_refused(check(master, id), 400, 1)


@pytest.mark.parametrize("data", [
    b"no image at all", ROCKET.read_bytes()[:2000], bytes_of(image(1), "PNG")[:60], b"",
], ids=["nonsense", "cut jpeg", "cut png", "empty"])
def test_damaged_image_goes_to_review_with_the_reason(master, api, data):
    id = api.store(data, name="photo.jpg", type="image/jpeg")["objectId"]
    response = check(master, id)
    assert (response.status_code, response.json()) == (200, {"censorResult": "review"})
    assert state(master, id)["reason"]


def test_image_over_the_limits_goes_to_review_with_the_reason(master, api):
    header = bytearray(bytes_of(image(2), "PNG"))
    header[16:24] = (60_000).to_bytes(4, "big") * 2
    id = api.store(bytes(header), name="bomb.png", type="image/png")["objectId"]
    assert check(master, id).json() == {"censorResult": "review"}
    assert state(master, id)["reason"]


# Automatic checks

@pytest.fixture
def automatic(master):
    settings(master, auto=True)
    yield
    settings(master, auto=False)


@pytest.mark.smoke
def test_new_image_goes_to_review_without_any_opinion(master, api, automatic):
    seen = decided(master, api.store(photo("automatic"))["objectId"])
    assert (seen["censorResult"], seen["decidedBy"]) == ("review", "machine")
    assert seen["reason"]


def test_new_file_of_another_type_is_not_checked(master, api, automatic):
    id = api.store(b"hello", name="a.txt")["objectId"]
    decided(master, api.store(photo("after the text"))["objectId"])
    assert "censorResult" not in master.get(f"/1.1/files/{id}").json()


@pytest.mark.extended
def test_person_is_faster_than_the_check(master, api, automatic):
    ids = [api.store(photo(f"race {number}"))["objectId"] for number in range(20)]
    for id in ids:
        put(master, id, "passed", by="alice")
    assert eventually(lambda: waiting(master) == 0, 60)
    states = [state(master, id) for id in ids]
    assert [(seen["censorResult"], seen["by"]) for seen in states] == [("passed", "alice")] * 20


def test_auto_off_leaves_new_images_alone(master, api):
    assert ID.fullmatch(id := api.store(photo("off"))["objectId"])
    assert state(master, id).get("censorResult") is None
