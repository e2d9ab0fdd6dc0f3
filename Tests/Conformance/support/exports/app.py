"""The app that moves: its classes, objects, relations, files and users, all functions of a seed."""

from collections import Counter
from dataclasses import dataclass

from client import App
from data import pointer

from . import accounts, rows
from .files import SIZES, Files, url
from .identifiers import chance, object_id, system_fields
from .schemas import schema_of

# The app's id and keys on LeanCloud, and those of another app, whose export is not of this one.
OLD = App("oldAppId0123456789abcdef-gzGzoHsz", "oldAppKey0123456789abcde", "oldMasterKey0123456789ab")
ANOTHER = App("anotherAppId456789abcdef-MdYXbMMI", "anotherAppKey456789abcde", "anotherMasterKey56789abc")
# A class, the function that makes its rows, and its share of all objects (a fraction), or its number of objects.
CLASSES = {
    "_User": (accounts.user, 0.1), "_Role": (accounts.role, 5), "_Installation": (accounts.installation, 0.03),
    "_Conversation": (accounts.conversation, 0.02), "_Followee": (accounts.followee, 0.02),
    "Post": (rows.post, 0.15), "Place": (rows.place, 0.05), "Measurement": (rows.measurement, 0.05),
    "Order": (rows.order, 0.05), "Album": (rows.album, 0.02), "Document": (rows.document, 3), "Note": (rows.note, 0.03),
    "Legacy": (rows.legacy, 0.03), "Country": (rows.country, 20), "Setting": (rows.setting, 10),
    "Event": (rows.event, 0.1), "Empty": (None, 0), "Comment": (rows.comment, None),
}
RECORD_SHARE = 0.02


@dataclass(frozen=True)
class Join:
    """A relation: the class and field that have it, the class it leads to, and pairs of ids."""

    name: str
    field: str
    target: str
    pairs: list


class OldApp:
    """`classes` classes without `_File`, `objects` objects in them and `files` files.

    - `objects`: the rows by class, as REST shows them to the master key, with `ACL` and with what only exports show of
      `_User`. `_File` is among them. Internal files have no `url`: see `url`.
    - `schemas`: the fields by class, as `GET /1.1/schemas` answers.
    - `joins`: the relations.
    - `passwords`: the password by username, of users that have one.
    - `content(key)`, `keys_of_files`: the bytes of internal files, made anew at each call.

    `sizes` are the bytes of files in turns, `large` those of the first files, `file_domain` is the beginning of URLs.
    """

    def __init__(
        self, classes=20, objects=2000, files=200, seed="old app", keys=OLD, sizes=SIZES, large=(),
        file_domain="http://old-files.example.org",
    ):
        assert classes >= len(CLASSES), f"the app has {len(CLASSES)} classes at least"
        self.seed, self.keys, self.file_domain = seed, keys, file_domain
        self.passwords = {}
        kinds = CLASSES | {f"Record{number}": (rows.record, RECORD_SHARE) for number in range(len(CLASSES), classes)}
        self.counts = shares(kinds, objects) | {"_File": files}
        self.has_files = files > 0
        self.files = Files(self, files, sizes, large)
        self.objects = {name: self.rows_of(name, make) for name, (make, _) in kinds.items()}
        self.objects["_File"] = self.files.records
        self.joins = self.relations()
        self.schemas = {name: schema_of(name, rows) for name, rows in self.objects.items()}

    # What rows are made of

    def id(self, name, number):
        return object_id(self.seed, name, number)

    def some_user(self, random):
        return self.id("_User", random.randrange(self.counts["_User"]))

    def pointer(self, name, random):
        """A pointer to an object of the class; one in twenty leads nowhere."""
        count = max(self.counts[name], 1)
        number = random.randrange(count) if random.random() < 0.95 else count + random.randrange(9)
        return pointer(name, self.id(name, number))

    def file_value(self, random, form):
        """A file as the value of a field: by id, with its whole record, or as a pointer."""
        number = random.randrange(self.counts["_File"])
        id = self.id("_File", number)
        if form == 1:
            record = {name: value for name, value in self.files.records[number].items() if name != "ACL"}
            return {"__type": "File"} | record | {"url": url(record, self.file_domain)}
        return {"__type": "File", "id": id} if form == 0 else pointer("_File", id)

    def acl(self, random):
        """Most objects are public; the others are for a role, a user, or the master key only."""
        both, read = {"read": True, "write": True}, {"read": True}
        owner = self.some_user(random)
        return random.choice([
            {"*": both}, {"*": both}, {"*": both}, {"*": read, owner: both}, {owner: both}, {},
            {"*": read, "role:Administrators": both},
            {"role:版主": both, "role:unknown": read, owner: {"read": True, "write": False}},
        ])

    def rows_of(self, name, make):
        result = []
        for number in range(self.counts[name]):
            random = chance(self.seed, name, number, "system")
            row = system_fields(self.seed, name, number, random) | make(self, number)
            # Dumps of databases show no ACL where there is none.
            if name != "Legacy" or number % 3:
                row["ACL"] = self.acl(random)
            result.append(row)
        return result

    def relations(self):
        users, roles = accounts.role_members(self)
        return [
            Join("_Role", "users", "_User", users), Join("_Role", "roles", "_Role", roles),
            Join("Post", "likes", "_User", list(rows.pairs_of_posts(self))),
            Join("Album", "related", "Album", list(rows.pairs_of_albums(self))),
            Join("Album", "photos", "_File", list(rows.photos_of_albums(self))),
        ]

    # What tests compare with

    @property
    def keys_of_files(self):
        return list(self.files.numbers)

    def content(self, key):
        return self.files.content(key)

    def move_files(self, domain):
        """URLs of internal files begin with this domain from now on, also in objects that hold whole records."""
        old, self.file_domain = self.file_domain, domain
        for rows in self.objects.values():
            for row in rows:
                for value in row.values():
                    for file in value if isinstance(value, list) else [value]:
                        if isinstance(file, dict) and str(file.get("url", "")).startswith(f"{old}/"):
                            file["url"] = domain + file["url"].removeprefix(old)

    def url(self, record):
        """Where the bytes of a record of `_File` are."""
        return url(record, self.file_domain)

    def members(self, name, field, id):
        """The ids in a relation of an object."""
        (join,) = [join for join in self.joins if (join.name, join.field) == (name, field)]
        return {related for owning, related in join.pairs if owning == id}


def shares(kinds, objects):
    """How many objects each class has; the class without a share has what is left."""
    counts = Counter()
    for name, (_, share) in kinds.items():
        if share is not None:
            counts[name] = share if isinstance(share, int) else max(1, int(share * objects))
    (rest,) = [name for name, (_, share) in kinds.items() if share is None]
    counts[rest] = max(0, objects - counts.total())
    return dict(counts)
