"""What an operator sees and keeps: the first start, the printed line, later starts."""

import os
import stat
import subprocess

import pytest
from client import ALPHA, BETA, ROCKET, TIMEOUT, clean_environment, yaml_of
from PIL import Image
from request_log import log_so_far


@pytest.fixture
def first(new_server):
    return new_server(apps=(), arguments=["--sample", str(ROCKET)]).start()


def curl_line(server):
    lines = [line for line in server.output.splitlines() if line.strip().startswith("curl ")]
    assert len(lines) == 1
    return lines[0]


def run_pasted(line, folder):
    return subprocess.run(
        ["bash", "-c", line], cwd=folder, env=clean_environment(), capture_output=True, timeout=TIMEOUT, text=True
    )


def test_first_start_keeps_its_app_readable_by_the_owner_only(first):
    mode = os.stat(first.storage / "apps.yaml").st_mode
    assert stat.S_IMODE(mode) == 0o600


@pytest.mark.smoke
def test_first_start_prints_address_id_and_both_keys(first):
    app = first.generated
    for word in (first.url, app.id, app.key, app.master):
        assert word in first.output


@pytest.mark.extended
def test_generated_words_are_random(new_server, first):
    other = new_server(apps=()).start().generated
    mine = first.generated
    assert {mine.id, mine.key, mine.master}.isdisjoint({other.id, other.key, other.master})


def test_logs_never_hold_a_key(first):
    first.api(first.generated, master=True).store(b"some bytes", name="a.bin")
    first.stop()
    assert first.generated.key not in first.errors
    assert first.generated.master not in first.errors


def test_pasted_curl_line_stores_the_photo_and_fetches_its_thumbnail(first, tmp_path):
    result = run_pasted(curl_line(first), tmp_path)
    assert result.returncode == 0, result.stderr
    with Image.open(tmp_path / "thumbnail.jpg") as thumbnail:
        assert (thumbnail.format, thumbnail.size) == ("JPEG", (200, 133))


def test_pasted_curl_line_shows_the_record(first, tmp_path):
    shown = run_pasted(curl_line(first), tmp_path).stderr
    assert first.api(first.generated).get("/1.1/files").json()["results"][0]["objectId"] in shown


@pytest.mark.extended
def test_curl_line_works_again_after_a_restart(first, tmp_path):
    first.stop()
    first.start()
    assert run_pasted(curl_line(first), tmp_path).returncode == 0
    assert (tmp_path / "thumbnail.jpg").exists()


def test_second_start_prints_no_master_key(first):
    first.stop()
    first.start()
    assert first.generated.id in first.output
    assert first.generated.master not in first.output


@pytest.mark.extended
def test_second_start_has_the_same_app(first):
    app = first.generated
    first.stop()
    first.start()
    assert first.generated == app
    assert first.api(app, master=True).get("/1.1/files").status_code == 200


def test_configured_apps_have_no_keys_printed_and_none_generated(new_server):
    server = new_server(apps=(ALPHA, BETA)).start()
    for word in (ALPHA.key, ALPHA.master, BETA.key, BETA.master):
        assert word not in server.output
    assert not (server.storage / "apps.yaml").exists()


@pytest.mark.extended
def test_app_can_come_from_the_environment(new_server):
    server = new_server(
        apps=(), LCFILE_APP_ID=BETA.id, LCFILE_APP_KEY=BETA.key, LCFILE_MASTER_KEY=BETA.master
    ).start()
    assert server.api(BETA).store(b"x", name="x.txt")["bucket"] == BETA.id[:8]


@pytest.mark.extended
def test_variables_of_commands_are_no_app_and_a_warning(new_server):
    server = new_server(LCFILE_APP_ID=BETA.id + "x", LCFILE_MASTER_KEY="of-another-server", LCFILE_SERVER="http://x").start()
    assert server.api().store(b"x", name="x.txt")
    for text in (server.output, log_so_far(server)):
        assert "LCFILE_APP_ID and LCFILE_MASTER_KEY without LCFILE_APP_KEY make no app" in text
        assert "of-another-server" not in text


@pytest.mark.extended
def test_app_of_an_earlier_start_is_missed_aloud(first):
    app = first.generated
    first.stop()
    (first.folder / "lcfile.yaml").write_text(yaml_of([ALPHA]))
    first.command += ["--config", "lcfile.yaml"]
    first.start()
    for text in (first.output, log_so_far(first)):
        assert f"The app '{app.id}' that an earlier start created is not served" in text
        assert app.key not in text and app.master not in text
    first.stop()
    (first.folder / "lcfile.yaml").write_text(yaml_of([ALPHA, app]))
    first.start()
    assert "warning" not in first.output
    assert first.api(app).get("/1.1/files").status_code == 200


@pytest.mark.extended
def test_flags_beat_the_environment(new_server):
    server = new_server()
    other = server.folder / "other"
    server.command += ["--storage", str(other)]
    server.start()
    assert (other / ALPHA.id).is_dir()
    assert not server.storage.exists()


@pytest.mark.extended
def test_file_urls_begin_with_the_configured_public_address(new_server):
    server = new_server(LCFILE_PUBLIC_URL="https://files.example.com/base/").start()
    record = server.api().store(b"x", name="x.txt")
    assert record["url"] == f"https://files.example.com/base/{record['key']}"


@pytest.mark.few(1)
@pytest.mark.parametrize("end", ["stop", "kill"])
def test_all_files_survive_a_restart(first, rocket, end):
    api = first.api(first.generated)
    stored = {api.store(data, name=name)["objectId"]: data for name, data in [("a.jpg", rocket), ("空.txt", b"")]}
    records = api.get("/1.1/files").json()["results"]
    getattr(first, end)()
    first.start()
    again = first.api(first.generated)
    assert again.get("/1.1/files").json()["results"] == records
    assert {record["objectId"]: again.fetch(record["url"]).content for record in records} == stored


@pytest.mark.extended
def test_thumbnail_is_the_same_after_a_restart(first, rocket):
    api = first.api(first.generated)
    url = api.store(rocket)["url"] + "?imageView/2/w/64"
    before = api.fetch(url).content
    first.stop()
    first.start()
    assert first.api(first.generated).fetch(url).content == before
