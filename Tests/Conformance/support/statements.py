"""Random statements of CQL, by the grammar of docs/queries.md."""

# Longer statements are refused.
BYTES = 4096
FIELDS = ["n", "s", "tags", "o.city", "名", "from", "limit", "_x", "createdAt", "objectId", "at", "order"]
CLASSES = ["Task", "Task", "Folder", "Where", "甲"]
STRINGS = ["'a'", '"b"', "'it''s'", "''", r"'\d+'", "'中文'", "'%x%'", r"'\u0041'", "'a\nb'"]
OPERATORS = ["=", "!=", "<>", "<", "<=", ">", ">="]
BLANKS = [" ", "  ", "\n", "\t "]
UNITS = ["km", "MILES", "radians"]


class Writer:
    """Writes one statement."""

    def __init__(self, chance):
        self.chance = chance

    def words(self, *parts):
        return "".join(part + self.chance.choice(BLANKS) for part in parts if part)

    def keyword(self, text):
        return self.chance.choice([text, text.upper(), text.capitalize()])

    def some(self, make, most=3):
        return ", ".join(make() for _ in range(self.chance.randint(1, most)))

    def maybe(self, make, share=0.3):
        return make() if self.chance.random() < share else ""

    def number(self):
        return self.chance.choice(["0", "1", "2.5", "-3", "+4", "1e3", "99999999999"])

    def value(self, depth=0):
        kinds = [self.number, lambda: self.chance.choice(STRINGS), lambda: self.keyword("true"),
                 lambda: self.keyword("null"), lambda: "?",
                 lambda: "date('2024-06-01T00:00:00.000Z')", lambda: "pointer('Folder', 'f1')",
                 lambda: "geopoint(2.5, 48)", lambda: "current_timestamp()", lambda: "file('f1')"]
        if depth < 3:
            kinds.append(lambda: f"[{self.some(lambda: self.value(depth + 1))}]")
            kinds.append(lambda: f"{{a: {self.value(depth + 1)}, 'b': {self.value(depth + 1)}}}")
        return self.chance.choice(kinds)()

    def field(self):
        return self.chance.choice(FIELDS)

    def distance(self, name):
        return self.words(self.keyword(name), str(self.chance.randint(1, 9)), self.maybe(lambda: self.chance.choice(UNITS)))

    def term(self, depth):
        field = self.field()
        negated = self.maybe(lambda: self.keyword("not"))
        tests = [
            lambda: (field, self.chance.choice(OPERATORS), self.value()),
            lambda: (field, negated, self.keyword("like"), self.chance.choice(STRINGS)),
            lambda: (field, negated, self.keyword("in"), f"({self.some(self.value)})"),
            lambda: (field, self.keyword("all"), f"({self.some(self.value)})"),
            lambda: (field, self.keyword("is"), negated, self.keyword("exists")),
            lambda: (self.keyword("size"), f"({field})", "=", str(self.chance.randint(0, 5))),
            lambda: (self.keyword("related"), "likes", self.keyword("to"), "pointer('Folder', 'f1')"),
            lambda: ("at", self.keyword("near"), "[2.5, 48]", self.maybe(lambda: self.distance("min")),
                     self.maybe(lambda: self.distance("max"))),
            lambda: ("at", self.keyword("within"), "[-1, 40]", self.keyword("and"), "[9, 50]"),
        ]
        if depth < 3:
            tests.append(lambda: (f"({self.condition(depth + 1)})",))
            tests.append(lambda: (field, negated, self.keyword("in"), f"({self.select(depth + 2, ['*', 'n'])})"))
        return self.words(*self.chance.choice(tests)())

    def condition(self, depth=0):
        text = self.term(depth)
        for _ in range(self.chance.randint(0, 3)):
            text += self.words(self.keyword(self.chance.choice(["and", "or"]))) + self.term(depth)
        return text

    def key(self):
        return self.chance.choice(["", "+", "-"]) + self.field()

    def select(self, depth=0, columns=None):
        columns = [self.chance.choice(columns)] if columns else self.chance.sample(
            ["*", "n", "s", "count(*)", "COUNT(objectId)", "include folder", "o.city"], self.chance.randint(1, 3))
        where = lambda: self.words(self.keyword("where")) + self.condition(depth)
        limit = lambda: self.words(self.keyword("limit"), self.maybe(lambda: "1,"), str(self.chance.randint(0, 9)))
        order = lambda: self.words(
            self.keyword("order"), self.keyword("by"), self.some(self.key), self.maybe(lambda: self.keyword("desc")))
        return self.words(self.keyword("select"), ", ".join(columns), self.keyword("from"), self.chance.choice(CLASSES)) \
            + self.maybe(where, 0.8) + "".join(self.chance.sample([self.maybe(limit), self.maybe(order)], 2))

    def change(self):
        name = self.chance.choice(CLASSES)
        others = self.maybe(lambda: self.words(self.keyword("and")) + self.words("n", "=", self.value()))
        where = self.words(self.keyword("where"), "objectId", "=", self.chance.choice(["'t1'", "'t2'", '"none"'])) + others
        fields = self.chance.sample(["n", "s", "名", "_x"], self.chance.randint(1, 3))
        rows = [f"({', '.join(self.value() for _ in fields)})" for _ in range(self.chance.randint(1, 3))]
        return self.chance.choice([
            self.words(self.keyword("delete"), self.keyword("from"), name) + where,
            self.words(self.keyword("insert"), self.keyword("into"), name, f"({', '.join(fields)})",
                       self.keyword("values"), ", ".join(rows)),
            self.words(self.keyword("update"), name, self.keyword("set"), f"{fields[0]} = {self.value()}") + where,
        ])


def statement(chance):
    """A statement of the grammar with the values of its placeholders."""
    writer = Writer(chance)
    text = writer.select() if chance.random() < 0.7 else writer.change()
    # No string that it writes has a question mark.
    return text, [chance.choice([1, "x", True, [1, "y"]]) for _ in range(text.count("?"))]


def damaged(text, chance):
    """The statement with some characters removed, repeated, exchanged or replaced."""
    characters = list(text)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(characters) or 1)
        if not characters:
            break
        kind = chance.randrange(4)
        if kind == 0:
            del characters[at]
        elif kind == 1:
            characters.insert(at, characters[at])
        elif kind == 2:
            other = chance.randrange(len(characters))
            characters[at], characters[other] = characters[other], characters[at]
        else:
            characters[at] = chr(chance.choice([chance.randrange(1, 128), chance.randrange(0x4E00, 0x9FFF), 0x301]))
    return "".join(characters)


def noise(chance):
    """Bytes as text, some of them after the beginning of a statement."""
    beginning = chance.choice(["", "select ", "select * from Task where ", "insert into Task(n) values("])
    size = chance.choice([1, 10, 100, 1000, BYTES])
    return beginning + bytes(chance.randrange(256) for _ in range(chance.randint(0, size))).decode("utf-8", "replace")
