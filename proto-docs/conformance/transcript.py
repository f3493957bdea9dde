"""The player of transcripts; README.md tells what their lines mean."""
import json

from wire import Failure, Wire, encode, fill, match, show

SCHEMA_VERSION = 1
LEVELS = ("L1", "L2")


class Transcript:
    def __init__(self, path):
        self.path = path
        lines = path.read_text("utf-8").splitlines()
        steps = [(n, json.loads(text)) for n, text in enumerate(lines, 1) if text.strip()]
        if not steps:
            raise Failure("the transcript is empty")
        self.header, self.steps = steps[0][1], steps[1:]
        if self.header.get("schemaVersion") != SCHEMA_VERSION:
            raise Failure(f"the runner knows schemaVersion {SCHEMA_VERSION} only")
        unknown = set(self.header["requires"]) - set(LEVELS)
        if unknown:
            raise Failure(f"the runner does not know the level {sorted(unknown)}")
        self.framings = self.header.get("framings", ["length", "lines"])


class Player:
    """One run of a transcript against a service."""

    def __init__(self, transcript, document, path, framing, split, seed):
        self.transcript, self.document, self.path = transcript, document, path
        self.options = (framing, split, seed)
        self.names = {}
        self.wire = None
        self.open()

    def open(self):
        self.wire = Wire.connect(self.path, *self.options)
        self.waiting = []
        self.calls = {}

    def run(self):
        try:
            for number, step in self.transcript.steps:
                try:
                    self.play(step)
                except Failure as failure:
                    raise Failure(f"line {number}: {failure}") from None
            self.finish()
        finally:
            self.wire.close()

    def play(self, step):
        if "->" in step:
            self.send([step["->"]])
        elif "<-" in step:
            expected = step["<-"]
            match(expected, self.next(expected), self.names)
        elif "$raw" in step:
            self.wire.send_bytes(self.wire.wrap(step["$raw"].encode("utf-8")))
        elif "$bytes" in step:
            self.wire.send_bytes(bytes.fromhex(step["$bytes"]))
        elif "$oversize" in step:
            size = step["$oversize"]
            self.wire.send_bytes(self.wire.wrap(b'{"a":"' + b"x" * (size - 8) + b'"}'))
        elif "$pipeline" in step:
            self.send(step["$pipeline"])
        elif "$quiet" in step:
            self.quiet(step["$quiet"], step.get("ms", 150) / 1000)
        elif step.get("$half"):
            self.wire.end_sending()
        elif step.get("$close"):
            self.expect_close()
        elif step.get("$reconnect"):
            self.finish()
            self.wire.close()
            self.open()
        else:
            raise Failure(f"the runner does not know the step {show(step)}")

    def send(self, frames):
        frames = [fill(frame, self.names) for frame in frames]
        for frame in frames:
            if "call" in frame:
                self.calls[frame.get("id")] = frame["call"]
        self.wire.send_bytes(b"".join(self.wire.wrap(encode(frame)) for frame in frames))

    def receive(self, *timeout):
        frame = self.wire.receive(*timeout)
        if frame is not None:
            self.document.check(frame, self.calls)
        return frame

    def next(self, expected):
        """Returns the next frame of the same call, or the next without id; keeps the others."""
        key = expected.get("id")
        for index, frame in enumerate(self.waiting):
            if frame.get("id") == key:
                return self.waiting.pop(index)
        while True:
            frame = self.receive()
            if frame is None:
                seen = "; waiting: " + show(self.waiting) if self.waiting else ""
                why = "the service closed" if self.wire.closed else "nothing came"
                raise Failure(f"expected {show(expected)}, but {why}{seen}")
            if self.ignore(frame, expected):
                continue
            if frame.get("id") == key:
                return frame
            if "id" not in frame and "err" in frame:
                raise Failure(f"expected {show(expected)}, got {show(frame)}")
            self.waiting.append(frame)

    def ignore(self, frame, expected):
        if "ping" in frame and "ping" not in expected:
            self.wire.send({"pong": frame["ping"]})
            return True
        return "event" in frame and "event" not in expected

    def quiet(self, key, seconds):
        """No frame of the call may come or have come."""
        while (frame := self.receive(seconds)) is not None:
            if not self.ignore(frame, {}):
                self.waiting.append(frame)
        for frame in self.waiting:
            if frame.get("id") == key:
                raise Failure(f"expected nothing for call {key}, got {show(frame)}")

    def expect_close(self):
        while (frame := self.receive()) is not None:
            if not self.ignore(frame, {}):
                raise Failure(f"expected the end of the connection, got {show(frame)}")
        if not self.wire.closed:
            raise Failure("expected the end of the connection, but it stays open")

    def finish(self):
        if self.waiting:
            raise Failure(f"unexpected frames: {show(self.waiting)}")
        if self.wire.closed or self.wire.has_ended:
            return
        # A frame that comes too late would go unnoticed; the answer to a ping comes behind it.
        self.wire.send({"ping": 4242})
        while (frame := self.receive()) is not None:
            if frame.get("pong") == 4242:
                return
            if not self.ignore(frame, {}):
                raise Failure(f"unexpected frame: {show(frame)}")
        # The service may close at the end, as after shutdown.
        if not self.wire.closed:
            raise Failure("the service does not answer a ping")
