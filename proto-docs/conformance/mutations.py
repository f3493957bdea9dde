"""The calls of transcripts with other values in them, none of which may end the service."""
import collections
import copy
import time

from wire import Failure, Wire, fill, show

# What limits, ranges, and conversions are about.
NUMBERS = [-1, 0, 1, 2, 63, 64, 0.5, 1e308, -1e308, 1e-320, 2**53, 2**53 + 1, 2**62, 2**63] + [
    sign * 2**31 + step for sign in (-1, 1) for step in (-1, 0, 1)] + [
    2**63 - 1, 2**63 - 2, -2**63, -2**63 + 1]
TEXTS = ["", "a", "\0", "#", "#1", "-1", "1-1-1", "0" * 40, "é" * 50, "9" * 38, "$id", "$version", ".",
         "..", "a.b.c", "@count", "SELF", "TRUEPREDICATE", str(2**63 - 1), str(-2**63),
         "a == 9223372036854775807 * 2", "a / 0 == 1", "-(-9223372036854775808) == a",
         "1970-01-01T00:00:00Z", "999999-01-01T00:00:00Z", "1e-100", "1e127",
         'CAST("1e-100", "decimal") ** 2 == 0', ".".join(["a"] * 5000)]
OTHERS = [None, True, False, [], {}, [[]], [0], [2**63 - 1], [-2**63, 2**63 - 1], [2**63 - 1, -2**63], ["#1"],
          {"value": 2**63 - 1}, {"value": -2**63}]
VALUES = NUMBERS + TEXTS + OTHERS

GREETING = {"hello": {"protocol": [1, 1], "client": {"name": "mutations"}}}

# How many calls are sent at once, and how long all answers to them are waited for, in seconds.
AT_ONCE = 30
PATIENCE = 0.15


def places(value, place=()):
    """The places in a value, the whole one included."""
    yield place
    if isinstance(value, dict):
        for name, member in value.items():
            yield from places(member, place + (name,))
    elif isinstance(value, list):
        for index, element in enumerate(value):
            yield from places(element, place + (index,))


def replaced(value, place, other):
    """Returns a value with another one at a place; as it is if there is no such place any more."""
    if not place:
        return other
    result = copy.deepcopy(value)
    inner = result
    try:
        for key in place[:-1]:
            inner = inner[key]
        inner[place[-1]] = other
    except (TypeError, KeyError, IndexError):
        return value
    return result


def mutated(value, random):
    """Returns a value with others at one to three of its places."""
    found = list(places(value))
    for _ in range(random.choice([1, 1, 1, 2, 3])):
        value = replaced(value, random.choice(found), random.choice(VALUES))
    return value


def mutated_call(frame, random):
    frame = dict(frame, args=mutated(frame.get("args", {}), random))
    for member in ("deadlineMs", "credit", "key", "pin"):
        if random.random() < 0.05:
            frame[member] = random.choice(VALUES)
    return frame


class Attack:
    """The mutated calls of one transcript against a service, each call before itself."""

    def __init__(self, transcript, service, random, count):
        self.service, self.random, self.count = service, random, count
        self.frames = [frame for _, step in transcript.steps
                       for frame in [step.get("->", {})] + step.get("$pipeline", [])]
        self.wire = None

    def run(self):
        # Tokens and the like are those of no answer.
        names = collections.defaultdict(lambda: "0")
        for frame in self.frames:
            frame = fill(frame, names)
            if "hello" in frame:
                for _ in range(self.count):
                    self.greet({"hello": mutated(frame["hello"], self.random)}).close()
            elif frame.get("call", "shutdown") != "shutdown":
                others = [mutated_call(frame, self.random) for _ in range(self.count)]
                for start in range(0, len(others), AT_ONCE):
                    self.send(others[start:start + AT_ONCE])
                self.send([frame])
        wire = self.greet()
        wire.send({"id": 1, "call": "ping"})
        answer = wire.receive()
        if answer is not None and "welcome" in answer:
            # It took longer than anything here is waited for.
            answer = wire.receive()
        if answer is None or "ok" not in answer:
            raise Failure(f"a ping is not answered: {answer}")

    def greet(self, hello=GREETING):
        wire = Wire.connect(self.service.socket)
        wire.id = 0
        wire.send(hello)
        wire.receive(PATIENCE)
        self.check([hello])
        return wire

    def send(self, frames):
        if self.wire is None or self.wire.closed:
            self.wire = self.greet()
        wire = self.wire
        for frame in frames:
            wire.id += 1
            wire.send(dict(frame, id=wire.id))
        end = time.monotonic() + PATIENCE
        waiting = len(frames)
        # Streams and watches don't end, and some calls wait for others.
        while waiting and (left := end - time.monotonic()) > 0:
            frame = wire.receive(left)
            if frame is None:
                break
            waiting -= "ok" in frame or "err" in frame
        self.check(frames)

    def check(self, frames):
        if self.service.process.poll() is not None:
            raise Failure("the service ended after one of " + "\n".join(map(show, frames)))
