"""What the tests of objects share: values of the protocol's types, and the calls on one class."""

import json
import re
from concurrent.futures import ThreadPoolExecutor

from client import assert_refused

MISSING = "0" * 24
ID = re.compile(r"[0-9a-f]{24}")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
MASTER_ONLY = "The request must be signed by master key."


def date(iso="2024-03-01T08:00:00.120Z"):
    return {"__type": "Date", "iso": iso}


def pointer(name, id=MISSING):
    return {"__type": "Pointer", "className": name, "objectId": id}


def geopoint(latitude=40.5, longitude=-30.25):
    return {"__type": "GeoPoint", "latitude": latitude, "longitude": longitude}


def blob(base64="aGk="):
    return {"__type": "Bytes", "base64": base64}


def relation(name):
    return {"__type": "Relation", "className": name}


def op(name, **arguments):
    return {"__op": name} | arguments


DELETE = op("Delete")

# A value for each type that a column can have and that needs no other object.
VALUES = {
    "String": "text", "Number": 1, "Boolean": True, "Array": ["x", 1], "Object": {"a": {"b": 1}}, "Date": date(),
    "GeoPoint": geopoint(), "Bytes": blob(), "Pointer": pointer("Folder"),
}


def texts(query):
    """URL parameters: JSON where they are not texts already."""
    return {name: value if isinstance(value, str) else json.dumps(value) for name, value in query.items()}


class Objects:
    """The objects of one class, as one caller sees them."""

    def __init__(self, api, name):
        self.api = api
        self.name = name
        self.path = f"/1.1/classes/{name}"

    def by(self, api):
        """The same class, as another caller sees it."""
        return Objects(api, self.name)

    def pointer(self, id):
        return pointer(self.name, id)

    # Calls; fields are sent as JSON.

    def post(self, fields, **query):
        return self.api.post(self.path, json=fields, params=texts(query))

    def put(self, id, fields, **query):
        return self.api.call("PUT", f"{self.path}/{id}", json=fields, params=texts(query))

    def get(self, id, **query):
        return self.api.get(f"{self.path}/{id}", params=texts(query))

    def query(self, **query):
        return self.api.get(self.path, params=texts(query))

    def delete(self, id, **query):
        return self.api.call("DELETE", f"{self.path}/{id}", params=texts(query))

    # The same, when they must work.

    def create(self, **fields):
        """Saves a new object; returns its id."""
        response = self.post(fields)
        assert response.status_code == 201, response.text
        return response.json()["objectId"]

    def update(self, id, fields, **query):
        """Changes an object; returns the answer."""
        response = self.put(id, fields, **query)
        assert response.status_code == 200, response.text
        return response.json()

    def read(self, id, **query):
        """The object, without what every object has."""
        response = self.get(id, **query)
        assert response.status_code == 200, response.text
        return own(response.json())

    def find(self, **query):
        response = self.query(**query)
        assert response.status_code == 200, response.text
        return response.json()["results"]

    def ids(self, **query):
        return {object["objectId"] for object in self.find(**query)}

    def count(self, **where):
        return self.query(where=where, limit=0, count=1).json()["count"]

    def members(self, id, key, target):
        """The ids that a relation of the object holds."""
        return target.ids(where={"$relatedTo": {"object": self.pointer(id), "key": key}})


def own(object):
    """The fields that are the object's own."""
    return {name: value for name, value in object.items() if name not in ("objectId", "createdAt", "updatedAt")}


def describe(master, objects, field, **flags):
    """Sets a column's type and flags as its administrator does."""
    response = master.call("PUT", f"/1.1/schemas/{objects.name}/{field}", json=flags)
    assert response.status_code == 200, response.text
    return response.json()


def send(api, path, data, method="POST", **headers):
    """Sends bytes as a JSON body."""
    return api.call(method, path, data=data, headers={"Content-Type": "application/json"} | headers)


def batch(api, *requests, path="/1.1/batch"):
    return api.post(path, json={"requests": list(requests)})


def at_once(call, count, workers=16):
    """Calls with 0, 1, 2 … from several threads; returns what came back."""
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(call, range(count)))


def assert_400(response, words=""):
    """A refusal whose code the protocol leaves open."""
    assert response.status_code == 400, response.content[:200]
    assert_refused(response, 400, response.json()["code"], words)
