"""Requests inside of /batch and /batch/save, and what each of them was answered."""

from data import batch


def post(objects, fields=None, **more):
    return {"method": "POST", "path": objects.path, "body": fields or {}} | more


def put(objects, id, fields=None, **more):
    return {"method": "PUT", "path": f"{objects.path}/{id}", "body": fields or {}} | more


def get(objects, id="", **params):
    return {"method": "GET", "path": f"{objects.path}/{id}".rstrip("/"), "params": params}


def delete(objects, id, **more):
    return {"method": "DELETE", "path": f"{objects.path}/{id}"} | more


def answers(response):
    assert response.status_code == 200, response.text
    return response.json()


def codes(response):
    return [item["error"]["code"] if "error" in item else None for item in answers(response)]


def save(api, *requests):
    return batch(api, *requests, path="/1.1/batch/save")
