"""The classifier that is built in: its model, its process, and its thresholds."""

import os
import shutil
import signal
from pathlib import Path

import pytest
from censoring import LONG, MODEL, PLAIN, block, bytes_of, censoring, decided, image, photo, put, settings, verdict
from client import ALPHA, BINARY, ROCKET, eventually
from people import unique

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = censoring(tmp_path_factory.mktemp("classifier"), LCFILE_CENSORSHIP_MODEL=str(MODEL))
    settings(server.api(master=True), auto=True)
    yield server
    assert server.process.poll() is None, f"the server ended by itself: {server.errors[-2000:]}"
    assert server.stop() == 0


@pytest.fixture(scope="module")
def master(server):
    return server.api(master=True)


@pytest.fixture
def thresholds(master):
    """Sets thresholds, which end with the test."""
    yield lambda low, high: settings(master, passBelow=low, rejectAbove=high)
    settings(master, passBelow=0.2, rejectAbove=0.8)


def classifiers(server):
    """The ids of the classifier's processes of this server."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            status = (folder / "stat").read_text()
            if folder.name.isdigit() and int(status.rsplit(")", 1)[1].split()[1]) == server.process.pid:
                if "classifier" in (folder / "cmdline").read_text():
                    found.append(int(folder.name))
        except (OSError, IndexError):
            pass
    return found


def test_server_says_at_start_that_it_is_on(server, master):
    assert master.get("/1.1/censorship/status").json()["classifier"] == {"available": True}
    # Lines of the log are written within a second.
    assert eventually(lambda: "classifier" in server.errors)


@pytest.mark.extended
def test_photograph_passes(server, master):
    seen = decided(master, server.api().store(ROCKET.read_bytes())["objectId"])
    assert (seen["censorResult"], seen["checker"]) == ("passed", "classifier")
    assert 0 <= seen["scores"]["nsfw"] < 0.1


@pytest.mark.extended
@pytest.mark.parametrize("format", ["JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF"])
def test_every_format_is_scored_alike(server, master, format):
    made = image("formats", 300, 300)
    seen = decided(master, server.api().store(bytes_of(made, format), name=f"a.{format.lower()}")["objectId"])
    reference = decided(master, server.api().store(bytes_of(made, "PNG"), name="b.png")["objectId"])
    assert abs(seen["scores"]["nsfw"] - reference["scores"]["nsfw"]) < 0.1


@pytest.mark.few(2)
@pytest.mark.parametrize("low, high, expected", [(0.9, 1, "passed"), (0, 1, "review"), (0, 0, "rejected")])
def test_thresholds_decide(server, master, thresholds, low, high, expected):
    thresholds(low, high)
    seen = decided(master, server.api().store(photo(unique("thresholds"), 300, 300))["objectId"])
    assert (seen["censorResult"], seen["checker"]) == (expected, "classifier")
    assert "nsfw" in seen["scores"]


@pytest.mark.extended
def test_rejected_by_the_classifier_is_blocked_and_passed_by_a_person(server, master, thresholds):
    thresholds(0, 0)
    made = server.api().store(photo(unique("rejected"), 300, 300))
    decided(master, made["objectId"])
    url = f"{server.url}/{made['url'].split('/', 3)[3]}"
    assert server.api().fetch(url).status_code == 403
    put(master, made["objectId"], "passed")
    assert server.api().fetch(url).status_code == 200
    assert master.post(f"/1.1/files/{made['objectId']}/censor").status_code == 200
    assert verdict(master, made["objectId"]) == "passed"


def test_check_of_a_caller_gives_the_verdict(server, master):
    id = server.api().store(photo(unique("asked"), 300, 300))["objectId"]
    block(master, id)
    put(master, id, "passed")
    assert master.post(f"/1.1/files/{id}/censor").json() == {"censorResult": "passed"}


@pytest.mark.extended
def test_killed_classifier_is_started_again(server, master):
    decided(master, server.api().store(photo(unique("before"), 200, 200))["objectId"])
    for process in classifiers(server):
        os.kill(process, signal.SIGKILL)
    seen = decided(master, server.api().store(photo(unique("after"), 200, 200))["objectId"])
    assert seen["censorResult"] in ("passed", "review") and "nsfw" in seen["scores"]
    assert server.process.poll() is None


@pytest.mark.extended
def test_stopped_server_leaves_no_classifier(new_server):
    server = new_server(apps=(ALPHA,), **PLAIN, LCFILE_CENSORSHIP_MODEL=str(MODEL)).start()
    master = server.api(master=True)
    settings(master, auto=True)
    decided(master, server.api().store(photo("processes"))["objectId"])
    left = classifiers(server)
    assert left
    server.kill()
    assert eventually(lambda: not any(Path(f"/proc/{process}").exists() for process in left), LONG)


# Models that cannot be used

DAMAGE = {
    "missing": lambda path: None,
    "empty": lambda path: path.write_bytes(b""),
    "nonsense": lambda path: path.write_bytes(b"no model at all" * 1000),
    "cut off": lambda path: path.write_bytes(MODEL.read_bytes()[:100_000]),
    "changed": lambda path: path.write_bytes(MODEL.read_bytes()[:-1000] + bytes(1000)),
    "a folder": lambda path: path.mkdir(),
}


@pytest.mark.extended
@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_server_without_a_usable_model_starts_and_says_so(new_server, tmp_path, damage):
    path = tmp_path / "model.onnx"
    damage(path)
    server = new_server(apps=(ALPHA,), **PLAIN, LCFILE_CENSORSHIP_MODEL=str(path)).start()
    master = server.api(master=True)
    status = lambda: master.get("/1.1/censorship/status").json()["classifier"]
    settings(master, auto=True)
    seen = decided(master, server.api().store(photo("damaged"))["objectId"])
    assert seen["censorResult"] == "review" and seen["reason"]
    assert eventually(lambda: status()["available"] is False, LONG)
    assert status()["reason"]
    # Lines of the log are written within a second.
    assert eventually(lambda: "classifier" in server.errors)


@pytest.mark.extended
def test_program_that_is_no_classifier_ends_in_review(new_server, tmp_path):
    program = tmp_path / "classifier"
    shutil.copy("/bin/true", program)
    server = new_server(
        apps=(ALPHA,), **PLAIN, LCFILE_CENSORSHIP_MODEL=str(MODEL), LCFILE_CENSORSHIP_CLASSIFIER=str(program),
        LCFILE_CENSORSHIP_ATTEMPTS="1",
    ).start()
    master = server.api(master=True)
    settings(master, auto=True)
    seen = decided(master, server.api().store(photo("no classifier"))["objectId"])
    assert seen["censorResult"] == "review" and seen["reason"]


def test_classifier_is_beside_the_server():
    assert (Path(BINARY).parent / "lcfile-classifier").exists()
