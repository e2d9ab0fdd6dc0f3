"""The official Python SDK, unmodified, in processes of its own, as apps use it."""

import json
import select
import subprocess
import sys
import textwrap

from client import ALPHA, TIMEOUT, clean_environment

# What such a process does: it runs the lines that it is sent, one request after the other.
LOOP = """
import json, sys, traceback
import leancloud

id, key, master = json.loads(sys.argv[1])
leancloud.init(id, app_key=key, master_key=master)
for request in sys.stdin:
    lines, arguments = json.loads(request)
    answer = {}
    names = {
        "leancloud": leancloud, "json": json, "arguments": arguments, "say": lambda **facts: answer.update(said=facts),
        "file": lambda: leancloud.File.create_without_data(arguments["file"]),
    }
    try:
        exec(lines, names)
    except Exception:
        answer = {"failed": traceback.format_exc()}
    print(json.dumps(answer), flush=True)
"""

RAISES = """
try:
    {call}
    say(raised=None)
except leancloud.LeanCloudError as error:
    say(raised=error.code, text=error.error)
"""


class SDK:
    """Runs lines with the SDK, in one process for each pair of keys."""

    def __init__(self, url, app=ALPHA):
        self.url = url
        self.app = app
        self.processes = {}

    def run(self, lines, key=None, master=None, **arguments):
        """What the lines say; they know the arguments."""
        key = key or self.app.key
        process = self.processes.get((key, master)) or self.start(key, master)
        process.stdin.write(json.dumps([textwrap.dedent(lines), arguments]) + "\n")
        process.stdin.flush()
        if not select.select([process.stdout], [], [], TIMEOUT)[0]:
            self.processes.pop((key, master)).kill()
            raise TimeoutError("the SDK gave no answer")
        answer = json.loads(process.stdout.readline())
        assert "failed" not in answer, answer["failed"]
        return answer["said"]

    def start(self, key, master):
        command = [sys.executable, "-W", "ignore", "-c", LOOP, json.dumps([self.app.id, key, master])]
        self.processes[key, master] = subprocess.Popen(
            command, env=clean_environment(LEANCLOUD_API_SERVER=self.url),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        return self.processes[key, master]

    def close(self):
        for process in self.processes.values():
            process.stdin.close()
            process.wait(timeout=TIMEOUT)
            process.stdout.close()
