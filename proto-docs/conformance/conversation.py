"""One side of a certification: frames to and from the client, over one connection after the other."""
import json

from wire import Failure, show

PATIENCE = 30
GREASE = {"x-grease": {"nested": [1, None, "ignore me"]}}


def ordered(value):
    """Returns the JSON of a value with its members in one order, which means nothing."""
    return json.dumps(value, sort_keys=True)


class Conversation:
    """The service's side; `connect` returns the wire of the client's next connection."""

    def __init__(self, connect):
        self.connect = connect
        self.wire = None

    # Connections

    def open(self, answer=True):
        """Takes the next connection in, and reads its hello."""
        self.wire = self.connect()
        self.last = 0
        self.ended = set()
        frame = self.receive()
        versions = (frame.get("hello") or {}).get("protocol")
        if not isinstance(versions, list) or len(versions) != 2 or not versions[0] <= 1 <= versions[1]:
            raise Failure(f"expected hello with protocol [1,1], got {show(frame)}")
        if answer:
            self.wire.send({"welcome": {
                "protocol": 1, "connection": 1, "features": ["credit", "int64", "x-grease"],
                "server": {"name": "certifier", "version": "1", "instance": "i", "pid": 1, **GREASE},
                "limits": {"frameBytes": 1 << 24, "x-grease": 1},
                "store": {"uuid": "0b8e4a52-9d5b-4b0e-8a94-5b8f3f0a7c21", "schema": "0" * 16, **GREASE},
                **GREASE}, **GREASE})

    def drop(self):
        """Closes the connection without a word."""
        self.wire.close()

    # Frames

    def receive(self):
        """Returns the client's next frame, but for pings and for what is about calls that have ended."""
        while True:
            frame = self.wire.receive(PATIENCE)
            if frame is None:
                raise Failure("the client sends nothing more")
            if "ping" in frame:
                self.wire.send({"pong": frame["ping"], **GREASE})
            elif "pong" in frame:
                continue
            elif frame.get("id") in self.ended and ("more" in frame or "cancel" in frame):
                continue
            else:
                return frame

    def expect(self, name, arguments):
        """Returns the client's next frame, which is to be a call with at least these arguments."""
        return self.check(self.receive(), name, arguments)

    def check(self, frame, name, arguments):
        number = frame.get("id")
        if frame.get("call") != name:
            raise Failure(f"expected a call of {name}, got {show(frame)}")
        if isinstance(number, bool) or not isinstance(number, int) or number <= self.last:
            raise Failure(f"the id must grow: {show(frame)}")
        self.last = number
        given = frame.get("args", {})
        for key, value in arguments.items():
            if key not in given or ordered(given[key]) != ordered(value):
                raise Failure(f"args/{key} of {name}: expected {show(value)}, got {show(given.get(key))}")
        return frame

    def check_output(self, text):
        """Raises Failure if the client hasn't printed what it is to print."""

    def ok(self, frame, result):
        self.ended.add(frame["id"])
        self.wire.send({"id": frame["id"], "ok": {**result, **GREASE}, **GREASE})

    def fail(self, frame, code, retry="no", effect="none"):
        self.ended.add(frame["id"])
        error = {"code": code, "message": "So it is certified.", "retry": retry, "effect": effect}
        self.wire.send({"id": frame["id"], "err": {**error, **GREASE}, **GREASE})


class Stream:
    """The frames of a call, as far as the client's credit goes."""

    def __init__(self, conversation, call, needs_credit=False):
        self.conversation, self.call = conversation, call
        self.credit = self.first = call.get("credit")
        self.sent = self.given = 0
        if needs_credit and not (isinstance(self.credit, int) and 1 <= self.credit <= 16):
            raise Failure(f"expected a credit of 1 to 16: {show(call)}")

    def more(self, frame):
        """Takes credit in; returns whether the frame is more credit."""
        if frame.get("id") != self.call["id"] or "more" not in frame:
            return False
        count = frame["more"]
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            raise Failure(f"more is a number: {show(frame)}")
        self.given += count
        # Credit is for frames that were used up, so there can't be more of it than of them.
        if self.first is not None and self.given > self.sent:
            raise Failure(f"credit for {self.given} frames was given back, but only {self.sent} were sent")
        if self.credit is not None:
            self.credit += count
        return True

    def next(self, rows, **members):
        """Sends a frame, when there is credit for it."""
        while self.credit == 0:
            frame = self.conversation.receive()
            if not self.more(frame):
                raise Failure(f"expected more credit for call {self.call['id']}, got {show(frame)}")
        if self.credit is not None:
            self.credit -= 1
        self.sent += 1
        self.conversation.wire.send({"id": self.call["id"], **members, "next": rows, **GREASE})

    def receive(self):
        """Returns the next frame that isn't credit."""
        while self.more(frame := self.conversation.receive()):
            pass
        return frame

    def end(self, result):
        # Credit may cross the end.
        self.conversation.ok(self.call, result)
