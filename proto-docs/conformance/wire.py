"""Frames on a Unix socket in both framings, and the matching of frames against expectations."""
import json
import random
import select
import socket
import struct
import time

TIMEOUT = 10.0


class Failure(Exception):
    """The other side did not do what the protocol says."""


def unique(pairs):
    result = dict(pairs)
    if len(result) != len(pairs):
        raise Failure("a frame holds a name twice")
    return result


def refuse_constant(name):
    raise Failure(f"a frame holds {name}, which is no JSON")


def parse(data):
    try:
        frame = json.loads(data.decode("utf-8"), object_pairs_hook=unique,
                           parse_constant=refuse_constant)
    except ValueError as error:
        raise Failure(f"a frame is not JSON: {error}: {data[:80]!r}") from None
    if not isinstance(frame, dict):
        raise Failure(f"a frame is not an object: {data[:80]!r}")
    return frame


def encode(frame):
    return json.dumps(frame, ensure_ascii=False, separators=(",", ":")).encode("utf-8")


def show(frame):
    text = json.dumps(frame, ensure_ascii=False)
    return text if len(text) <= 300 else text[:300] + "…"


class Wire:
    """One connection that sends and receives whole frames.

    framing is "length" or "lines"; split is "whole", "bytes" (one byte at a time) or "random".
    """

    def __init__(self, sock, framing="length", split="whole", seed=0):
        self.sock, self.framing, self.split = sock, framing, split
        self.random = random.Random(seed)
        self.parse = parse
        self.buffer = bytearray()
        self.closed = self.has_ended = False
        sock.settimeout(TIMEOUT)

    @classmethod
    def connect(cls, path, *args, **more):
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        sock.settimeout(TIMEOUT)
        sock.connect(path)
        return cls(sock, *args, **more)

    def wrap(self, data):
        if self.framing == "lines":
            return data + b"\n"
        return struct.pack(">I", len(data)) + data

    def send(self, frame):
        self.send_bytes(self.wrap(encode(frame)))

    def send_bytes(self, data):
        try:
            # Larger frames would take minutes byte by byte.
            if self.split == "whole" or len(data) > 1 << 16:
                self.sock.sendall(data)
                return
            position = 0
            while position < len(data):
                count = 1 if self.split == "bytes" else self.random.randint(1, 40)
                self.sock.sendall(data[position:position + count])
                position += count
        except (BrokenPipeError, ConnectionResetError):
            pass  # What was said before the close is still to be read.

    def end_sending(self):
        self.has_ended = True
        self.sock.shutdown(socket.SHUT_WR)

    def take(self):
        """Removes and returns a complete frame of the buffer, or None."""
        if self.framing == "lines":
            end = self.buffer.find(b"\n")
            if end < 0:
                return None
            data = bytes(self.buffer[:end])
            del self.buffer[:end + 1]
            return self.parse(data)
        if len(self.buffer) < 4:
            return None
        count = struct.unpack(">I", self.buffer[:4])[0]
        if len(self.buffer) < 4 + count:
            return None
        data = bytes(self.buffer[4:4 + count])
        del self.buffer[:4 + count]
        return self.parse(data)

    def receive(self, timeout=TIMEOUT):
        """Returns the next frame; None if there is none in time or the other side closed."""
        limit = time.monotonic() + timeout
        while True:
            frame = self.take()
            if frame is not None:
                return frame
            left = limit - time.monotonic()
            if self.closed or left <= 0 or not select.select([self.sock], [], [], left)[0]:
                return None
            try:
                data = self.sock.recv(1 << 16)
            except ConnectionResetError:
                data = b""
            if not data:
                self.closed = True
                if self.buffer:
                    frame = self.take()
                    if frame is not None:
                        return frame
                    raise Failure(f"closed in the middle of a frame: {bytes(self.buffer[:80])!r}")
            self.buffer += data

    def close(self):
        self.sock.close()


# Expectations

KINDS = {
    "string": lambda v: isinstance(v, str),
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "bool": lambda v: isinstance(v, bool),
    "any": lambda v: True,
}
MATCHERS = {"$any", "$bind", "$ref"}


def same(left, right):
    """Like ==, but 1 is not True; 1 and 1.0 are the same number."""
    if isinstance(left, bool) != isinstance(right, bool):
        return False
    return left == right


def match(expected, actual, names, path=""):
    """Raises Failure unless actual fits; may bind names. Other members may be present."""
    if isinstance(expected, dict) and MATCHERS & expected.keys():
        extra = expected.keys() - MATCHERS
        if extra:
            raise Failure(f"transcript: {sorted(extra)} beside a matcher at {path or '/'}")
        kind = expected.get("$any", "any")
        if not KINDS[kind](actual):
            raise Failure(f"{path or '/'}: expected any {kind}, got {show(actual)}")
        if "$ref" in expected:
            wanted = names[expected["$ref"]]
            # Both are values of replies, so this is exact.
            if encode(wanted) != encode(actual):
                raise Failure(f"{path or '/'}: expected {show(wanted)} again, got {show(actual)}")
        if "$bind" in expected:
            names[expected["$bind"]] = actual
    elif isinstance(expected, dict):
        if not isinstance(actual, dict):
            raise Failure(f"{path or '/'}: expected an object, got {show(actual)}")
        for name, value in expected.items():
            if name not in actual:
                raise Failure(f"{path}/{name} is missing in {show(actual)}")
            match(value, actual[name], names, f"{path}/{name}")
    elif isinstance(expected, list):
        if not isinstance(actual, list) or len(actual) != len(expected):
            raise Failure(f"{path or '/'}: expected {show(expected)}, got {show(actual)}")
        for index, value in enumerate(expected):
            match(value, actual[index], names, f"{path}/{index}")
    elif not same(expected, actual):
        raise Failure(f"{path or '/'}: expected {show(expected)}, got {show(actual)}")


def fill(value, names):
    """Returns what is to be sent, with $ref, $repeat and $text replaced."""
    if isinstance(value, dict):
        if value.keys() == {"$ref"}:
            return names[value["$ref"]]
        if value.keys() == {"$text"}:
            return value["$text"]["repeat"] * value["$text"]["count"]
        return {name: fill(v, names) for name, v in value.items()}
    if isinstance(value, list):
        result = []
        for element in value:
            if isinstance(element, dict) and element.keys() == {"$repeat"}:
                repeated = element["$repeat"]
                result += [fill(repeated["value"], names)] * repeated["count"]
            else:
                result.append(fill(element, names))
        return result
    return value
