"""lcfile import leancloud, with client and server killed again and again: nothing is missing, nothing is there twice."""

import pytest
from accounts import is_live
from cases import chance
from client import Server
from commands import credentials_of, lcfile
from exports import OLD, write_archive
from killing import run_with_kills
from sdk import SDK

pytestmark = pytest.mark.long

KILLS = 10


@pytest.fixture(scope="module")
def killed(old_app, old_export, tmp_path_factory):
    """A server to which the app came while the client and the server were killed ten times; and what is needed to ask."""
    folder = tmp_path_factory.mktemp("killed")
    archive = write_archive(old_export, folder / "export.tar.gz")
    server = Server(folder, apps=(OLD,)).start()
    keys = credentials_of(server.url, OLD, master=OLD.master)
    arguments = ["import", "leancloud", str(archive), "--file-domain", old_app.file_domain]
    result = run_with_kills(server, arguments, folder, keys, KILLS, chance("kills of an import"))
    assert result.returncode == 0, result.stderr
    yield server, lambda *more: lcfile(*arguments, *more, folder=folder, **keys)
    assert server.stop() == 0


@pytest.mark.extended
def test_verification_finds_nothing_missing(killed):
    _, run = killed
    result = run("--verify")
    assert result.returncode == 0, result.stderr


@pytest.mark.extended
def test_every_object_is_there_once(killed, old_app):
    api = killed[0].api(OLD, master=True)
    for name, rows in old_app.objects.items():
        if rows:
            assert api.get(f"/1.1/classes/{name}", params={"limit": 0, "count": 1}).json()["count"] == len(rows), name


@pytest.mark.extended
def test_users_log_in_with_the_python_sdk_and_their_old_passwords(killed, old_app):
    sdk = SDK(killed[0].url, app=OLD)
    try:
        name, password = next(iter(old_app.passwords.items()))
        seen = sdk.run(
            """
            user = leancloud.User()
            user.login(arguments["name"], arguments["password"])
            say(name=user.get_username(), authenticated=user.is_authenticated())
            """,
            name=name, password=password,
        )
        assert seen == {"name": name, "authenticated": True}
    finally:
        sdk.close()


@pytest.mark.extended
def test_old_session_tokens_stay_valid(killed, old_app):
    tokens = [user["sessionToken"] for user in old_app.objects["_User"] if user.get("sessionToken")]
    assert tokens and all(is_live(killed[0].api(OLD), token) for token in tokens[:5])


@pytest.mark.extended
def test_thumbnails_work_under_the_old_keys(killed, old_app):
    server, _ = killed
    images = [row for row in old_app.objects["_File"] if row.get("key") and row["name"] == "photo.jpg"]
    assert images
    url = old_app.url(images[0]).replace(old_app.file_domain, server.url)
    answer = server.api(OLD).fetch(f"{url}?imageView2/1/w/8/h/8/format/png")
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "image/png")
