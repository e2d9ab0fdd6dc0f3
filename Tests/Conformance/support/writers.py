"""Load for a server that dies, and what of its answers another one has."""

import threading
import time

from client import TIMEOUT


class Writers:
    """Clients that upload files and create objects until they are stopped, and note what was answered when."""

    def __init__(self, server):
        self.answers, self.stopped = [], threading.Event()
        work = [self.upload, self.create]
        self.threads = [threading.Thread(target=self.run, args=(server.api(), one), daemon=True) for one in work]
        for thread in self.threads:
            thread.start()

    def run(self, api, work):
        number = 0
        while not self.stopped.is_set():
            try:
                answer = work(api, number)
            except Exception:  # The server was killed.
                return
            self.answers.append((time.time(), *answer))
            number += 1

    def upload(self, api, number):
        content = b"%d " % number * (number % 300 + 1)
        return "file", api.store(content, name=f"{number}.txt")["objectId"], content

    def create(self, api, number):
        return "object", api.post("/1.1/classes/Note", json={"text": f"note {number}"}).json()["objectId"], f"note {number}"

    def end(self):
        self.stopped.set()
        for thread in self.threads:
            thread.join(timeout=TIMEOUT)


def is_present(api, answer):
    _, kind, identity, content = answer
    if kind == "file":
        record = api.get(f"/1.1/files/{identity}")
        return record.status_code == 200 and api.fetch(record.json()["url"]).content == content
    # Of an object that does not exist, LeanCloud answers an empty one.
    return api.get(f"/1.1/classes/Note/{identity}").json().get("text") == content


def assert_present(api, answers):
    assert [answer[2] for answer in answers if not is_present(api, answer)] == []
