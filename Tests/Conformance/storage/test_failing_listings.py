"""A folder that cannot be read to its end is an error: for `readdir` a failure looks like the end of the folder."""

import pytest
from client import ALPHA, Server
from commands import FAILED, assert_fails, credentials_of, lcfile
from exports import OLD, OldApp, write_folder
from failing_calls import FailingCalls
from starting import SETTING, assert_does_not_start


@pytest.fixture
def folder(tmp_path):
    """A folder with files, and one in it."""
    (tmp_path / "folder" / "deep").mkdir(parents=True)
    for name in ("a.txt", "deep/b.txt"):
        (tmp_path / "folder" / name).write_text(f"bytes of {name}")
    return tmp_path / "folder"


def failing_listings(folder, run):
    """Runs something with the calls that list the folder failing from each one on; in the last run none does. Returns in
    how many runs calls failed.

    `run` gets the environment, and a function that tells whether calls failed."""
    calls = FailingCalls(folder.parent / "control", folder)
    number = 0
    while True:
        number += 1
        calls.begin("EIO", number, lasts=True, kinds={"list"})
        run(calls.environment, lambda: calls.end()[1] > 0)
        if calls.end()[1] == 0:
            return number - 1


UNREADABLE = "the folder cannot be read: Input/output error"


@pytest.mark.extended
def test_upload_of_a_folder_that_cannot_be_listed(server, folder):
    def run(environment, fails):
        result = lcfile("upload", folder, folder=folder.parent, **credentials_of(server.url) | environment)
        assert result.returncode == (FAILED if fails() else 0), result.stderr
        assert (UNREADABLE in result.stderr) == fails()

    # The call that opens a folder, one for each name and one for the end, of both folders.
    assert failing_listings(folder, run) >= 8


@pytest.mark.extended
def test_import_of_a_folder_that_cannot_be_listed(server, folder):
    """Beside the import the folder is listed a second time, to count its files; without the count there is no error."""
    codes = []

    def run(environment, fails):
        keys = credentials_of(server.url, master=ALPHA.master)
        result = lcfile("import", "--retries", "0", folder, folder=folder.parent, **keys | environment)
        assert result.returncode == (0 if "✓ imported 2 files" in result.stderr else FAILED), result.stderr
        assert (UNREADABLE in result.stderr) == (result.returncode == FAILED)
        assert fails() or result.returncode == 0
        codes.append(result.returncode)
        for journal in folder.parent.glob("folder.*"):
            journal.unlink()

    assert failing_listings(folder, run) >= 8
    assert codes.count(FAILED) >= 4


@pytest.mark.extended
def test_export_that_cannot_be_listed(tmp_path):
    """It has about 50 files, and is listed for each table again: the calls that fail are of the first listing."""
    folder = write_folder(OldApp(objects=5, files=0), tmp_path / "export")
    calls = FailingCalls(tmp_path / "control", folder)
    (tmp_path / "server").mkdir()
    server = Server(tmp_path / "server", apps=(OLD,)).start()
    try:
        for number in (1, 2, 30):
            keys = credentials_of(server.url, OLD, master=OLD.master)
            calls.begin("EIO", number, kinds={"list"})
            result = lcfile("import", "leancloud", folder, folder=tmp_path, **keys | calls.environment)
            assert calls.end()[1] == 1
            assert_fails(result, UNREADABLE)
    finally:
        assert server.stop() == 0


@pytest.mark.few(2)
@pytest.mark.parametrize("name, words, settings", [
    ("LCFILE_MAIL_TEMPLATES", "mail.templates: the folder", {
        "LCFILE_MAIL_SERVER": "smtp://localhost:25", "LCFILE_MAIL_FROM": "a@example.com",
    }),
    ("LCFILE_SMS_TEMPLATES", "sms.templates: the folder", {"LCFILE_SMS_FIXED_NUMBERS": "+8613800000000=123456"}),
    ("CREDENTIALS_DIRECTORY", "the folder of credentials", {}),
], ids=["mail", "sms", "credentials"])
@pytest.mark.parametrize("number", [1, 2, 5], ids=["opened", "first-name", "end"])
def test_server_does_not_start_with_a_folder_that_cannot_be_listed(new_server, tmp_path, name, words, settings, number):
    folder = tmp_path / "texts"
    folder.mkdir()
    for ignored in (".a", ".b"):
        (folder / ignored).write_text("")
    calls = FailingCalls(tmp_path / "control", folder)
    calls.begin("EIO", number, kinds={"list"})
    server = new_server(**{name: str(folder)}, **settings, **calls.environment)
    assert_does_not_start(server, SETTING, words, "cannot be read: Input/output error")
    assert calls.end()[1] == 1
