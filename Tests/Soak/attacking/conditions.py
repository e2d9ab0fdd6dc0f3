"""Random conditions from all operators, near the limits and slightly beyond."""

# The limits of docs/queries.md at their defaults.
DEPTH, CONDITIONS, LIST_LENGTH, SUBQUERIES, PATTERN_LENGTH = 20, 1000, 10_000, 10, 1000
CLASSES = ["Rows", "Big", "Missing", "_File", "_User", "_Role"]
FIELDS = [
    "n", "s", "t", "b", "tags", "o", "p", "g", "a", "d", "text", "items", "rel", "objectId", "createdAt", "updatedAt",
    "missing", "o.a.b", "o.list", "items.k", "items.0.k", "items.list", "a.0", "a.19999", "p.n", "ACL",
]
# Which of the Big objects of server.py a costly field stands in.
HEAVY = {"a": [0, 6], "d": [1], "s": [2, 6], "text": [2], "items.k": [3], "items.list": [3], "items": [5]}
# Each takes long on some text of a Big object.
EVIL_PATTERNS = [
    "(a+)+$", r"\p{L}+$", "(a|a)*b", "(.*)*!b", "^(([a-z])+.)+[A-Z]", r"(a*)*\1b", r"^\Qaaa\E", "(?:a?){200}a{200}",
    "(a(?1)?)*b", ".*.*.*z", r"[\s\S]*?[\s\S]*?z", r"(?=(a+))\1z",
]
ORDERS = ["n", "-n", "s", "-createdAt", "o.a.b", "a", "missing", "-g", "items.k"]
ATOMS = [
    "a", "b", ".", r"\w", r"\p{L}", r"\p{Lu}", r"[a-z]", r"[^!]", r"\s*", r"\b", r"\d", "a|aa", "é", r"(?=a)",
    r"(?!b)", r"\X", r"(?<=a)", "a+?", "aa",
]
QUANTIFIERS = ["", "", "+", "*", "?", "+?", "*+", "{2,}", "{1,200}", "{0,300}", "{50}"]
ENDS = ["$", "!", r"\z", "b", r"()\1", "", "$(?<!!)"]
BAD_PATTERNS = ["(", "[", r"\p{Nothing}", "a{0,60000}{0,60000}", r"\9", "a**"]


class Conditions:
    """Draws conditions.

    `values` is how many values of lists are still allowed in the present one. `beyond` is whether it exceeds limits;
    most do not, so that they are accepted.
    """

    def __init__(self, random, ids):
        self.random, self.ids = random, ids
        self.pick = random.choice
        self.values = self.subqueries = 0
        self.beyond = False
        # The field of a costly condition, where the present one is one.
        self.heavy = None

    def where(self):
        self.beyond = self.random.random() < 0.1
        self.values, self.subqueries = 60_000, self.limited([0, 0, 1, 3], SUBQUERIES + 1)
        self.heavy = None
        shape = self.random.random()
        if shape < 0.1:
            return self.deep()
        if shape < 0.2:
            return self.wide(self.field())
        if shape < 0.4:
            return self.costly()
        return self.condition(self.random.randint(1, 5))

    def limited(self, choices, beyond):
        """One of these; the last one only where limits are exceeded."""
        return self.pick([*choices, beyond] if self.beyond else choices)

    def deep(self):
        """One branch down to the limit."""
        condition = self.condition(0)
        for _ in range(self.limited([10, DEPTH - 1, DEPTH], DEPTH + 1)):
            condition = {self.pick(["$and", "$or"]): [condition]}
        return condition

    def costly(self):
        """Conditions of one kind on a field whose value is large."""
        self.heavy = field = self.pick(sorted(HEAVY))
        if field in ("s", "text"):
            tests = [{"$regex": self.pick(EVIL_PATTERNS), "$options": self.pick(["", "i", "ims", "s"])}]
            tests *= self.pick([1, 1, 5, 50])
        elif self.random.random() < 0.5:
            return self.wide(field)
        else:
            name = self.pick(["$all", "$all", "$in", "$nin"])
            tests = [{name: self.list()} for _ in range(self.random.randint(1, 6))]
        return {self.pick(["$and", "$or"]): [{field: test} for test in tests]}

    def wide(self, field):
        """As many conditions as are allowed, all of a kind."""
        name = self.pick(["$in", "$nin", "$all", "$ne", "$gt", "$regex", "$size"])
        count = self.limited([50, 400, CONDITIONS - 1], CONDITIONS + 1)
        short = {
            "$in": lambda n: [n], "$nin": lambda n: [n, n + 1], "$all": lambda n: list(range(n, n + 20)),
            "$regex": lambda n: f"a{{{n % 90}}}b", "$size": lambda n: n,
        }.get(name, lambda n: n)
        return {self.pick(["$and", "$or"]): [{field: {name: short(number)}} for number in range(count)]}

    def condition(self, depth):
        condition = {}
        for _ in range(self.pick([1, 1, 1, 2, 4])):
            if depth and self.random.random() < 0.4:
                parts = [self.condition(depth - 1) for _ in range(self.random.randint(1, 4))]
                condition[self.pick(["$and", "$or"])] = parts
            elif self.random.random() < 0.05:
                condition["$relatedTo"] = {"object": self.pointer(), "key": "rel"}
            else:
                condition[self.field()] = self.value() if self.random.random() < 0.15 else self.tests(depth)
        return condition

    def tests(self, depth):
        tests = {}
        for _ in range(self.pick([1, 1, 1, 2, 3])):
            tests |= self.pick(self.operators)(self, depth)
        return tests

    def comparison(self, _):
        return {self.pick(["$ne", "$lt", "$lte", "$gt", "$gte"]): self.value()}

    def membership(self, _):
        return {self.pick(["$in", "$nin", "$all"]): self.list()}

    def shape(self, _):
        name = self.pick(["$exists", "$size"])
        return {name: self.pick([True, False] if name == "$exists" else [0, 3, 20_000, 60_000])}

    def match(self, _):
        options = "".join(letter for letter in "imsx" if self.random.random() < 0.4)
        return {"$regex": self.pattern(), "$options": options}

    def place(self, _):
        if self.random.random() < 0.5:
            distance = {"$maxDistanceInKilometers": self.pick([0, 10, 30_000])}
            # One is allowed, outside of $or.
            if not self.beyond:
                return self.comparison(_)
            return {"$nearSphere": self.point()} | (distance if self.random.random() < 0.7 else {})
        return {"$within": {"$box": [self.point(), self.point()]}}

    def subquery(self, depth):
        if self.subqueries <= 0:
            return self.comparison(depth)
        self.subqueries -= 1
        query = {
            "className": self.pick(CLASSES), "where": self.condition(max(depth - 1, 0)),
            "limit": self.pick([1, 100, 1000, 1001]), "order": self.order(),
        }
        if self.random.random() < 0.5:
            return {self.pick(["$inQuery", "$notInQuery"]): query}
        return {self.pick(["$select", "$dontSelect"]): {"query": query, "key": self.field()}}

    operators = [comparison, membership, membership, shape, match, match, place, subquery]

    def field(self):
        if self.random.random() < 0.03:
            return ".".join(["o"] * self.limited([19, 20], 21))
        return self.pick(FIELDS)

    def order(self):
        return ",".join(self.random.choices(ORDERS, k=self.limited([0, 1, 1, 2, 10], 11)))

    def list(self):
        length = self.limited([1, 3, 10, 300, 2000, LIST_LENGTH - 1, LIST_LENGTH], LIST_LENGTH + 1)
        length = min(length, max(self.values, 1))
        self.values -= length
        first = self.pick([0, 5, 15_000, -LIST_LENGTH])
        kind = self.random.randrange(5)
        if kind == 0:
            return [f"value {number}" for number in range(length)]
        if kind == 1:
            return [first] * length
        if kind == 2:
            return [{"k": number} if number % 2 else [number] for number in range(length)]
        return list(range(first, first + length))

    def pattern(self):
        if self.beyond and self.random.random() < 0.2:
            return self.pick(BAD_PATTERNS)
        if self.random.random() < 0.2:
            return self.pick(EVIL_PATTERNS)
        text = "^" if self.random.random() < 0.2 else ""
        for _ in range(self.random.randint(1, 6)):
            part = "".join(self.random.choices(ATOMS, k=self.random.randint(1, 4)))
            opening = self.pick(["(", "(?:", "(?i:"])
            text += f"{opening}{part}){self.pick(QUANTIFIERS)}" if self.random.random() < 0.7 else part
        text += self.pick(ENDS)
        if self.random.random() < 0.1:
            # Whole repetitions only, so that it stays well-formed.
            unit = (text + "|").encode()
            return (text + "|") * (self.limited([PATTERN_LENGTH], PATTERN_LENGTH + len(unit)) // len(unit))
        return text

    def value(self):
        return self.pick([
            0, 5, -1.5, 1e300, 19_999, "", "a", "a" * 5000, True, None, [], [1, 2], {"k": 1}, {"a": {"b": 1}},
            {"__type": "Date", "iso": "2026-01-01T00:00:00.000Z"}, self.point(), self.pointer(), list(range(300)),
        ])

    def point(self):
        latitude, longitude = self.random.uniform(-90, 90), self.random.uniform(-180, 180)
        return {"__type": "GeoPoint", "latitude": latitude, "longitude": longitude}

    def pointer(self):
        name = self.pick(["Rows", "Big"])
        return {"__type": "Pointer", "className": name, "objectId": self.pick(self.ids[name])}
