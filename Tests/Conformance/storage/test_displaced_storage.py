"""Files and folders of the storage that are removed while the server runs: no change that needs them gets a 2xx."""

import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest
from client import ALPHA, BETA, TESTS, TIMEOUT, assert_refused, eventually
from data import Objects
from full_disks import health, metric, reasons
from request_log import log_so_far

REFUSED = (503, 503, "A part of the server's storage was removed or replaced, so requests that need it are refused.")
DATABASE = "lcfile.sqlite"
STOP = "systemctl stop lcfile\n"


def reports(server, words):
    """The lines of the log that report a failing storage with the words."""
    lines = log_so_far(server).splitlines()
    return [line for line in lines if "The server's storage cannot be read or written" in line and words in line]


def rescue(server, folder):
    """The commands of docs/operations/README.md for a removed database of the server, with the copies in the folder."""
    page = (TESTS.parent / "docs/operations/README.md").read_text()
    _, section = page.split("### Rescue of a removed database\n")
    commands = section.split("<<'END'\n", 1)[1].split("\nEND\n", 1)[0]
    for written, here in {
        "<app id>": ALPHA.id, "/root/rescued": f"{folder}/rescued", "/var/lib/lcfile": f"{server.storage}",
        " -o lcfile -g lcfile": "",
    }.items():
        assert written in commands
        commands = commands.replace(written, here)
    assert STOP in commands
    return commands


def run(server, folder, commands):
    """Runs commands in which systemctl knows the server; returns the exit code, and what systemctl was called for."""
    systemctl = f'systemctl() {{ echo "$1" >> {folder}/calls; echo {server.process.pid}; }}\n'
    code = subprocess.run(["sh", "-eu"], input=systemctl + commands, text=True, timeout=TIMEOUT).returncode
    return code, (folder / "calls").read_text().split()


@pytest.mark.sqlite
@pytest.mark.parametrize("removed", [f"{DATABASE}*", DATABASE])
def test_removed_database_takes_no_changes_and_can_be_rescued(new_server, tmp_path, removed):
    server = new_server().start()
    app = server.storage / ALPHA.id
    tasks, other = Objects(server.api(), "Task"), Objects(server.api(BETA), "Task")
    id = tasks.create(n=1)
    other.create(n=1)
    for path in list(app.glob(removed)):
        path.unlink()
    # From the first request on, whether or not the server has looked at the storage.
    for response in (tasks.post({"n": 2}), server.api().store_raw(b"bytes", "x.bin")):
        assert_refused(response, *REFUSED)
    assert other.post({"n": 2}).status_code == 201
    assert eventually(lambda: "storage-failing" in reasons(server))
    assert health(server).status_code == 503 and health(server).json()["status"] == "failing"
    assert eventually(lambda: metric(server, "lcfile_storage_fault", '{kind="failing"}') == 1)
    assert metric(server, "lcfile_storage_faults_total", '{kind="failing"}') >= 1
    assert len(reports(server, f"{app / DATABASE} was removed or replaced while the server ran")) == 1

    copy, install = rescue(server, tmp_path).split(STOP)
    assert run(server, tmp_path, copy) == (0, ["show"])
    assert server.stop() == 0
    app_line, _ = copy.split("\n", 1)
    assert run(server, tmp_path, f"{app_line}\n{install}") == (0, ["show", "start"])
    server.start()
    assert tasks.get(id).json()["n"] == 1
    assert tasks.post({"n": 2}).status_code == 201


@pytest.mark.sqlite
def test_rescue_stops_no_server_whose_files_it_did_not_find(new_server, tmp_path):
    server = new_server(apps=(ALPHA,)).start()
    id = Objects(server.api(), "Task").create(n=1)
    code, calls = run(server, tmp_path, rescue(server, tmp_path))
    assert code != 0 and calls == ["show"]
    assert not (tmp_path / "rescued").exists()
    assert Objects(server.api(), "Task").get(id).json()["n"] == 1


@pytest.mark.sqlite
def test_no_answer_comes_from_a_file_that_replaced_the_database(new_server, tmp_path):
    server, other = (new_server(apps=(ALPHA,)).start() for _ in range(2))
    for _ in range(3):
        Objects(server.api(), "Task").create(n=1)
    Objects(other.api(), "Task").create(n=1)
    assert other.stop() == 0
    shutil.copyfile(other.storage / ALPHA.id / DATABASE, tmp_path / DATABASE)
    (tmp_path / DATABASE).rename(server.storage / ALPHA.id / DATABASE)
    # Some need a connection of their own.
    with ThreadPoolExecutor(24) as threads:
        responses = list(threads.map(lambda _: Objects(server.api(), "Task").query(count=1, limit=0), range(24)))
    for response in responses:
        if response.status_code == 200:
            assert response.json()["count"] == 3
        else:
            assert_refused(response, *REFUSED)


@pytest.mark.sqlite
def test_moved_database_takes_changes_when_it_is_back(new_server, tmp_path):
    server = new_server(apps=(ALPHA,)).start()
    database = server.storage / ALPHA.id / DATABASE
    tasks = Objects(server.api(), "Task")
    tasks.create(n=1)
    database.rename(tmp_path / DATABASE)
    assert_refused(tasks.post({"n": 2}), *REFUSED)
    (tmp_path / DATABASE).rename(database)
    assert tasks.post({"n": 2}).status_code == 201


@pytest.mark.disk
@pytest.mark.parametrize("name", ["staging", "blobs"])
def test_removed_folder_of_uploads_is_noticed(new_server, tmp_path, name):
    server = new_server(apps=(ALPHA,)).start()
    folder = server.storage / ALPHA.id / name
    folder.rename(tmp_path / name)
    assert eventually(lambda: reasons(server) == ["storage-failing"])
    assert_refused(server.api().store_raw(b"bytes", "x.bin"), *REFUSED)
    assert len(reports(server, f"{folder} was removed while the server ran")) == 1
    # Objects need neither of them.
    assert Objects(server.api(), "Task").post({"n": 1}).status_code == 201
    (tmp_path / name).rename(folder)
    record = server.api().store(b"bytes", name="x.bin")
    assert server.api().fetch(record["url"]).content == b"bytes"


@pytest.mark.disk
def test_files_of_a_moved_folder_are_not_damaged_when_it_is_back(new_server, tmp_path):
    server = new_server(apps=(ALPHA,)).start()
    blobs, master = server.storage / ALPHA.id / "blobs", server.api(master=True)
    kept, deleted = (server.api().store(name.encode(), name=f"{name}.bin") for name in ("kept", "deleted"))
    blobs.rename(tmp_path / "blobs")
    assert_refused(server.api().fetch(kept["url"]), *REFUSED)
    assert master.call("DELETE", f"/1.1/files/{deleted['objectId']}").status_code == 200
    assert eventually(lambda: metric(server, "lcfile_deletions_failed_total", f'{{app="{ALPHA.id}"}}'))
    (tmp_path / "blobs").rename(blobs)
    assert server.api().fetch(kept["url"]).content == b"kept"
    assert metric(server, "lcfile_storage_faults_total", '{kind="damaged"}') in (None, 0)
    # The bytes of the deleted file go now.
    assert eventually(lambda: len([path for path in blobs.glob("**/*") if path.is_file()]) == 1)
