"""Clients that send the same cheap request again and again, in a process of their own, and how long each waits."""

import multiprocessing
import threading
import time

from attacking.request import KEYS, Request
from wire import Wire

# The longest that a victim may wait, and the pause between two of its requests; in seconds.
DEADLINE, PACE = 3, 0.1


class Victims:
    """The process; `poll` gives [target, status, seconds] of what was answered since the last call."""

    def __init__(self, port, targets):
        self.reading, writing = multiprocessing.Pipe(duplex=False)
        self.process = multiprocessing.Process(target=run, args=(port, targets, writing), daemon=True)
        self.process.start()
        writing.close()

    def poll(self):
        answers = []
        while self.reading.poll():
            answers.append(self.reading.recv())
        return answers

    def stop(self):
        self.process.terminate()
        self.process.join()


def run(port, targets, pipe):
    lock = threading.Lock()

    def repeat(target):
        wire = Wire(port, patience=DEADLINE)
        request = Request("victim", "GET", target, KEYS if target.startswith("/1.1/") else {})
        while True:
            began = time.monotonic()
            try:
                status, _ = wire.request(request.pieces)
            except ConnectionRefusedError:
                status = "refused"
            with lock:
                pipe.send([target, status, time.monotonic() - began])
            time.sleep(PACE)

    for target in targets:
        threading.Thread(target=repeat, args=(target,), daemon=True).start()
    threading.Event().wait()
