"""Rows of the classes that the app made, one function for each class: the fields of the object with a number."""

from data import blob, date, geopoint, pointer, relation

from .identifiers import STEP, START, chance, iso

TEXTS = [
    "", "plain", "世界，你好", "🍵 \U0001f468\u200d\U0001f469\u200d\U0001f467", "line\nbreak\ttab", "quote\" back\\slash /",
    "e\u0301 é \u2028",
]
# Numbers at the limits of IEEE 754 doubles and of 64-bit integers.
NUMBERS = [
    0, -1, 1.5, 2**31, -(2**31) - 1, 2**53, 2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63), 0.1, -0.0, 1e21, 5e-324,
    1.7976931348623157e308, -1.7976931348623157e308,
]
# Characters of a text that has a megabyte in UTF-8.
BIG = 700_000


def some_date(random):
    return date(iso(START + random.randrange(100_000) * STEP))


def post(app, number):
    random = chance(app.seed, "Post", number)
    fields = {
        "title": f"{TEXTS[number % len(TEXTS)]} {number}", "body": TEXTS[(number + 3) % len(TEXTS)],
        "author": pointer("_User", app.some_user(random)), "tags": ["tea", "茶", "", None][:number % 5],
        "publishedAt": some_date(random), "draft": number % 3 == 0, "score": number * 1.25, "likes": relation("_User"),
        "editor": None if number % 2 else pointer("_User", app.some_user(random)),
    }
    if app.has_files:
        fields["cover"] = app.file_value(random, form=number % 3)
        fields["pictures"] = [app.file_value(random, form=part % 3) for part in range(number % 4)]
    return fields


def comment(app, number):
    random = chance(app.seed, "Comment", number)
    return {
        "text": f"{TEXTS[number % len(TEXTS)]} {number}", "post": app.pointer("Post", random),
        "author": pointer("_User", app.some_user(random)), "stars": number % 6,
        "mentions": [pointer("_User", app.some_user(random)) for _ in range(number % 3)],
    }


def place(app, number):
    random = chance(app.seed, "Place", number)
    points = [(90, 180), (-90, -180), (0, 0), (40, -30), (39.9042, 116.4074)]
    anywhere = random.uniform(-90, 90), random.uniform(-180, 180)
    latitude, longitude = points[number] if number < len(points) else anywhere
    return {
        "name": f"place {number}", "location": geopoint(latitude, longitude),
        "thumbnail": blob("aGk=" if number % 2 else ""),
        "address": {"city": "上海", "lines": ["1", ["2", {"deep": [None, {}]}]], "zip": None, "floor": {"n": -1.5}},
        "hours": [[9, 18], [], {"day": "sunday", "closed": True}],
    }


def measurement(app, number):
    value = NUMBERS[number % len(NUMBERS)]
    return {"value": value, "series": NUMBERS[: number % 17], "sensor": f"s{number % 7}", "ok": None}


def order(app, number):
    """Fields in any script."""
    random = chance(app.seed, "Order", number)
    return {
        "订单号": f"NO-{number:08}", "城市": ["北京", "上海", ""][number % 3], "naïve": number % 2 == 0, "金额": number / 100,
        "買い手": pointer("_User", app.some_user(random)), "明细": {"数量": number, "名称": [{"甲": 1}]},
    }


def album(app, number):
    """A pointer in a circle, and objects that do not exist."""
    random = chance(app.seed, "Album", number)
    return {
        "name": f"album {number}", "parent": app.pointer("Album", random), "gone": pointer("Post", f"{number:024x}"),
        "photos": relation("_File"), "related": relation("Album"),
    }


def document(app, number):
    """The first object has a megabyte; the others are small."""
    random = chance(app.seed, "Document", number)
    letters = "abcdefgh 茶世界"
    return {"title": f"document {number}", "text": "".join(random.choices(letters, k=BIG if number == 0 else 50))}


def note(app, number):
    random = chance(app.seed, "Note", number)
    return {"text": TEXTS[number % len(TEXTS)], "remindAt": some_date(random), "done": number % 2 == 0}


def legacy(app, number):
    random = chance(app.seed, "Legacy", number)
    items = [{"at": some_date(random)}, number]
    return {"name": f"legacy {number}", "n": number, "usedAt": some_date(random), "items": items}


def country(app, number):
    name = ["中国", "France", "日本", "Côte d'Ivoire"][number % 4]
    return {"name": name, "code": f"C{number}", "population": 10**6 * number}


def setting(app, number):
    return {"key": f"setting.{number}", "value": {"on": number % 2 == 0, "limit": number}}


def event(app, number):
    random = chance(app.seed, "Event", number)
    user = pointer("_User", app.some_user(random))
    return {"kind": ["open", "tap", "close"][number % 3], "at": some_date(random), "user": user}


def record(app, number):
    """A class with fields of all types, as the last classes of the app have."""
    random = chance(app.seed, "Record", number)
    return {
        "string": TEXTS[number % len(TEXTS)], "number": random.randrange(-1000, 1000), "boolean": number % 2 == 0,
        "date": some_date(random), "object": {"a": {"b": number}}, "array": [number, "x", None, {"k": []}],
        "point": geopoint(random.uniform(-90, 90), 0), "bytes": blob(), "pointer": app.pointer("Post", random),
    }


def pairs_of_posts(app):
    """Who likes which post: none for every third, otherwise up to five users."""
    for number in range(app.counts["Post"]):
        random = chance(app.seed, "likes", number)
        count = min(random.randrange(1, 6), app.counts["_User"]) if number % 3 else 0
        for member in random.sample(range(app.counts["_User"]), count):
            yield app.id("Post", number), app.id("_User", member)


def pairs_of_albums(app):
    """Each album is related to the next; the last pair leads to an object that does not exist."""
    count = app.counts["Album"]
    for number in range(count - 1):
        yield app.id("Album", number), app.id("Album", number + 1)
    if count:
        yield app.id("Album", count - 1), "f" * 24


def photos_of_albums(app):
    for number in range(app.counts["Album"] if app.has_files else 0):
        random = chance(app.seed, "photos", number)
        for member in random.sample(range(app.counts["_File"]), min(3, app.counts["_File"])):
            yield app.id("Album", number), app.id("_File", member)
