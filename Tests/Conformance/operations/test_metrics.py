"""Each event moves its series and no other; the text is what Prometheus' tools expect, and what the documentation says."""

import json
import re
import time

import pytest
import requests
from client import ALPHA, ROCKET, TIMEOUT, credentials, eventually, head
from commands import lcfile
from hot import make_hot, store_at
from live_client import address
from live_wire import opened
from metrics import Watch, documented, families, page, promtool
from uploading import ask, limits

REQUESTS = ("lcfile_http_requests_total", "lcfile_errors_total", "lcfile_limits_hit_total", "lcfile_logins_total")


# The text

def test_page_has_the_media_type_of_the_format(server):
    assert page(server).headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"


def test_every_metric_has_a_type_and_a_description(server):
    for name, family in families(server).items():
        assert family.type in ("counter", "gauge", "histogram"), name
        assert re.fullmatch(r"[A-Z].+\.", family.documentation), name


def test_promtool_has_no_complaint_about_the_metrics(server):
    assert promtool("check", "metrics", text=page(server).text) == (0, "")


def test_documentation_has_exactly_the_metrics_that_exist(server):
    # Those of a bucket exist on servers that have one (storage/test_blobs_in_s3.py).
    of_bucket = {name for name in documented() if name.startswith("lcfile_blob_")}
    assert documented().keys() - of_bucket == families(server).keys()


def test_documentation_has_types_and_labels_of_the_metrics(server):
    known = documented()
    for name, family in families(server).items():
        type, labels = known[name]
        assert family.type == type, name
        for sample in family.samples:
            assert sample.labels.keys() - {"le"} == labels, sample


# Requests

def no_key(api, server):
    api.fetch(f"{server.url}/{'x' * 20}")


def wrong_credentials(api, server):
    api.fetch(f"{server.url}/1.1/classes/Metrics", X_LC_Id=ALPHA.id, X_LC_Key="wrong")


def malformed_json(api, server):
    api.post("/1.1/classes/Metrics", data=b"{", headers={"Content-Type": "application/json"})


def batch_with_a_failed_item(api, server):
    requests = [{"method": "GET", "path": f"/1.1/classes/Metrics/{'0' * 24}"}]
    assert api.post("/1.1/batch", json={"requests": requests}).status_code == 200


def unknown_tunnel_method(api, server):
    api.post("/1.1/classes/Metrics", data=b'{"_method":"TRACE"}', headers={"Content-Type": "text/plain"})


def unknown_user(api, server):
    api.post("/1.1/login", json={"username": "unknown", "password": "x"})


def log_in_without_password(api, server):
    api.post("/1.1/login", json={"username": "unknown"})


def request_without_host(api, server):
    raw(server, b"GET /a HTTP/1.1\r\n\r\n")


def no_http(api, server):
    raw(server, b"\x16\x03\x01\x00\x00\r\n\r\n")


def large_head(api, server):
    raw(server, head("GET", "/a", {"X": "x" * 100_000}))


def unknown_method(api, server):
    raw(server, head("PROPFIND", "/a", {"Connection": "close"}))


def no_handshake(api, server):
    api.fetch(f"{server.url}/v1/ws")


def raw(server, bytes):
    with server.raw() as connection:
        connection.send(bytes)
        connection.answer()


ERRORS = {
    no_key: {"http_requests files GET 404": 1, "errors fileNotFound": 1},
    wrong_credentials: {"http_requests objects GET 401": 1, "errors unauthorized": 1},
    malformed_json: {"http_requests objects POST 400": 1, "errors malformedJSON": 1},
    batch_with_a_failed_item: {"http_requests objects POST 200": 1, "errors objectNotFound": 1},
    unknown_tunnel_method: {"http_requests objects POST 400": 1, "errors badRequest": 1},
    unknown_user: {"http_requests users POST 400": 1, "errors userNotFound": 1, "logins unknown_user": 1},
    log_in_without_password: {"http_requests users POST 400": 1, "errors missingPassword": 1, "logins malformed": 1},
    request_without_host: {"http_requests files GET 400": 1},
    no_http: {"http_requests malformed other 400": 1},
    large_head: {"http_requests malformed other 431": 1},
    unknown_method: {"http_requests files other 404": 1, "errors routeNotFound": 1},
    no_handshake: {"http_requests live GET 426": 1, "errors badRequest": 1},
}


@pytest.mark.few(2)
@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.__name__)
def test_error_moves_its_series_and_no_other(server, api, error):
    watch = Watch(server, *REQUESTS)
    error(api, server)
    watch.assert_changes(ERRORS[error])


@pytest.mark.extended
def test_refusal_because_of_a_limit_counts_by_its_setting(new_server):
    server = new_server(**limits(max_open_guests=1)).start()
    api = server.api()
    ask(api, name="x.bin")
    watch = Watch(server, *REQUESTS)
    assert api.post("/1.1/fileTokens", json={"name": "x.bin"}).status_code == 429
    watch.assert_changes({
        "http_requests uploads POST 429": 1, "errors tooManyUploads": 1, "limits_hit uploads.maxOpenGuests": 1,
    })


def test_handshake_of_a_websocket_counts(server):
    url = address(server.url)
    watch = Watch(server, "lcfile_http_requests_total", "lcfile_websockets")
    with opened(url):
        watch.assert_changes({"http_requests live GET 101": 1, "websockets": 1})
    assert eventually(lambda: "websockets" not in watch.changes)


def test_client_that_leaves_within_its_request_counts_once(server):
    watch = Watch(server, "lcfile_http_requests_total", "lcfile_http_requests_in_progress")
    with server.raw() as connection:
        connection.send(head("POST", "/1.1/classes/Metrics", credentials() | {"Content-Length": "100"}) + b"{")
        assert eventually(lambda: watch.changes == {"http_requests_in_progress": 1})
        connection.reset()
    # The server notices either the reset, or first the end of the body, which it answers.
    ways = [{f"http_requests objects POST {status}": 1} for status in (499, 400)]
    assert eventually(lambda: watch.changes in ways), watch.changes


def test_download_that_is_cut_off_counts_as_such(server, api):
    url = api.store_raw(bytes(20 << 20), "large.bin").json()["url"]
    watch = Watch(server, "lcfile_http_requests_total", "lcfile_http_responses_cut_off_total")
    with server.raw() as connection:
        connection.send(head("GET", url.removeprefix(server.url), {}))
        assert connection.socket.recv(1)
        connection.reset()
    watch.assert_changes({"http_requests files GET 200": 1, "http_responses_cut_off files": 1})


def test_bytes_of_bodies_count_and_those_of_heads_do_not(server, api):
    watch = Watch(server, "lcfile_http_request_bytes_total", "lcfile_http_response_bytes_total")
    url = api.store_raw(b"x" * 5000, "x.bin").json()["url"]
    api.fetch(url)
    api.fetch(url, "HEAD")
    assert eventually(lambda: watch.changes.get("http_response_bytes files") == 5000)
    assert watch.changes["http_request_bytes uploads"] == 5000


@pytest.mark.parametrize("suffix, group", [("", "files"), ("?imageView2/1/w/8/h/8", "images")])
def test_hot_download_counts_in_the_series_of_others(server, master, suffix, group):
    target = f"/counted-{group}.jpg"
    store_at(master, target[1:], ROCKET.read_bytes(), name="x.jpg")
    make_hot(server, target + suffix)
    watch = Watch(server, "lcfile_http_requests_total", "lcfile_hot_downloads_total", "lcfile_http_response_bytes_total")
    size = len(server.api().fetch(server.url + target + suffix).content)
    watch.assert_changes({
        f"http_requests {group} GET 200": 1, "hot_downloads": 1, f"http_response_bytes {group}": size,
    })


# Work

def test_uploads_count_by_dialect_and_result(server, api):
    watch = Watch(server, "lcfile_upload_requests_total", "lcfile_upload_bytes_total")
    api.store_raw(b"12345", "x.bin")
    assert ask(api, name="x.bin").put(b"1234567").status_code == 200
    api.post("/1.1/files", data=b"{", headers={"Content-Type": "application/json"})
    watch.assert_changes({
        "upload_requests raw accepted": 1, "upload_bytes raw": 5,
        "upload_requests s3 accepted": 1, "upload_bytes s3": 7,
        "upload_requests json refused": 1, "upload_bytes json": 1,
    })


def test_rendering_moves_the_stages_and_the_cache(server, api):
    url = api.store(ROCKET.read_bytes())["url"] + "?imageView2/1/w/33/h/33"
    watch = Watch(server, "lcfile_cache_misses_total", "lcfile_cache_hits_total")
    stages = Watch(server, "lcfile_image_stage_duration_seconds")
    assert api.fetch(url).status_code == 200
    assert eventually(lambda: watch.changes.get("cache_misses derivatives") == 1)
    # Of each stage, the last bucket has all durations.
    for stage in ("wait", "header", "render"):
        assert eventually(lambda: stages.changes.get(f"image_stage_duration_seconds {stage} +Inf") == 1)


@pytest.mark.sqlite
def test_reads_by_id_move_the_cache_of_rows(server, api):
    item = f"/1.1/classes/Metrics/{api.post('/1.1/classes/Metrics', json={'n': 1}).json()['objectId']}"
    watch = Watch(server, "lcfile_cache_misses_total", "lcfile_cache_hits_total")
    for _ in range(3):
        assert api.get(item).json()["n"] == 1
    assert (watch.changes["cache_misses rows"], watch.changes["cache_hits rows"]) == (1, 2)
    assert api.call("PUT", item, json={"n": 2}).status_code == 200
    assert api.get(item).json()["n"] == 2


@pytest.mark.extended
def test_worker_process_counts(server, api):
    svg = b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>'
    url = api.store(svg, name="x.svg", type="image/svg+xml")["url"]
    watch = Watch(server, "lcfile_worker_starts_total", "lcfile_worker_failures_total", "lcfile_worker_processes")
    assert api.fetch(f"{url}?imageView2/1/w/8/format/png").status_code == 200
    # One reads the header, one decodes.
    watch.assert_changes({"worker_starts image": 2})
    broken = api.store(b'<svg xmlns="http://www.w3.org/2000/svg"><', name="x.svg", type="image/svg+xml")["url"]
    assert api.fetch(f"{broken}?imageView2/1/w/8/format/png").status_code == 400
    watch.assert_changes({"worker_starts image": 3, "worker_failures image refused": 1})


def test_syncs_and_commits_are_measured(server, api):
    watch = Watch(server, "lcfile_fsync_duration_seconds", "lcfile_database_commit_duration_seconds")
    api.store_raw(b"synced", "x.bin")
    assert watch.changes["fsync_duration_seconds +Inf"] >= 1
    assert watch.changes["database_commit_duration_seconds +Inf"] >= 1


def one(server, name):
    sample, = families(server)[name].samples
    return sample.value


def test_figures_of_process_and_disk_are_plausible(server):
    assert 0 < time.time() - one(server, "process_start_time_seconds") < 24 * 3600
    assert one(server, "process_cpu_seconds_total") > 0
    assert 1 << 20 < one(server, "process_resident_memory_bytes") < one(server, "process_virtual_memory_bytes")
    assert 0 < one(server, "process_open_fds") < one(server, "process_max_fds")
    assert 0 < one(server, "lcfile_storage_free_bytes") <= one(server, "lcfile_storage_size_bytes")


def test_build_info_is_one(server):
    sample, = families(server)["lcfile_build_info"].samples
    assert sample.value == 1 and sample.labels["version"]
    named = lcfile("version", "--json").stdout
    assert sample.labels["commit"] == (json.loads(named).get("commit") or "unknown")


@pytest.mark.extended
def test_server_info_has_the_id_that_ready_sends(server, new_server):
    ids = []
    for each in (server, new_server().start()):
        response = requests.get(f"{each.url}/ready", timeout=TIMEOUT)
        sample, = families(each)["lcfile_server_info"].samples
        assert sample.value == 1 and sample.labels == {"id": response.headers["X-Server-Id"]}
        ids.append(sample.labels["id"])
    assert ids[0] != ids[1] and all(re.fullmatch("[0-9a-f]{16}", id) for id in ids)


def test_ready_server_has_no_reason(server):
    assert one(server, "lcfile_ready") == 1
    reasons = {sample.labels["reason"]: sample.value for sample in families(server)["lcfile_not_ready"].samples}
    assert {"starting", "stopping", "storage-full", "database-unavailable", "image-queue-full"} <= reasons.keys()
    assert set(reasons.values()) == {0}


def test_idle_queues_and_budgets_are_below_their_limits(server):
    known = families(server)
    for used, limit, label in (
        ("lcfile_queue_jobs", "lcfile_queue_limit_jobs", "queue"),
        ("lcfile_memory_used_bytes", "lcfile_memory_limit_bytes", "budget"),
    ):
        limits = {sample.labels[label]: sample.value for sample in known[limit].samples}
        uses = {sample.labels[label]: sample.value for sample in known[used].samples}
        assert limits.keys() <= uses.keys()
        assert all(0 <= uses[name] < limits[name] for name in limits)


def test_threads_are_probed(server):
    def waits():
        samples = families(server)["lcfile_thread_pool_wait_seconds"].samples
        return {sample.labels["pool"]: sample.value for sample in samples}

    assert {"disk", "images", "lookups", "passwords"} <= waits().keys()
    assert eventually(lambda: any(waits().values()))
