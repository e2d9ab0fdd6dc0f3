"""Followers, friends and feeds as their users see them, and many followers at once."""

import json

from data import pointer
from people import Person, unique


class Member(Person):
    """A user with relations and inboxes."""

    def follow(self, other, **attributes):
        return self.post(f"/1.1/users/self/friendship/{other.id}", json=attributes)

    def others(self, name, **query):
        """The ids in a list of relations."""
        field = "followee" if name == "friends" else name.removesuffix("s")
        response = self.get(f"/1.1/users/self/{name}", params=query)
        assert response.status_code == 200, response.text
        return {row[field]["objectId"] for row in response.json()["results"]}

    def publish(self, message="hello", **more):
        body = {
            "data": {"message": message, "source": self.pointer},
            "query": {"className": "_Follower", "keys": "follower", "where": {"user": self.pointer}},
        }
        response = self.post("/1.1/statuses", json=body | more)
        assert response.status_code == 201, response.text
        return response.json()["objectId"]

    def tell(self, other, message):
        """Publishes a private status for one user."""
        return self.publish(message, query={"className": "_User", "where": {"objectId": other.id}}, inboxType="private")

    def inbox(self, **query):
        """The numbers and messages of a page of an inbox."""
        response = self.get("/1.1/subscribe/statuses", params=query)
        assert response.status_code == 200, response.text
        return [(row["messageId"], row["message"]) for row in response.json()["results"]]

    def counts(self, **query):
        response = self.get("/1.1/subscribe/statuses/count", params=query)
        assert response.status_code == 200, response.text
        return response.json()


def as_text(value):
    """A pointer as the parameter of a URL."""
    return json.dumps(value)


def import_followers(master, author, count):
    """Users without sessions who follow an author, as an import brings them; returns their ids."""
    start = unique("f")
    ids = [f"{start}x{number}" for number in range(count)]
    users = [{"objectId": id, "username": id} for id in ids]
    rows = [
        {
            "objectId": f"r{id}", "user": author.pointer, "follower": pointer("_User", id),
            "ACL": {author.id: {"read": True}, id: {"read": True}},
        }
        for id in ids
    ]
    for path, bodies in (("/1.1/users", users), ("/1.1/classes/_Follower", rows)):
        requests = [{"method": "POST", "path": path, "body": body} for body in bodies]
        answers = master.post("/1.1/batch", json={"requests": requests}).json()
        assert all("success" in answer for answer in answers), answers[:3]
    return ids


def deliveries(master, status):
    """The owners of the inboxes that have a status."""
    where = json.dumps({"delivery": {"$regex": f"^{status}/"}})
    owners, skip = [], 0
    while True:
        query = {"where": where, "limit": 1000, "skip": skip, "order": "objectId"}
        page = master.get("/1.1/classes/_InboxItem", params=query).json()["results"]
        owners += [row["delivery"].partition("/")[2] for row in page]
        skip += len(page)
        if not page:
            return owners


def waiting(master):
    """How many jobs the queue has."""
    return master.get("/1.1/classes/_PeopleJob", params={"count": 1, "limit": 0}).json()["count"]
