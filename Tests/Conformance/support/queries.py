"""What the tests of queries share: how to make objects, to ask for them and to name what was found."""

import json

from data import pointer

BARE = {"__type", "className", "objectId"}
BASE = {"objectId", "createdAt", "updatedAt"}


def put(api, name, rows):
    """Creates rows of a class; returns their ids in the same order."""
    ids = []
    # So many of the largest objects fit into a guest's body.
    for start in range(0, len(rows), 30):
        requests = [{"method": "POST", "path": f"/1.1/classes/{name}", "body": row} for row in rows[start:start + 30]]
        response = api.post("/1.1/batch", json={"requests": requests})
        assert response.status_code == 200, response.text
        ids += [reply["success"]["objectId"] for reply in response.json()]
    return ids


def update(api, name, id, **fields):
    response = api.call("PUT", f"/1.1/classes/{name}/{id}", json=fields)
    assert response.status_code == 200, response.text


def ask(api, name, where=None, **parameters):
    if where is not None:
        parameters["where"] = json.dumps(where)
    return api.get(f"/1.1/classes/{name}", params=parameters)


def body(api, name, where=None, **parameters):
    response = ask(api, name, where, **parameters)
    assert response.status_code == 200, response.text
    return response.json()


def find(api, name, where=None, **parameters):
    return body(api, name, where, **parameters)["results"]


def only(results):
    assert len(results) == 1, results
    return results[0]


def listed(api, name, where=None, **parameters):
    """The names of what is found, in the order of the reply."""
    return "".join(row["name"] for row in find(api, name, where, **parameters))


def found(api, name, where=None, **parameters):
    """The names of what is found, whatever the order."""
    return "".join(sorted(listed(api, name, where, **parameters)))


def date(month):
    return {"__type": "Date", "iso": f"2024-{month:02}-01T00:00:00.000Z"}


def relation(op, name, ids):
    return {"__op": op, "objects": [pointer(name, id) for id in ids]}
