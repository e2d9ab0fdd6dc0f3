import json

import pytest
from censoring import PLAIN, Receiver, settings, with_webhook
from client import ALPHA, Server


def verdict_of_name(request):
    """What a checker thinks of an image is in its name: `review-0.41-photo.jpg`. A hostile name is the reason, too."""
    name = json.loads(request.body)["name"]
    verdict, score, *_ = name.split("-")
    if verdict == "later":
        return request.reply(202, b"")
    reason = name if "<" in name else "The name says so."
    answer = {"verdict": verdict, "scores": {"nsfw": float(score)}, "reason": reason}
    request.reply(200, json.dumps(answer).encode(), Content_Type="application/json")


@pytest.fixture(scope="session")
def censor_server(tmp_path_factory):
    """A server without a model, whose webhook decides about new images."""
    receiver = Receiver()
    receiver.says = verdict_of_name
    server = Server(
        tmp_path_factory.mktemp("censorship"), apps=(ALPHA,), LCFILE_CONSOLE_MAX_FAILURES="0",
        **PLAIN | with_webhook(receiver),
    ).start()
    settings(server.api(master=True), auto=True)
    yield server
    assert server.process.poll() is None, f"the server ended by itself: {server.errors[-2000:]}"
    assert server.stop() == 0
    receiver.close()


@pytest.fixture
def censorship(browser, censor_server):
    """The area Censorship, before the log-in; `browser` is that of all tests of the console."""
    from browser import Console
    from censorship_area import CensorshipArea

    return CensorshipArea(Console(browser, censor_server))
