"""Walks over all objects of a class."""

from data import texts


def scan(api, objects, **query):
    return api.get(f"/1.1/scan/classes/{objects.name}", params=texts(query))


def page(api, objects, **query):
    response = scan(api, objects, **query)
    assert response.status_code == 200, response.text
    body = response.json()
    assert set(body) == {"results", "cursor"}
    return body["results"], body["cursor"]


def walk(api, objects, between=lambda: None, **query):
    """The pages of a scan, up to its end."""
    pages = []
    results, cursor = page(api, objects, **query)
    while cursor is not None:
        pages.append(results)
        between()
        results, cursor = page(api, objects, cursor=cursor, **query)
    return [*pages, results]


def flat(pages):
    return [row for results in pages for row in results]
