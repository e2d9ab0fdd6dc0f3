"""The part of Benchmarks/run that measures live queries: what they cost writers, how soon events come, memory, how many."""

import json
import os
import pathlib
import random
import re
import resource
import shutil
import socket
import statistics
import subprocess
import sys
import time
import urllib.parse

from live_clients import EACH, KEYS, API, Client, Crowd, Drain
from measuring import CORES, Process, free_port, report, start_lcfile, turns
from objects import send
from wire import head

SECONDS = float(os.environ.get("BENCH_SECONDS", "0"))
# A result of a second is good enough to see that everything works; so are fewer clients then.
QUICK = 0 < SECONDS <= 1
NAME, CLASS = "Message", "/1.1/classes/Message"
SUBSCRIPTIONS = (0, 1_000, 10_000)
MATCHING = 10
WRITERS = 16
CREATES_GOAL = 0.8
LISTENERS, SAVES, FAN_OUTS = 1_000, 100 if QUICK else 2_000, 5 if QUICK else 50
IDLE, WARM = 200 if QUICK else 2_000, 100
HELD = 10_000
MESSAGE = {
    "room": "WORD", "text": "A message with a text of the usual length", "rank": 7, "done": False, "tags": ["red", "large"],
    "author": {"__type": "Pointer", "className": "Author", "objectId": "64f0c1a2b3d4e5f601234567"},
}
SETTINGS = {
    "LCFILE_LIVE_QUERIES_SUBSCRIBE_RATE": "100000", "LCFILE_LIVE_QUERIES_SUBSCRIPTIONS": "100000",
    "LCFILE_LIVE_QUERIES_CONNECTIONS": "20000", "LCFILE_HTTP_MAX_CONNECTIONS": "12000",
    "LCFILE_HTTP_IDLE_TIMEOUT": "600",
}


def bench(folder):
    folder.mkdir()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    bench_creates(folder)
    bench_latency(folder)
    bench_memory(folder)
    bench_held(folder, most)


def start(folder, name):
    """A server with a storage of its own; its process, its URL and its port."""
    own = folder / name
    own.mkdir()
    server, url = start_lcfile(own, SETTINGS)
    return server, url, urllib.parse.urlsplit(url).port


# What live queries cost writers

class Subscribed:
    """A server with subscriptions, of which ten match every object that is saved."""

    def __init__(self, folder, count, where, name):
        self.server, self.url, port = start(folder, name)
        self.api = API(port)
        others = max(0, count - MATCHING)
        self.silent = [Client(port, f"silent-{number}") for number in range(-(-others // EACH))]
        for number in range(others):
            self.api.subscribe(self.silent[number // EACH].id, NAME, where(number))
        self.drain = Drain(port, MATCHING if count else 0)
        for client in self.drain.clients:
            self.api.subscribe(client.id, NAME, {"room": "hot"})

    def creates(self, rooms):
        """Creates a second; every one of them was told to the ten."""
        before = self.api.count(NAME)
        told = [client.received for client in self.drain.clients]
        body = json.dumps(MESSAGE)
        with self.drain:
            rate = send(self.url, WRITERS, rooms, "POST", CLASS, body)
            # An event has all that the object has.
            least = (self.api.count(NAME) - before) * len(body)
            end = time.monotonic() + 10
            while any(client.received - was < least for client, was in zip(self.drain.clients, told)):
                if time.monotonic() > end:
                    sys.exit("events are missing")
                time.sleep(0.01)
        return rate

    def stop(self):
        for client in self.silent:
            client.socket.close()
        self.drain.close()
        self.server.stop()


def bench_creates(folder):
    rooms = folder / "rooms.txt"
    rooms.write_text("hot\n")
    kinds = {f"{count} subscriptions": (count, lambda number: {"room": f"room-{number}"}) for count in SUBSCRIPTIONS}
    # Conditions without an equality are evaluated for every object of their class.
    kinds["1000 subscriptions to ranges"] = (1_000, lambda number: {"rank": {"$gt": 1_000 + number}})
    sides = {}
    try:
        for number, (name, (count, where)) in enumerate(kinds.items()):
            sides[name] = Subscribed(folder, count, where, f"creates{number}")
            sides[name].api.call("POST", CLASS, MESSAGE)
        rounds = turns([lambda side=side: side.creates(rooms) for side in sides.values()])
    finally:
        for side in sides.values():
            side.stop()
    alone = [first for first, *_ in rounds]
    for name, rates in zip(sides, zip(*rounds)):
        ratio = statistics.median(mine / other for mine, other in zip(rates, alone))
        goal = f"goal {CREATES_GOAL:.2f}" if name == f"{SUBSCRIPTIONS[-1]} subscriptions" else ""
        title = f"creates, {WRITERS} conn., {name}"
        report(title, "req/s", statistics.median(rates), statistics.median(alone), "without", goal, ratio)


# How soon events come

def bench_latency(folder):
    server, _, port = start(folder, "latency")
    api, crowd = API(port), Crowd(port, LISTENERS)
    try:
        for client in crowd.clients:
            api.subscribe(client.id, NAME, {"room": client.id})
            api.subscribe(client.id, "News", {})
        answers, events = [], []
        for _ in range(SAVES):
            client = random.choice(crowd.clients)
            began, answered = saved(crowd, api, CLASS, MESSAGE | {"room": client.id})
            told, = arrivals(crowd, 1, answered)
            answers.append(answered[1] - began)
            events.append(told - began)
        show(f"a save, {LISTENERS} connections", "answered", answers, "told to one of them", events)
        firsts, lasts = [], []
        for _ in range(FAN_OUTS):
            began, answered = saved(crowd, api, "/1.1/classes/News", MESSAGE)
            told = sorted(arrivals(crowd, LISTENERS, answered))
            firsts.append(told[LISTENERS // 2] - began)
            lasts.append(told[-1] - began)
        show(f"a save told to {LISTENERS} connections", "half of them", firsts, "all of them", lasts)
    finally:
        crowd.close()
        server.stop()


def saved(crowd, api, path, fields):
    """Saves an object and looks for events at the same time; when it was sent, and [events so far, when answered]."""
    body = json.dumps(fields).encode()
    link = api.wire.socket
    crowd.poll.register(link, 1)
    began, arrived, answered, answer = time.monotonic(), [], None, b""
    link.sendall(head("POST", path, KEYS, body) + body)
    while answered is None:
        ready = crowd.poll.poll(20)
        now = time.monotonic()
        for number, _ in ready:
            if number == link.fileno():
                answer += link.recv(65536)
                if not answer.startswith(b"HTTP/1.1 201"):
                    sys.exit(f"a save was refused: {answer[:200]}")
                # Head and body can come apart; the body is an object.
                answered = now if answer.endswith(b"}") else None
            else:
                crowd.by_socket[number].discard()
                arrived.append(now)
    crowd.poll.unregister(link)
    return began, (arrived, answered)


def arrivals(crowd, count, answered):
    """When so many clients were told, those told before the answer included."""
    arrived = list(answered[0])
    while len(arrived) < count:
        ready = crowd.ready()
        if not ready:
            sys.exit("events are missing")
        arrived += [time.monotonic()] * len(ready)
    return arrived


def show(what, *sides):
    """Half and 99 per cent of what was measured, in milliseconds."""
    parts = []
    for name, times in zip(sides[::2], sides[1::2]):
        ordered = sorted(times)
        half, most = ordered[len(ordered) // 2], ordered[min(len(ordered) - 1, len(ordered) * 99 // 100)]
        parts.append(f"{name} p50 {half * 1000:.2f} ms, p99 {most * 1000:.2f} ms")
    print(f"{what:<46} {'; '.join(parts)}", flush=True)


# Memory

def resident(*pids):
    """The memory of processes in bytes."""
    def of(pid):
        return int(re.search(r"VmRSS:\s*(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())[1]) << 10
    return sum(of(pid) for pid in pids)


def growth(open_one, *pids):
    """The bytes by which processes grow for each connection; the first ones fill pools and caches."""
    connections = [open_one(number) for number in range(WARM)]
    before = resident(*pids)
    connections += [open_one(WARM + number) for number in range(IDLE)]
    return (resident(*pids) - before) / IDLE, connections


def idle_request(port):
    """A connection that was answered one request and stays open."""
    link = socket.create_connection(("127.0.0.1", port), 20)
    link.sendall(head("GET", "/health", {}))
    if not link.recv(4096).startswith(b"HTTP/1.1 200"):
        sys.exit(f"no answer at port {port}")
    return link


def bench_memory(folder):
    measured = {}
    for name in ("requests", "live queries", "live queries with a subscription", "through nginx"):
        server, _, port = start(folder, name.replace(" ", "-"))
        pid, api = server.process.pid, API(port)
        connections, nginx = [], None

        def subscribed(number, port=port, api=api):
            client = Client(port, f"idle-{number}")
            api.subscribe(client.id, NAME, {"room": client.id})
            return client.socket

        try:
            if name == "requests":
                measured[name], connections = growth(lambda number: idle_request(port), pid)
            elif name == "live queries":
                measured[name], connections = growth(lambda number: Client(port, f"idle-{number}").socket, pid)
            elif name == "live queries with a subscription":
                measured[name], connections = growth(subscribed, pid)
            else:
                nginx, public, workers = start_nginx(folder, port)
                measured["nginx, proxied"], connections = growth(
                    lambda number: Client(public, f"idle-{number}").socket, *workers
                )
                measured["nginx, requests"], more = growth(lambda number: idle_request(public), *workers)
                connections += more
        finally:
            for connection in connections:
                connection.close()
            if nginx:
                nginx.stop()
            server.stop()
    for mine, other in (
        ("requests", "nginx, requests"), ("live queries", "nginx, proxied"),
        ("live queries with a subscription", "nginx, proxied"),
    ):
        report(f"memory of an idle connection, {mine}", "bytes", measured[mine], measured[other], other)


def start_nginx(folder, upstream):
    """nginx before the server, as docs/configuration.md has it for live queries; the process, its port and its workers."""
    port, own = free_port(), folder / "nginx"
    own.mkdir()
    (own / "nginx.conf").write_text(f"""
        daemon off; master_process on; worker_processes {CORES}; worker_rlimit_nofile 20000; error_log stderr warn;
        user root; pid {own}/nginx.pid;
        events {{ worker_connections 10000; }}
        http {{
            access_log off; keepalive_timeout 600s;
            client_body_temp_path {own}/body; proxy_temp_path {own}/proxy; fastcgi_temp_path {own}/fastcgi;
            uwsgi_temp_path {own}/uwsgi; scgi_temp_path {own}/scgi;
            server {{
                listen 127.0.0.1:{port};
                location = /health {{ return 200 "ok"; }}
                location = /v1/ws {{
                    proxy_pass http://127.0.0.1:{upstream}; proxy_http_version 1.1; proxy_set_header Upgrade $http_upgrade;
                    proxy_set_header Connection upgrade; proxy_read_timeout 600s;
                }}
            }}
        }}
    """)
    words = [shutil.which("nginx"), "-c", own / "nginx.conf", "-p", own]
    nginx = Process(words, {}, f"http://127.0.0.1:{port}/health")
    workers = subprocess.run(["pgrep", "-P", str(nginx.process.pid)], capture_output=True, text=True, check=True).stdout.split()
    return nginx, port, workers


# How many

def bench_held(folder, most):
    """10 000, or as many as the server accepts: it counts two open files for each, and leaves an eighth to requests."""
    server, _, port = start(folder, "held")
    wanted = 500 if QUICK else HELD
    api, crowd = API(port), Crowd(port, 0)
    try:
        before, began = resident(server.process.pid), time.monotonic()
        while len(crowd.clients) < wanted and crowd.add(f"device-{len(crowd.clients)}"):
            pass
        connected, count = time.monotonic() - began, len(crowd.clients)
        for client in crowd.clients:
            api.subscribe(client.id, "News", {})
        memory = (resident(server.process.pid) - before) / (1 << 20)
        began, answered = saved(crowd, api, "/1.1/classes/News", MESSAGE)
        told = max(arrivals(crowd, count, answered)) - began
        alive = sum(client.echo() for client in crowd.clients)
        why = "" if count == wanted else f"; {most} open files allow no more of {wanted}"
        print(f"{f'{count} connections held':<46} {alive} answer, connected in {connected:.1f} s, {memory:.0f} MB; "
              f"one event for all of them in {told * 1000:.0f} ms{why}", flush=True)
    finally:
        crowd.close()
        server.stop()
