"""Level 2 of the certification of clients: streams, keys, watches, and connections that are lost.

client-checklist.md tells what the client does.
"""
import random

from conversation import PATIENCE, Stream
from level1 import Chain
from wire import Failure, show


class LongChain(Chain):
    """The questions of level 1, and then those of level 2."""

    def __init__(self, connect):
        super().__init__(connect)
        self.rows[3][self.columns.index("text")] = "x" * (1 << 20)

    def run(self):
        super().run()
        self.stream()
        self.cancel()
        self.deadline()
        self.order()
        self.key()
        self.drain()
        self.watch()
        self.half_close()

    def before_insert(self):
        """More than sockets hold, while the client writes more than sockets hold: who only writes, waits for
        ever."""
        for _ in range(16):
            self.wire.send({"event": "x-grease", "text": "y" * (1 << 17)})

    # Streams

    def find(self, value):
        """Takes the call in that fetches rows by their first attribute."""
        frame = self.expect("fetch", {"entity": self.entity, "where": self.having(value)})
        return Stream(self, frame, needs_credit=True)

    def columns_of(self, index):
        return {"columns": ["$id", "$version", "group"]} if index == 0 else {}

    def stream(self):
        """Twenty frames with credit, and another call within them."""
        stream = self.find(self.ids[0])
        ids = random.sample(range(1, 1 << 40), 20)
        stream.next([[ids[0], 1, 0]], **self.columns_of(0))
        call = self.check(stream.receive(), "get", {"entity": self.entity, "ids": [ids[0]]})
        if stream.credit > 0:
            stream.next([[ids[1], 1, 0]])
        self.ok(call, {"columns": ["$id", "$version"], "rows": [[ids[0], 1]]})
        for number in ids[stream.sent:]:
            stream.next([[number, 1, 0]])
        stream.end({"rows": len(ids)})

    def cancel(self):
        """Rows without end, until the client has enough."""
        stream = self.find(self.ids[1])
        for index in range(5):
            stream.next([[300 + index, 1, 0 if index == 4 else 1 + index]], **self.columns_of(index))
        frame = stream.receive()
        if frame.get("id") != stream.call["id"] or frame.get("cancel") is not True:
            raise Failure(f"expected a cancel of call {stream.call['id']}, got {show(frame)}")
        if stream.credit > 0:
            stream.next([[999, 1, 5]])  # It was on its way.
        self.fail(stream.call, "cancelled.by_client")
        self.limit = random.randrange(20, 200)
        self.ok(self.expect("count", {"entity": self.entity}), {"count": self.limit})

    # Calls

    def deadline(self):
        """A write that comes too late, and is sent again."""
        arguments = {"entity": self.entity, "ids": [self.ids[2]], "set": {"group": 1}}
        frame = self.expect("update", arguments)
        if frame.get("deadlineMs") != self.limit:
            raise Failure(f"expected deadlineMs {self.limit}, got {show(frame)}")
        self.fail(frame, "deadline.passed", retry="now")
        frame = self.expect("update", arguments)
        if "deadlineMs" in frame:
            raise Failure(f"expected no deadlineMs, got {show(frame)}")
        self.ok(frame, {"updated": 1})

    def order(self):
        """Two calls at once, the answer to the second first."""
        calls = [self.expect("count", {"entity": self.entity, "where": self.having(value)})
                 for value in (1, 2)]
        counts = random.sample(range(1, 1 << 40), 2)
        self.ok(calls[1], {"count": counts[1]})
        self.ok(calls[0], {"count": counts[0]})
        self.ok(self.expect("get", {"entity": self.entity, "ids": counts}),
                {"columns": ["$id", "$version"], "rows": []})
        self.number = counts[0]

    # Connections

    def key(self):
        """A write whose connection is lost, twice, and for which there is no time yet."""
        arguments = {"entity": self.entity, "columns": ["group"], "rows": [[self.number]]}

        def expect():
            frame = self.expect("insert", arguments)
            if not isinstance(frame.get("key"), str) or not 1 <= len(frame["key"].encode()) <= 128:
                raise Failure(f"expected a key of 1 to 128 bytes: {show(frame)}")
            return frame

        first = expect()
        self.drop()
        self.open(answer=False)
        self.drop()
        self.open()
        again = expect()
        self.fail(again, "unavailable.busy", retry="later")
        last = expect()
        if not first["key"] == again["key"] == last["key"]:
            raise Failure("the key of a write that is sent again must be the same")
        self.ok(last, {"inserted": 1, "updated": 0, "skipped": 0, "ids": [1]})

    def drain(self):
        """The service stops; the next call, which is the watch, is made anew."""
        self.wire.send({"event": "draining"})
        # The client may have the call sent before it reads the event.
        frame = self.wire.receive(0.5)
        if frame is not None:
            self.check(frame, "watch", {})
            self.fail(frame, "unavailable.draining", retry="later")
        if not self.wire.closed:
            self.wire.send({"event": "ended"})
        self.drop()

    # Watches

    def begin_watch(self, since=None):
        self.open()
        query = {"entity": self.entity, "select": ["group"], "sort": [{"attribute": "group"}]}
        frame = self.expect("watch", {"fetch": query})
        if frame["args"].get("since") != since:
            raise Failure(f"expected since {show(since)}, got {show(frame)}")
        self.live = Stream(self, frame, needs_credit=True)

    def frame(self, kind, rows=(), **members):
        self.live.next([[number, 1, value] for number, value in rows], kind=kind, **members)

    def token(self):
        self.sequence = getattr(self, "sequence", 0) + random.randrange(1, 100)
        return f"3f2b8c01-9d20c4e7a1b2-{self.sequence}"

    def await_pong(self):
        """Waits until the client has read all that was sent."""
        self.wire.send({"ping": 4242})
        while (frame := self.wire.receive(PATIENCE)) is not None and frame.get("pong") != 4242:
            if not self.live.more(frame) and frame.get("id") not in self.ended:
                raise Failure(f"expected a pong, got {show(frame)}")

    def rows_are(self, *numbers):
        """The client tells which rows it has, in their order."""
        frame = self.check(self.live.receive(), "get", {"entity": self.entity, "ids": list(numbers)})
        self.ok(frame, {"columns": ["$id", "$version"], "rows": [], "missing": list(numbers)})

    def watch(self):
        a, b, c, d, e, f = random.sample(range(1, 1 << 40), 6)
        columns = {"columns": ["$id", "$version", "group"]}
        self.begin_watch()
        self.frame("snapshot", [(a, 1), (b, 2)], **columns)
        self.frame("snapshot", [(c, 3)])
        self.frame("live", token=self.token())
        self.rows_are(a, b, c)
        # b goes, c moves to the front, d comes last.
        self.frame("change", [(c, 0), (d, 9)], token=self.token(), removed=[{"id": b, "from": 1}],
                   changes=[{"kind": "updated", "at": 0, "from": 2, "properties": ["group"]},
                            {"kind": "inserted", "at": 2}])
        self.rows_are(c, a, d)
        # Two frames that are one change: places before are those before both.
        known = self.token()
        self.frame("change", [(e, -1)], more=True, token=known, removed=[{"id": c, "from": 0}],
                   changes=[{"kind": "inserted", "at": 0}])
        self.frame("change", [(a, 20)], token=known, removed=[],
                   changes=[{"kind": "updated", "at": 2, "from": 1, "properties": ["group"]}])
        self.rows_are(e, d, a)
        self.frame("x-grease", [(f, 1)])
        # A part of a change, and the connection is lost.
        self.frame("change", [(f, -2)], more=True, token=self.token(), removed=[],
                   changes=[{"kind": "inserted", "at": 0}])
        self.drop()
        self.begin_watch(since=known)
        now = self.token()
        self.frame("resume", [(d, 30)], more=True, token=now, order=[e, a], **columns)
        self.frame("resume", [(f, 40)], token=now, order=[d, f])
        self.frame("live", token=now)
        self.rows_are(e, a, d, f)
        # Too much changed, and the connection is lost before the snapshot is whole: what was known still is.
        self.frame("gap", **{"from": now, "to": self.token()})
        self.frame("snapshot", [(c, 5)], **columns)
        self.drop()
        self.begin_watch(since=now)
        now = self.token()
        self.frame("resume", [(b, 50)], token=now, order=[a, d, f, b], **columns)
        self.frame("live", token=now)
        self.rows_are(a, d, f, b)
        # Too much changed, and again before the snapshot was whole.
        self.frame("gap", **{"from": now, "to": self.token()})
        self.frame("snapshot", [(c, 5)], **columns)
        self.frame("gap", **{"from": now, "to": self.token()})
        self.frame("snapshot", [(b, 1)], **columns)
        self.frame("snapshot", [(a, 2)])
        self.frame("live", token=self.token())
        self.rows_are(b, a)
        marked = self.token()
        self.frame("mark", token=marked)
        self.await_pong()
        self.drop()
        # What was missed can't be told any more.
        self.begin_watch(since=marked)
        self.frame("snapshot", [(f, 7)], **columns)
        self.frame("live", token=self.token())
        self.rows_are(f)
        self.frame("change", [], token=self.token(), removed=[{"id": f, "from": 0}], changes=[])
        self.rows_are()
        frame = self.live.receive()
        if frame.get("id") != self.live.call["id"] or frame.get("cancel") is not True:
            raise Failure(f"expected a cancel of the watch, got {show(frame)}")
        self.fail(self.live.call, "cancelled.by_client")

    # The end

    def half_close(self):
        """A call, and the end of what the client sends, before the answer."""
        frame = self.expect("count", {"entity": self.entity})
        while (other := self.wire.receive(PATIENCE)) is not None:
            if "pong" not in other and other.get("id") not in self.ended:
                raise Failure(f"expected the end of what the client sends, got {show(other)}")
        if not self.wire.closed:
            raise Failure("the client doesn't end its sending")
        self.total = random.randrange(1 << 40)
        self.ok(frame, {"count": self.total})
        self.drop()

    def check_output(self, text):
        if str(self.total) not in text.splitlines():
            raise Failure(f"the client didn't print the count {self.total}: {text!r}")
