"""The requests whose system calls are swept, each with what must hold after a success and after an error."""

import json
from urllib.parse import urlsplit

from censoring import photo
from client import ROCKET, eventually
from people import unique
from sweeps import Operation, require
from uploading import Tus, assert_file, ask, must, noise, record_of


def named(api, name):
    """The records of files of a name."""
    return must(api.get("/1.1/files", params={"where": json.dumps({"name": name})}))["results"]


def same_file(api, id, data):
    return lambda: assert_file(api, id, data)


def no_file(api, name):
    def look():
        require(not named(api, name), "there is a file after an error")

    return look


class Requests(Operation):
    """An operation of one server."""

    def __init__(self, server):
        self.server = server
        self.api, self.master = server.api(), server.api(master=True)


class Upload(Requests):
    """One request with a whole file."""

    name = "upload"
    size = 3000

    def prepare(self, number):
        # Other sweeps of the same server have had the same numbers.
        return f"{unique('swept')}.bin", noise(self.size, number)

    def act(self, thing):
        return self.api.store_raw(thing[1], thing[0])

    def check(self, thing, answer, has_succeeded):
        name, data = thing
        if not has_succeeded:
            no_file(self.api, name)()
            assert_file(self.api, must(self.act(thing), 201)["objectId"], data)
            self.master.delete(named(self.api, name)[0]["objectId"])
            return no_file(self.api, name)
        assert_file(self.api, answer.json()["objectId"], data)
        return same_file(self.api, answer.json()["objectId"], data)


class Form(Upload):
    """Two files in one form: all or none."""

    name = "form"

    def act(self, thing):
        return self.api.form(("file", (thing[0], thing[1])), ("file", (thing[0], thing[1])))

    def check(self, thing, answer, has_succeeded):
        require(len(named(self.api, thing[0])) == (2 if has_succeeded else 0), "not all or none")


class LargeUpload(Upload):
    """Several pieces, each written by jobs of its own."""

    name = "large upload"
    size = (2 << 20) + 70_000


class Resumed(Requests):
    """The last bytes of a tus upload, with which its file is made."""

    name = "finish"

    def prepare(self, number):
        data = noise(3000, number)
        upload = Tus(self.server).create(len(data), Upload_Metadata="filename YS5iaW4=")
        assert upload.patch(0, data[:1000]).status_code == 204
        return upload, data

    def act(self, thing):
        return thing[0].patch(1000, thing[1][1000:])

    def check(self, thing, answer, has_succeeded):
        upload, data = thing
        if not has_succeeded:
            # HEAD tells where to go on, and finishes what has all its bytes.
            upload.go_on(data)
            is_finished = lambda: upload.head().status_code == 200 and record_of(self.api, upload.id)
            require(eventually(is_finished), "never finished")
        assert_file(self.api, upload.id, data)
        return same_file(self.api, upload.id, data)


class Parts(Requests):
    """The end of an upload by parts, which come in another order than they lie."""

    name = "finish parts"

    def prepare(self, number):
        data = noise(3000, number)
        target = ask(self.api, name="parts.bin")
        id = target.begin()
        etags = {part: must(target.part(id, part, data[1000 * part - 1000:1000 * part]))["etag"] for part in (2, 1, 3)}
        return target, data, id, sorted(etags.items())

    def act(self, thing):
        target, _, id, parts = thing
        return target.finish(id, parts)

    def check(self, thing, answer, has_succeeded):
        target, data, *_ = thing
        if not has_succeeded:
            require(record_of(self.api, target.id) is None, "there is a file after an error")
            must(self.act(thing))
        assert_file(self.api, target.id, data)
        return same_file(self.api, target.id, data)


class Delete(Requests):
    """A file with a derivative, whose bytes go behind the answer."""

    name = "delete"

    def prepare(self, number):
        record = self.api.store(photo(number % 8), name="deleted.jpg")
        assert self.api.fetch(f"{record['url']}?imageView2/2/w/20").status_code == 200
        return record

    def act(self, record):
        return self.master.delete(record["objectId"])

    def check(self, record, answer, has_succeeded):
        if not has_succeeded:
            require(self.api.fetch(record["url"]).status_code == 200, "not whole after an error")
            must(self.act(record))

        def look():
            require(record_of(self.api, record["objectId"]) is None, "the record is still there")
            require(self.api.fetch(record["url"]).status_code == 404, "its bytes are still served")

        look()
        return look


class Derivative(Requests):
    """An image that is not in the cache."""

    name = "derivative"

    def __init__(self, server):
        super().__init__(server)
        self.url = self.api.store(ROCKET.read_bytes())["url"]

    def prepare(self, number):
        return f"{self.url}?imageMogr2/thumbnail/{40 + number}x/rotate/{1 + number % 359}"

    def act(self, url):
        return self.api.fetch(url)

    def check(self, url, answer, has_succeeded):
        whole = self.api.fetch(url)
        require(whole.status_code == 200, f"{whole.status_code} {whole.text[:200]}")
        require(not has_succeeded or answer.content == whole.content, "another image than before")


class Download(Requests):
    """A file that is not open."""

    name = "download"

    def prepare(self, number):
        data = noise(200_000, number)
        return self.api.store(data, name="download.bin"), data

    def act(self, thing):
        return self.api.fetch(thing[0]["url"])

    def check(self, thing, answer, has_succeeded):
        record, data = thing
        require(not has_succeeded or answer.content == data, "other bytes")
        require(self.api.fetch(record["url"]).content == data, "other bytes later")
        assert self.master.delete(record["objectId"]).status_code == 200


class Verdict(Requests):
    """A person's verdict, with what the workers do of it: the image is blocked and its hashes are learned."""

    name = "censorship"

    def prepare(self, number):
        return self.api.store(photo(number), name="seen.jpg")

    def act(self, record):
        return self.master.call("PUT", f"/1.1/files/{record['objectId']}/censor", json={"verdict": "rejected"})

    def state(self, record):
        return must(self.master.get(f"/1.1/files/{record['objectId']}/censor"))

    def check(self, record, answer, has_succeeded):
        if not has_succeeded:
            state = self.state(record)
            require(state.get("censorResult") is None and state["history"] == [], f"a verdict after an error: {state}")
            require(self.api.fetch(record["url"]).status_code == 200, "not served after an error")
            must(self.act(record))

        def look():
            state = self.state(record)
            require(state.get("censorResult") == "rejected" and len(state["history"]) == 1, f"{state}")
            path = urlsplit(record["url"]).path
            require(self.api.fetch(self.server.url + path).status_code in (403, 404, 451), "still served")

        look()
        return look


REQUESTS = [Upload, Form, LargeUpload, Resumed, Parts, Delete, Derivative, Download, Verdict]
