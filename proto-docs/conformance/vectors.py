"""The frame vectors and JSON vectors, each played on a connection of its own."""
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
