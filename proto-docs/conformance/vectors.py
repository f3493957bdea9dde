"""The frame, JSON, and value vectors, each played on a connection of its own."""
import json

from wire import Failure, Wire, match, show

HELLO = {"hello": {"protocol": [1, 1], "client": {"name": "conformance"}}}
REFUSALS = {"protocol.json", "request.duplicate_key", "limit.depth", "limit.values"}


def frames(folder, service):
    """Yields (name, body) for each vector of manifest.json, whose "about" tells what it means."""
    manifest = folder / "manifest.json"
    if not manifest.exists():
        return
    for vector in json.loads(manifest.read_text("utf-8"))["vectors"]:
        data = bytes.fromhex((folder / f"{vector['name']}.hex").read_text("ascii"))
        data += b" " * vector.get("fill", 0)
        for split in ("whole", "bytes"):
            if split == "bytes" and len(data) > 1 << 16:
                continue

            def body(vector=vector, data=data, split=split):
                play(vector, data, service.socket, split)

            yield f"frames/{vector['name']} ({split})", body


def play(vector, data, path, split):
    # What is no frame at all is answered with a line.
    framing = "length" if data[0] <= 4 or data[0] == 0xFF else "lines"
    expect = vector["expect"]
    wire = Wire.connect(path, framing, split)
    try:
        wire.send_bytes(data)
        welcomed = False
        if vector.get("welcome"):
            welcomed = receive(wire, {"welcome": {"$any": "object"}}) is not None
        for _ in range(vector.get("skip", 0)):
            receive(wire, {})
        if "code" in expect:
            reply = receive(wire, {"err": {"code": expect["code"], "message": {"$any": "string"}}})
            if reply.get("id") != expect.get("id"):
                raise Failure(f"expected the id {expect.get('id')}, got {show(reply)}")
        else:
            reply = receive(wire, expect["reply"])
            welcomed = welcomed or "welcome" in reply
        if expect["connection"] == "closed":
            if (reply := wire.receive()) is not None:
                raise Failure(f"expected the end of the connection, got {show(reply)}")
            if not wire.closed:
                raise Failure("expected the end of the connection, but it stays open")
            return
        if not welcomed:
            wire.send(HELLO)
        wire.send({"ping": 4242})
        while (reply := wire.receive()) is None or reply.get("pong") != 4242:
            if reply is None or "err" in reply and "id" not in reply:
                raise Failure(f"the connection does not go on: {show(reply)}")
    finally:
        wire.close()


def receive(wire, expected):
    reply = wire.receive()
    if reply is None:
        raise Failure(f"expected {show(expected)}, but nothing came")
    match(expected, reply, {})
    return reply


def documents(folder, service):
    """Yields (name, body) for each text: y_* is acceptable JSON, n_* is not."""
    manifest = folder / "manifest.json"
    if not manifest.exists():
        return
    for vector in json.loads(manifest.read_text("utf-8"))["vectors"]:
        def body(vector=vector):
            judge(vector, (folder / vector["name"]).read_bytes(), service.socket)

        yield f"json/{vector['name']}", body


def judge(vector, data, path):
    """No text is a frame, so each gets an error; its code tells whether the JSON was accepted."""
    if not data:
        return  # A frame cannot be empty at all.
    wire = Wire.connect(path)
    try:
        wire.send(HELLO)
        receive(wire, {"welcome": {"$any": "object"}})
        wire.send_bytes(wire.wrap(data))
        error = receive(wire, {"err": {"code": {"$any": "string"}}})["err"]
        if vector["name"].startswith("y_"):
            if error["code"] in REFUSALS:
                raise Failure(f"the text is refused: {show(error)}")
        else:
            match({name: vector[name] for name in ("code",) if name in vector}, error, {})
            if error["code"] not in REFUSALS:
                raise Failure(f"the text is accepted: {show(error)}")
            if "offset" in vector:
                match({"offset": vector["offset"]}, error.get("details"), {}, "/details")
    finally:
        wire.close()


class Spelling(str):
    """A number with a fraction or an exponent, as it is spelt."""


def spelled(data):
    """Parses JSON without making doubles of numbers."""
    return json.loads(data, parse_float=Spelling)


def is_same(kind, left, right):
    """Whether two values of a type, parsed by `spelled`, are one value."""
    if kind == "double" and not isinstance(left, bool) and not isinstance(right, bool):
        numbers = [v if isinstance(v, str) and not isinstance(v, Spelling) else float(v).hex()
                   for v in (left, right)]
        return numbers[0] == numbers[1]
    if kind == "date" and isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(is_same("double", left[k], right[k]) for k in left)
    return type(left) is type(right) and left == right


def values(folder, service):
    """Yields (name, body) for each text of each type; README.md tells what the lists mean."""
    for path in sorted(folder.glob("*.json")):
        vector = json.loads(path.read_text("utf-8"))
        pairs = [(text, text) for text in vector["canonical"]]
        pairs += [(pair["text"], pair["canonical"]) for pair in vector["accepted"] + vector["lossy"]]
        pairs += [(text, None) for text in vector["rejected"]]
        for index, (text, expected) in enumerate(pairs):
            def body(kind=vector["type"], text=text, expected=expected):
                store(kind, text, expected, service.socket)

            yield f"values/{vector['type']}/{index} {text}", body


def store(kind, text, expected, path):
    """Inserts a value that is spelt so, and reads it again."""
    wire = Wire.connect(path)
    try:
        container = f"conformance-{kind}"
        wire.send({"hello": {**HELLO["hello"], "container": container}})
        receive(wire, {"welcome": {"$any": "object"}})
        schema = {"entities": [{"name": "V", "attributes": [{"name": "v", "type": kind}]}]}
        call(wire, 1, "container.open",
             {"name": container, "schema": schema, "stores": [{"memory": True}]})
        wire.send_bytes(wire.wrap(b'{"id":2,"call":"insert","args":{"entity":"V","columns":["v"],"rows":[[%s]]}}'
                                  % text.encode("utf-8")))
        reply = wire.receive()
        if expected is None:
            code = (reply or {}).get("err", {}).get("code", "")
            if code.split(".")[0] not in ("request", "constraint"):
                raise Failure(f"{text} is no {kind}, but the answer is {show(reply)}")
            return
        match({"id": 2, "ok": {"inserted": 1}}, reply, {})
        wire.parse = spelled
        rows = call(wire, 3, "get", {"entity": "V", "ids": reply["ok"]["ids"]})["rows"]
        wanted = spelled(expected)
        if not is_same(kind, rows[0][2], wanted):
            raise Failure(f"{text} came back as {show(rows[0][2])}, not as {expected}")
    finally:
        wire.close()


def call(wire, number, operation, arguments):
    wire.send({"id": number, "call": operation, "args": arguments})
    return receive(wire, {"id": number, "ok": {"$any": "object"}})["ok"]
