"""Level 1 of the certification of clients: one call at a time; client-checklist.md tells what they do."""
import random

from conversation import GREASE, Conversation, Stream

# As deep as a value can be in a frame of 64 levels; some parsers stop at 32.
DEEP = None
for _ in range(60):
    DEEP = [DEEP]

VALUES = [
    ("text", "string", ["", "naïve \u0000 \U0001D11E \"\\/", "line\nfeed\u2028", "e\u0301"]),
    ("whole", "int64", [0, -9223372036854775808, 9223372036854775807, 9007199254740993]),
    ("real", "double", [0.1, 5e-324, "NaN", "-Infinity"]),
    ("flag", "bool", [True, False, True, None]),
    ("moment", "date", ["2001-01-01T00:00:00.123456789Z", "0001-01-01T00:00:00Z",
                        {"referenceSeconds": 1.25e-10}, None]),
    ("key", "uuid", ["0b8e4a52-9d5b-4b0e-8a94-5b8f3f0a7c21", None, None, None]),
    ("bytes", "data", ["3q2+7w==", "", "AA==", None]),
    ("amount", "decimal", ["12.340", "-99999999999999999999999999999999999999", "0", None]),
    ("nest", "json", [DEEP, {"a": [1, True, None, {"b": "x"}]}, "text", None]),
    ("länge", "url", ["https://example.org/a?b=c#d", None, None, None]),
]


class Chain(Conversation):
    """The questions in their order; every name and number is new in each run."""

    def __init__(self, connect):
        super().__init__(connect)
        token = random.randrange(16 ** 8)
        self.entity = f"Größe名前{token:08x}"
        self.start = random.randrange(1, 1 << 40)
        self.group = random.randrange(1 << 40)
        names = [name for name, _, _ in VALUES]
        self.columns = ["group"] + names
        self.rows = [[self.group] + [values[i] for _, _, values in VALUES] for i in range(4)]

    def run(self):
        self.open()
        self.schema()
        self.get()
        self.fetch()
        self.insert()

    def schema(self):
        frame = self.expect("schema.get", {})
        self.wire.send({"event": "x-grease", **GREASE})
        self.wire.send({"ping": 77, **GREASE})
        attributes = [{"name": "group", "type": "int64", "default": self.start, **GREASE}]
        attributes += [{"name": name, "type": kind, "optional": True} for name, kind, _ in VALUES]
        schema = {"entities": [{"name": self.entity, "attributes": attributes, **GREASE}], **GREASE}
        self.ok(frame, {"schema": schema, "fingerprint": "0" * 16})

    def get(self):
        frame = self.expect("get", {"entity": self.entity, "ids": [self.start]})
        row = [self.start, 1, self.group] + [None] * len(VALUES)
        self.ok(frame, {"columns": ["$id", "$version"] + self.columns, "rows": [row]})

    def fetch(self):
        frame = self.expect("fetch", {"entity": self.entity, "where": self.having(self.group)})
        columns = ["$id", "$version"] + self.columns
        stream = Stream(self, frame)
        for index, row in enumerate(self.rows):
            stream.next([[100 + index, 1] + row], **({"columns": columns} if index == 0 else {}))
        stream.end({"rows": len(self.rows)})

    def before_insert(self):
        """What happens when the client is about to insert the rows."""

    def insert(self):
        self.before_insert()
        frame = self.expect("insert", {"entity": self.entity, "columns": self.columns,
                                       "rows": self.rows})
        self.ids = random.sample(range(200, 1 << 40), len(self.rows))
        self.ok(frame, {"inserted": len(self.ids), "updated": 0, "skipped": 0, "ids": self.ids})

    def having(self, value):
        """The predicate that the first attribute has a value."""
        return {"==": [{"attribute": "group"}, value]}
