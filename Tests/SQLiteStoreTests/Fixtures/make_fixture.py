"""Makes the fixture of a schema version: the database of a server that was given one of each kind of thing.

    scripts/storage-fixture [BINARY]

The database is written as SQL text to Tests/SQLiteStoreTests/Fixtures/<version>.sql. What the server was given is the
same for all versions that have it; the tests name it in StorageFixture.swift.
"""

import sqlite3
import sys
import tempfile
from pathlib import Path

from client import ALPHA, BINARY, ROCKET, Server, eventually, queued
from console_calls import ConsoleCalls

FOLDER = Path(__file__).resolve().parent
# Nothing listens there, so what is to be sent or fetched stays in its queue.
NOWHERE = "127.0.0.1:9"
SETTINGS = {
    "LCFILE_ACCOUNTS_PASSWORD_COST": "10",
    "LCFILE_MIRROR_ORIGIN": f"http://{NOWHERE}/old",
    "LCFILE_FETCH_ALLOWED_NETWORKS": "127.0.0.0/8",
}
# Settings and the calls that need them, by the version of the schema that has a place for what they leave.
MAIL = {
    "LCFILE_MAIL_SERVER": f"smtp://{NOWHERE}", "LCFILE_MAIL_FROM": "Example <app@example.org>",
    "LCFILE_ACCOUNTS_VERIFY_EMAIL": "true", "LCFILE_MAIL_RETRY_PAUSE": "60",
}
SMS = {
    "LCFILE_SMS_PROVIDER": "webhook", "LCFILE_SMS_WEBHOOK": f"http://{NOWHERE}/sms", "LCFILE_SMS_APP_NAME": "Example",
    "LCFILE_SMS_WEBHOOK_SECRET": "the shared secret", "LCFILE_SMS_RETRY_PAUSE": "60",
}

TRASH = {"LCFILE_TRASH_KEEP": "315360000"}


def version_of(database):
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
        names = [row[0] for row in connection.execute("SELECT identifier FROM grdb_migrations")]
    return max(int(name.split()[0].removeprefix("v")) for name in names)


def done(response):
    assert response.ok, response.text
    return response.json()


def pointer(name, id):
    return {"__type": "Pointer", "className": name, "objectId": id}


def fill(server, version):
    api, master = server.api(), server.api(master=True)
    api.store(b"hello\n", name="hello.txt")
    rocket = api.store(ROCKET.read_bytes(), name="rocket.jpg", ACL='{"*":{"read":true}}')
    api.store(b"", name="empty.bin")
    done(api.post("/1.1/files", json={"name": "logo.png", "url": "https://elsewhere.example.org/logo.png"}))
    gone = api.store(b"gone\n", name="gone.txt")
    done(master.delete(gone["objectId"]))
    assert eventually(lambda: queued(master) == 0)

    folder = done(api.post("/1.1/classes/Folder", json={"name": "家"}))["objectId"]
    task = done(api.post("/1.1/classes/Task", json={
        "title": "洗", "n": 1, "done": False, "tags": ["a", 2.5, None], "folder": pointer("Folder", folder),
        "due": {"__type": "Date", "iso": "2024-03-01T08:00:00.120Z"}, "where": {"__type": "GeoPoint", "latitude": 1.5, "longitude": 2},
        "photo": {"__type": "File", "id": rocket["objectId"]}, "ACL": {"*": {"read": True}},
    }))["objectId"]
    done(master.call("PUT", f"/1.1/classes/Task/{task}", json={
        "likes": {"__op": "AddRelation", "objects": [pointer("Folder", folder)]}, "n": {"__op": "Increment", "amount": 1},
    }))

    people = [
        done(api.post("/1.1/users", json={
            "username": name, "password": "correct horse", "email": f"{name}@example.org",
        })) for name in ("ann", "ben")
    ]
    ann = {"X-LC-Session": people[0]["sessionToken"]}
    done(master.post("/1.1/roles", json={
        "name": "Editors", "ACL": {"*": {"read": True}},
        "users": {"__op": "AddRelation", "objects": [pointer("_User", people[0]["objectId"])]},
    }))
    if version >= 7:
        done(master.call("PUT", f"/1.1/files/{rocket['objectId']}/censor", json={"verdict": "passed"}))
    if version >= 9:
        done(api.post(f"/1.1/users/self/friendship/{people[1]['objectId']}", json={}, headers=ann))
        user = pointer("_User", people[0]["objectId"])
        done(api.post("/1.1/statuses", headers=ann, json={
            "data": {"message": "hello", "source": user},
            "query": {"className": "_User", "keys": "objectId", "where": {"username": "ben"}},
        }))
        assert eventually(lambda: done(master.get("/1.1/classes/_InboxItem?limit=0&count=1"))["count"] == 1)
    if version >= 10:
        done(api.post("/1.1/requestSmsCode", json={"mobilePhoneNumber": "+12025550123"}))
    if version >= 14:
        console = ConsoleCalls(server)
        assert console.log_in().ok
        done(console.call("PUT", f"/1.1/classes/Task/{task}", json={"done": True}))


def main():
    with tempfile.TemporaryDirectory() as folder:
        server = Server(folder, apps=(ALPHA,), **SETTINGS).start()
        database = server.storage / ALPHA.id / "lcfile.sqlite"
        version = version_of(database)
        server.stop()
        more = (MAIL if version >= 8 else {}) | (SMS if version >= 10 else {}) | (TRASH if version >= 13 else {})
        server = Server(folder, apps=(ALPHA,), **SETTINGS | more).start()
        try:
            fill(server, version)
        finally:
            assert server.stop() == 0
        with sqlite3.connect(database) as connection:
            lines = list(connection.iterdump())
        path = FOLDER / f"v{version}.sql"
        path.write_text("\n".join(lines) + "\n")
        print(f"{path} is the storage of {BINARY}")


sys.exit(main())
