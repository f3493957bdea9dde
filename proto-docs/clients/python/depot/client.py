"""The client that waits: one thread, calls and streams over one connection."""
from __future__ import annotations

import select
import socket
import time
from types import TracebackType
from typing import Any, Callable, Iterator, Mapping, Sequence, TypeVar

from .errors import DepotError, disconnected, unreachable
from .live import LiveRows, Row
from .processes import forget, note
from .retries import is_worth_another, pauses
from .session import Frame, Session, checked, new_key

Result = TypeVar("Result")


class Connection:
    """A socket and its session. Reads whenever it waits, for whichever call the frames are."""

    def __init__(self, path: str, hello: Frame, timeout: float | None) -> None:
        self.session = Session(hello)
        self.timeout = timeout
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            try:
                self.socket.connect(path)
            except OSError as error:
                # A signal's handler may raise one too.
                if error.errno is None:
                    raise
                raise unreachable(path, error.strerror or str(error)) from None
            self.socket.setblocking(False)
            note(self.session, self.socket.fileno)
            while self.session.welcome is None:
                self.flush()
                if self.session.error:
                    raise self.session.error
                self.wait()
        except BaseException:
            self.close()
            raise

    def begin(self, operation: str, args: Frame, members: Frame) -> int:
        number = self.session.begin(operation, args, members)
        self.flush()
        return number

    def next(self, number: int) -> Frame:
        """Returns the next frame of a call, waiting for it; raises the error that ends it."""
        while (frame := self.session.take(number)) is None:
            self.flush()
            if self.session.error is None:
                self.wait()
        return frame

    def control(self, number: int, member: str, value: int | bool) -> None:
        self.session.control(number, member, value)
        self.flush()

    def flush(self) -> None:
        """Sends all that is to be sent, and reads meanwhile: a service whose answers nobody takes reads
        nothing more."""
        session = self.session
        while session.outgoing and session.error is None:
            try:
                del session.outgoing[:self.socket.send(session.outgoing)]
            except BlockingIOError:
                self.wait(writes=True)
            except BaseException as error:
                self.check(error)
                # The reason may have come before, and what was read is still good.
                session.outgoing.clear()
                self.drain()
                session.end(disconnected("The service closed the connection."))

    def check(self, error: BaseException) -> None:
        """Raises what a signal's handler has raised between a system call and the note of what it did.

        Nobody knows then what is sent or read, so the connection ends.
        """
        if not isinstance(error, OSError) or error.errno is None:
            self.session.end(disconnected(f"The sending or reading was interrupted ({type(error).__name__})."))
            raise error

    def wait(self, writes: bool = False) -> None:
        """Waits until there are bytes, or room for some, and reads what is there."""
        ready = select.poll()
        ready.register(self.socket, select.POLLIN | (select.POLLOUT if writes else 0))
        if not ready.poll(None if self.timeout is None else self.timeout * 1000):
            self.session.end(disconnected(f"Nothing came for {self.timeout} seconds."))
            return
        self.read()

    def read(self) -> bool:
        """Reads once; returns whether more may be there."""
        try:
            data = self.socket.recv(1 << 16)
            if data:
                self.session.receive(data)
                return True
        except BlockingIOError:
            return False
        except BaseException as error:
            self.check(error)
        self.session.end(disconnected("The service closed the connection."))
        return False

    def drain(self) -> None:
        while self.session.error is None and self.read():
            pass

    def close(self) -> None:
        self.session.end(disconnected("The connection was closed."))
        forget(self.session)
        self.socket.close()


class Pending:
    """A call that was sent: `result()` waits for its answer."""

    def __init__(self, connection: Connection, number: int) -> None:
        self._connection, self._number = connection, number

    def result(self) -> Frame:
        """Returns the result of the operation. Raises DepotError."""
        while True:
            frame = self._connection.next(self._number)
            if "ok" in frame:
                result: Frame = frame["ok"]
                return result

    def cancel(self) -> None:
        """Asks the service to end the call; `result()` still tells what became of it."""
        self._connection.control(self._number, "cancel", True)


class Stream:
    """The frames of a call, each followed by credit for another one when it was used up.

    Closing it, or leaving its `with` block, cancels what is left.
    """

    def __init__(self, connection: Connection, number: int) -> None:
        self._connection, self._number = connection, number
        # The result at the end of the stream; None before.
        self.result: Frame | None = None

    def __iter__(self) -> Iterator[Frame]:
        return self

    def __next__(self) -> Frame:
        if self.result is not None:
            raise StopIteration
        frame = self._connection.next(self._number)
        if "ok" in frame:
            self.result = frame["ok"]
            raise StopIteration
        self._connection.control(self._number, "more", 1)
        return frame

    def __enter__(self: Result) -> Result:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Cancels the call if it hasn't ended."""
        self._connection.session.abandon(self._number)
        self._connection.flush()

    def __del__(self) -> None:
        # A loop that is left with `break` drops its stream. This may be in the middle of anything, so the
        # cancel is sent with what is sent next.
        self._connection.session.abandon(self._number)


class Rows(Stream):
    """The rows of a fetch or an aggregate, as dictionaries by the names of the columns.

    `related` has the rows of prefetched paths that came so far, by path and identifier.
    """

    def __init__(self, connection: Connection, number: int) -> None:
        super().__init__(connection, number)
        self.columns: list[str] = []
        self.related: dict[str, dict[Any, Row]] = {}
        self._rows: Iterator[list[Any]] = iter(())
        self._count = 0

    def __iter__(self) -> Iterator[Row]:
        return self

    def __next__(self) -> Row:
        while True:
            for row in self._rows:
                self._count += 1
                return dict(zip(self.columns, row))
            try:
                frame = super().__next__()
            except DepotError as error:
                raise error.after(self._count) from None
            self.columns = frame.get("columns", self.columns)
            for block in frame.get("related", ()):
                rows = (dict(zip(block["columns"], row)) for row in block["rows"])
                self.related.setdefault(block["path"], {}).update((row["$id"], row) for row in rows)
            self._rows = iter(frame["next"])


class Watch:
    """A query whose rows are kept up to date, over as many connections as it takes.

    Iterating yields the rows, as dictionaries: first those that there are, then all of them again whenever a
    change was committed. `token` is the moment of these rows.
    """

    def __init__(self, depot: Depot, query: Frame, credit: int) -> None:
        self._depot, self._query, self._credit = depot, query, credit
        self._live = LiveRows()
        self._stream: Stream | None = None
        self._is_closed = False

    @property
    def token(self) -> str | None:
        return self._live.token

    def __iter__(self) -> Iterator[list[Row]]:
        return self

    def __next__(self) -> list[Row]:
        if self._is_closed:
            raise StopIteration
        waiting: Iterator[float] | None = None
        while True:
            try:
                if self._stream is None:
                    args = {**self._query, "since": self._live.token}
                    self._stream = self._depot._stream(Stream, "watch", args, self._credit)
                for frame in self._stream:
                    waiting = None
                    if self._live.apply(frame):
                        return self._live.dictionaries()
                raise StopIteration
            except DepotError as error:
                if not is_worth_another(error):
                    raise
                # What came only in part is gone, and so is the call.
                self._stream = None
                self._live.forget_parts()
                waiting = waiting or pauses(self._depot.patience)
                if (pause := next(waiting, None)) is None:
                    raise
                time.sleep(pause)

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Ends the watch."""
        self._is_closed = True
        if self._stream is not None:
            self._stream.close()


class Depot:
    """A client of the service at a socket; use it from one thread, or one for each thread.

    In a process that is forked from this one it connects anew, and what was open ends there. An exception that a
    signal's handler raises ends the connection if it comes while bytes are sent or read.

    Any number of calls, streams, and watches may be open. When the connection is lost, they end with
    `unavailable.disconnected`, and the next call connects anew. Writes have a key and are sent again by
    themselves, for `patience` seconds, if the connection is lost or the service asks for a later attempt: they
    take effect once.

        with Depot() as depot:
            depot.insert("Package", ["name", "size"], [["bash", 7164]])
            for row in depot.fetch("Package", where="size > 1000", sort=[{"attribute": "name"}]):
                print(row["$id"], row["name"])

    Values have their JSON forms. Dates with a time zone, UUIDs, bytes, and decimals are brought into theirs.
    """

    def __init__(self, path: str | None = None, *, name: str = "python", version: str = "1",
                 author: str | None = None, container: str | None = None, access: str | None = None,
                 credit: int = 8, patience: float = 10.0, timeout: float | None = None) -> None:
        """Connects to the service.

        `access` is the most that the connection may do: "read", "write", or "owner"; if None, all that its user
        may. `credit` is how many frames of a stream may be on their way; `timeout` how many seconds a connection
        may be silent while something is waited for, any time if None.

        Raises DepotError unavailable.service if nobody answers, request.usage if the path is too long.
        """
        self.path = checked(path)
        self.credit, self.patience, self.timeout = credit, patience, timeout
        self._hello: Frame = {"protocol": [1, 1], "want": ["credit"],
                              "client": {"name": name, "version": version, "language": "python"}}
        for member, value in (("author", author), ("container", container), ("access", access)):
            if value is not None:
                self._hello[member] = value
        self._connection: Connection | None = None
        self._connected()

    def __enter__(self) -> Depot:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connection; what isn't committed is cancelled."""
        if self._connection is not None:
            self._connection.close()

    def end_sending(self) -> None:
        """Tells the service that nothing more is sent; answers to what was sent before still come."""
        self._connected().flush()
        self._connected().socket.shutdown(socket.SHUT_WR)

    @property
    def welcome(self) -> Frame:
        """What the service said of itself: `limits`, `features`, `store`."""
        return self._connected().session.welcome or {}

    # Calls

    def begin(self, operation: str, *, deadline_ms: int | None = None, key: str | None = None,
              pin: str | None = None, container: str | None = None, **args: Any) -> Pending:
        """Sends a call and doesn't wait; an argument that is None is left out."""
        connection = self._connected()
        members = {"deadlineMs": deadline_ms, "key": key, "pin": pin, "container": container}
        return Pending(connection, connection.begin(operation, args, members))

    def call(self, operation: str, *, deadline_ms: int | None = None, key: str | None = None,
             pin: str | None = None, container: str | None = None, **args: Any) -> Frame:
        """Calls an operation and returns its result; an argument that is None is left out.

        Raises DepotError. It is sent once; see `write` for what changes something.
        """
        return self.begin(operation, deadline_ms=deadline_ms, key=key, pin=pin, container=container,
                          **args).result()

    def write(self, operation: str, *, key: str | None = None, deadline_ms: int | None = None,
              container: str | None = None, **args: Any) -> Frame:
        """Calls an operation that changes something, with a key: new if None. It is sent again if need be."""
        chosen = key or new_key()
        return self._retrying(lambda: self.call(operation, key=chosen, deadline_ms=deadline_ms,
                                                container=container, **args))

    # Operations

    def get(self, entity: str, ids: Sequence[int], **args: Any) -> list[Row]:
        """Returns rows by their identifiers. Raises DepotError notfound.object unless `partial` is true."""
        result = self.call("get", entity=entity, ids=list(ids), **args)
        return [dict(zip(result["columns"], row)) for row in result["rows"]]

    def count(self, entity: str, where: Any = None, **args: Any) -> int:
        """Returns how many rows a predicate is true of."""
        number: int = self.call("count", entity=entity, where=where, **args)["count"]
        return number

    def fetch(self, entity: str, **args: Any) -> Rows:
        """Yields rows as dictionaries while they come: `where`, `sort`, `limit`, `prefetch`, and so on."""
        return self._stream(Rows, "fetch", {"entity": entity, **args}, self.credit)

    def aggregate(self, entity: str, **args: Any) -> Rows:
        """Yields groups of rows as dictionaries: `by`, `values`, `having`, and so on."""
        return self._stream(Rows, "aggregate", {"entity": entity, **args}, self.credit)

    def stream(self, operation: str, **args: Any) -> Stream:
        """Yields the frames of any operation that streams."""
        return self._stream(Stream, operation, args, self.credit)

    def watch(self, *, credit: int | None = None, **query: Any) -> Watch:
        """Watches one of `fetch`, `count`, and `aggregate`, each with the arguments of the operation.

            with depot.watch(fetch={"entity": "Package", "select": ["name"]}) as watch:
                for rows in watch:
                    print([row["name"] for row in rows])

        A `history` is watched with `stream("watch", history={…})`, whose frames have transactions.
        """
        return Watch(self, query, credit or self.credit)

    def insert(self, entity: str, columns: Sequence[str], rows: Sequence[Sequence[Any]],
               key: str | None = None, **args: Any) -> Frame:
        """Stores rows, which have values in the order of `columns`; returns `ids` and more."""
        return self.write("insert", key=key, entity=entity, columns=list(columns), rows=list(rows), **args)

    def update(self, entity: str, set: Mapping[str, Any], *, where: Any = None,
               ids: Sequence[int] | None = None, key: str | None = None,
               deadline_ms: int | None = None, **args: Any) -> int:
        """Gives the rows that are named values; returns how many they are."""
        result = self.write("update", key=key, deadline_ms=deadline_ms, entity=entity, set=dict(set),
                            where=where, ids=ids, **args)
        number: int = result["updated"]
        return number

    def delete(self, entity: str, *, where: Any = None, ids: Sequence[int] | None = None,
               key: str | None = None, **args: Any) -> int:
        """Deletes the rows that are named, all with `where=True`; returns how many they are."""
        number: int = self.write("delete", key=key, entity=entity, where=where, ids=ids, **args)["deleted"]
        return number

    def save(self, *, key: str | None = None, **args: Any) -> Frame:
        """Inserts, changes, and deletes rows of several entities in one transaction."""
        return self.write("save", key=key, **args)

    # Connections

    def _connected(self) -> Connection:
        connection = self._connection
        if connection is not None and (connection.session.error or connection.session.is_draining):
            # What a service that is stopping still has to answer ends on its own connection.
            if connection.session.error or not connection.session.has_calls:
                connection.close()
            connection = None
        if connection is None:
            def connect() -> Connection:
                return Connection(self.path, self._hello, self.timeout)

            # A service that was there may be about to come back.
            connection = connect() if self._connection is None else self._retrying(connect)
            self._connection = connection
        return connection

    def _stream(self, kind: Callable[[Connection, int], Result], operation: str, args: Frame,
                credit: int) -> Result:
        connection = self._connected()
        return kind(connection, connection.begin(operation, args, {"credit": credit}))

    def _retrying(self, attempt: Callable[[], Result]) -> Result:
        waiting = pauses(self.patience)
        while True:
            try:
                return attempt()
            except DepotError as error:
                if not is_worth_another(error) or (pause := next(waiting, None)) is None:
                    raise
                time.sleep(pause)
