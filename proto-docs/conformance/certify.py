"""A service that certifies a client: each answer holds what the next question needs."""
import os
import pathlib
import random
import shutil
import socket
import subprocess
import tempfile
import threading

from wire import Failure, Wire, encode, show

PATIENCE = 30
GREASE = {"x-grease": {"nested": [1, None, "ignore me"]}}

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
    ("länge", "url", ["https://example.org/a?b=c#d", None, None, None]),
]


class Chain:
    """The questions in their order; every name and number is new in each run."""

    def __init__(self, wire):
        self.wire = wire
        self.last = 0
        token = random.randrange(16 ** 8)
        self.entity = f"Größe名前{token:08x}"
        self.start = random.randrange(1, 1 << 40)
        self.group = random.randrange(1 << 40)
        names = [name for name, _, _ in VALUES]
        self.columns = ["group"] + names
        self.rows = [[self.group] + [values[i] for _, _, values in VALUES] for i in range(4)]

    def run(self):
        self.hello()
        self.schema()
        self.get()
        self.fetch()
        self.insert()

    def receive(self):
        while True:
            frame = self.wire.receive(PATIENCE)
            if frame is None:
                raise Failure("the client sends nothing more")
            if "ping" in frame:
                self.wire.send({"pong": frame["ping"], **GREASE})
            elif "pong" not in frame:
                return frame

    def expect(self, name, arguments):
        frame = self.receive()
        number = frame.get("id")
        if frame.get("call") != name:
            raise Failure(f"expected a call of {name}, got {show(frame)}")
        if isinstance(number, bool) or not isinstance(number, int) or number <= self.last:
            raise Failure(f"the id must grow: {show(frame)}")
        self.last = number
        given = frame.get("args", {})
        for key, value in arguments.items():
            if key not in given or encode(given[key]) != encode(value):
                raise Failure(f"args/{key} of {name}: expected {show(value)}, got {show(given.get(key))}")
        return frame

    def hello(self):
        frame = self.receive()
        versions = (frame.get("hello") or {}).get("protocol")
        if not isinstance(versions, list) or len(versions) != 2 or not versions[0] <= 1 <= versions[1]:
            raise Failure(f"expected hello with protocol [1,1], got {show(frame)}")
        self.wire.send({"welcome": {
            "protocol": 1, "connection": 1, "features": ["credit", "int64", "x-grease"],
            "server": {"name": "certifier", "version": "1", "instance": "i", "pid": 1, **GREASE},
            "limits": {"frameBytes": 1 << 24, "x-grease": 1},
            "store": {"uuid": "0b8e4a52-9d5b-4b0e-8a94-5b8f3f0a7c21", "schema": "0" * 16, **GREASE},
            **GREASE}, **GREASE})

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
        where = {"==": [{"attribute": "group"}, self.group]}
        frame = self.expect("fetch", {"entity": self.entity, "where": where})
        number, credit = frame["id"], frame.get("credit")
        columns = ["$id", "$version"] + self.columns
        for index, row in enumerate(self.rows):
            while credit == 0:
                more = self.receive()
                if more.get("id") != number or not isinstance(more.get("more"), int):
                    raise Failure(f"expected more credit for call {number}, got {show(more)}")
                credit += more["more"]
            if credit is not None:
                credit -= 1
            first = {"columns": columns} if index == 0 else {}
            self.wire.send({"id": number, **first, "next": [[100 + index, 1] + row], **GREASE})
        # Credit may cross the last frame; the next call is looked for behind it.
        self.ok(frame, {"rows": len(self.rows)})
        self.stream = number

    def insert(self):
        while True:
            peeked = self.receive()
            if peeked.get("id") == self.stream and "more" in peeked:
                continue
            break
        self.receive, receive = (lambda: peeked), self.receive
        frame = self.expect("insert", {"entity": self.entity, "columns": self.columns,
                                       "rows": self.rows})
        self.receive = receive
        ids = list(range(200, 200 + len(self.rows)))
        self.ok(frame, {"inserted": len(ids), "updated": 0, "skipped": 0, "ids": ids})

    def ok(self, frame, result):
        self.wire.send({"id": frame["id"], "ok": {**result, **GREASE}, **GREASE})


def framing_of(sock):
    first = sock.recv(1, socket.MSG_PEEK)
    if first == b"{":
        return "lines"
    if first == b"\0":
        return "length"
    raise Failure(f"the client begins with {first!r}")


def accept(listener, ended):
    listener.settimeout(0.1)
    while not ended.is_set():
        try:
            return listener.accept()[0]
        except TimeoutError:
            pass
    raise Failure("the client ended without connecting")


def serve(listener, ended, outcome):
    try:
        with accept(listener, ended) as sock:
            sock.settimeout(PATIENCE)
            wire = Wire(sock, framing_of(sock), "random", 7)
            Chain(wire).run()
            while wire.receive(PATIENCE) is not None:
                pass
    except (Failure, OSError) as error:
        outcome.append(error)


def run(command):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="depot-", dir="/tmp"))
    outcome = []
    try:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(folder / "s"))
            listener.listen()
            ended = threading.Event()
            thread = threading.Thread(target=serve, args=(listener, ended, outcome))
            thread.start()
            environment = dict(os.environ, DEPOT_SOCKET=str(folder / "s"))
            try:
                code = subprocess.run(command, env=environment, timeout=PATIENCE).returncode
            except subprocess.TimeoutExpired:
                raise Failure("the client does not end") from None
            finally:
                ended.set()
                thread.join()
        if outcome:
            raise outcome[0]
        if code != 0:
            raise Failure(f"the client ended with status {code}")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
