#!/usr/bin/env python3
"""A client of Depot in one file, with nothing but Python's own library. Take it and change it.

    with Depot(path) as depot:
        depot.insert("Package", ["name", "size"], [["bash", 7164]])
        for row in depot.fetch("Package", where="size > 1000", sort=[{"attribute": "name"}]):
            print(row["$id"], row["name"])

one_file_client.py PATH       tries everything on the service at PATH and prints ok
one_file_client.py --certify  answers conformance/run.py client
"""
import json
import os
import socket
import struct
import sys


class DepotError(Exception):
    """An error of the service; act on code, retry and effect, and show message and hint."""

    def __init__(self, error):
        self.code = error["code"]
        self.message = error["message"]
        self.hint = error.get("hint")
        self.at = error.get("at")
        self.retry = error.get("retry", "no")
        self.effect = error.get("effect", "none")
        self.details = error.get("details", {})
        super().__init__(f"{self.code}: {self.message}" + (f" ({self.hint})" if self.hint else ""))


class Depot:
    """One connection. Calls wait for their answer; any number of fetches may be open."""

    def __init__(self, path, name="one-file", credit=4):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.connect(path)
        self.credit = credit
        self.last = 0
        self.frames = {}  # The frames of each open call that were read on the way to another's.
        client = {"name": name, "version": "1", "language": "python"}
        self._send({"hello": {"protocol": [1, 1], "client": client, "want": ["credit"]}})
        self.welcome = None
        while self.welcome is None:
            self._read()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    # Calls

    def call(self, operation, deadline_ms=None, key=None, **args):
        """Calls an operation and returns its result; an argument that is None is left out."""
        number = self._begin(operation, args, deadlineMs=deadline_ms, key=key)
        while True:
            frame = self._next(number)
            if "ok" in frame:
                return frame["ok"]

    def insert(self, entity, columns, rows, on_conflict=None, rejects=None, key=None):
        """Stores rows, which are lists of values in the order of columns; returns the result."""
        return self.call("insert", key=key, entity=entity, columns=columns, rows=rows,
                         onConflict=on_conflict, rejects=rejects)

    def fetch(self, entity, related=None, **args):
        """Yields rows as dictionaries, asking for more as they are used up; with prefetch, `related`
        is a dictionary that gets the rows by path and identifier."""
        number = self._begin("fetch", dict(args, entity=entity), credit=self.credit)
        columns = None
        try:
            while True:
                frame = self._next(number)
                if "ok" in frame:
                    return
                columns = frame.get("columns", columns)
                for block in frame.get("related", []) if related is not None else []:
                    rows = (dict(zip(block["columns"], row)) for row in block["rows"])
                    related.setdefault(block["path"], {}).update((row["$id"], row) for row in rows)
                for row in frame["next"]:
                    yield dict(zip(columns, row))
                self._send({"id": number, "more": 1})
        finally:
            if number in self.frames:  # The caller wants no more.
                self._send({"id": number, "cancel": True})
                self._drain(number)

    # Frames

    def _begin(self, operation, args, **members):
        self.last += 1
        args = {name: value for name, value in args.items() if value is not None}
        frame = {"id": self.last, "call": operation, "args": args}
        frame.update((name, value) for name, value in members.items() if value is not None)
        self.frames[self.last] = []
        self._send(frame)
        return self.last

    def _next(self, number):
        """Returns the next frame of a call; raises its error; forgets the call at its end."""
        while not self.frames[number]:
            self._read()
        frame = self.frames[number].pop(0)
        if "ok" in frame or "err" in frame:
            del self.frames[number]
        if "err" in frame:
            raise DepotError(frame["err"])
        return frame

    def _drain(self, number):
        try:
            while "ok" not in self._next(number):
                pass
        except DepotError:
            pass

    def _send(self, frame):
        # A lone surrogate has no UTF-8, so it fails here and not at the service.
        data = json.dumps(frame, ensure_ascii=False, allow_nan=False).encode("utf-8")
        self.socket.sendall(struct.pack(">I", len(data)) + data)

    def _read(self):
        """Reads one frame and files it; what it does not know it ignores."""
        frame = json.loads(self._bytes(struct.unpack(">I", self._bytes(4))[0]).decode("utf-8"))
        if "id" in frame:
            self.frames.get(frame["id"], []).append(frame)
        elif "err" in frame:
            raise DepotError(frame["err"])
        elif "welcome" in frame:
            self.welcome = frame["welcome"]
        elif "ping" in frame:
            self._send({"pong": frame["ping"]})

    def _bytes(self, count):
        data = bytearray()
        while len(data) < count:
            part = self.socket.recv(min(count - len(data), 1 << 20))
            if not part:
                raise DepotError({
                    "code": "unavailable.disconnected", "message": "The service closed the connection.",
                    "hint": "A write may have been stored; send it again with the same key.",
                    "retry": "later", "effect": "unknown"})
            data += part
        return bytes(data)


def demo(path):
    entity = "OneFileDemo"
    attributes = [{"name": "name", "type": "string", "unique": True},
                  {"name": "size", "type": "int64", "optional": True}]
    up = {"name": "up", "destination": entity, "optional": True}
    with Depot(path) as depot:
        schema = depot.call("schema.get")["schema"]
        schema["entities"] = [e for e in schema["entities"] if e["name"] != entity]
        schema["entities"].append({"name": entity, "attributes": attributes, "relationships": [up]})
        depot.call("schema.define", schema=schema)
        depot.call("delete", entity=entity, where=True)
        rows = [[f"row {n}", n] for n in range(1000)]
        result = depot.insert(entity, ["name", "size"], rows, key=f"demo-{os.urandom(8).hex()}")
        assert result["inserted"] == 1000, result
        small = {"<": [{"attribute": "size"}, 10]}
        sort = [{"attribute": "size", "descending": True}]
        fetched = list(depot.fetch(entity, where=small, sort=sort, batch=3))
        assert [row["size"] for row in fetched] == list(range(9, -1, -1)), fetched
        for row in depot.fetch(entity, sort=sort, batch=1):
            break  # Leaving the loop cancels the fetch.
        assert row["name"] == "row 999", row
        assert depot.call("count", entity=entity)["count"] == 1000
        assert depot.call("update", entity=entity, ids=[row["$id"]], set={"size": None})["updated"] == 1
        assert depot.call("get", entity=entity, ids=[row["$id"]], select=["size"])["rows"][0][2] is None
        try:
            depot.insert(entity, ["name"], [["row 1"]])
            raise AssertionError("the clash went unnoticed")
        except DepotError as error:
            assert error.code == "conflict.unique", error
        graph = {"entity": entity, "columns": ["$id", "name", "up"], "rows": [["#a", "a", "#b"], ["#b", "b", None]]}
        ids, related = depot.call("save", insert=[graph])["ids"], {}
        low = next(depot.fetch(entity, related, where="up.name == 'b'", prefetch=["up"]))
        assert low["up"] == ids["#b"] and related["up"][low["up"]]["name"] == "b", related
        assert depot.call("delete", entity=entity, where=True)["deleted"] == 1002
    print("ok")


def certify(path):
    with Depot(path, credit=1) as depot:
        entity = depot.call("schema.get")["schema"]["entities"][0]
        attributes = [attribute["name"] for attribute in entity["attributes"]]
        first = depot.call("get", entity=entity["name"], ids=[entity["attributes"][0]["default"]])
        group = dict(zip(first["columns"], first["rows"][0]))[attributes[0]]
        where = {"==": [{"attribute": attributes[0]}, group]}
        rows = [[row[name] for name in attributes] for row in depot.fetch(entity["name"], where=where)]
        depot.insert(entity["name"], attributes, rows)


if __name__ == "__main__":
    if sys.argv[1:] == ["--certify"]:
        certify(os.environ["DEPOT_SOCKET"])
    elif len(sys.argv) == 2:
        demo(sys.argv[1])
    else:
        sys.exit(__doc__)
