"""The client for asyncio: any number of tasks over one connection."""
from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Any, AsyncIterator, Awaitable, Callable, Generator, Iterator, Mapping, Sequence, TypeVar

from .errors import DepotError, disconnected, unreachable
from .live import LiveRows, Row
from .processes import forget, note
from .retries import is_worth_another, pauses
from .session import Frame, Session, checked, new_key

Result = TypeVar("Result")


class AsyncConnection:
    """A socket, its session, and the task that reads."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, session: Session) -> None:
        self.session = session
        self._reader, self._writer = reader, writer
        # Done when something came; then there is another one.
        self._news: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._read())

    @classmethod
    async def open(cls, path: str, hello: Frame) -> AsyncConnection:
        try:
            reader, writer = await asyncio.open_unix_connection(path)
        except OSError as error:
            raise unreachable(path, error.strerror or str(error)) from None
        connection = cls(reader, writer, Session(hello))
        socket = writer.get_extra_info("socket")
        note(connection.session, socket.fileno)
        try:
            await connection.flush()
            await connection._await(lambda: connection.session.welcome is not None)
        except BaseException:
            await connection.close()
            raise
        return connection

    async def begin(self, operation: str, args: Frame, members: Frame) -> int:
        number = self.session.begin(operation, args, members)
        await self.flush()
        return number

    async def next(self, number: int) -> Frame:
        while True:
            if (frame := self.session.take(number)) is not None:
                return frame
            # Shielded, because others wait for the same.
            await asyncio.shield(self._news)

    async def control(self, number: int, member: str, value: int | bool) -> None:
        self.session.control(number, member, value)
        await self.flush()

    def abandon(self, number: int) -> None:
        """Has a call cancelled, without waiting: also in a task that is being cancelled itself."""
        self.session.abandon(number)
        self._write()

    def _write(self) -> None:
        if self.session.error is None and self.session.outgoing:
            self._writer.write(bytes(self.session.outgoing))
            self.session.outgoing.clear()

    async def flush(self) -> None:
        """Sends what is to be sent; the other task goes on reading meanwhile."""
        self._write()
        try:
            await self._writer.drain()
        except OSError:
            # The task that reads comes to the end by itself, behind what came before it.
            pass

    def end_sending(self) -> None:
        self._writer.write_eof()

    async def close(self) -> None:
        if self.session.is_foreign:
            # Its event loop is that of another process.
            return
        forget(self.session)
        self._task.cancel()
        self.session.end(disconnected("The connection was closed."))
        self._tell()
        self._writer.close()
        try:
            await self._writer.wait_closed()
        except OSError:
            pass

    async def _read(self) -> None:
        while self.session.error is None:
            try:
                data = await self._reader.read(1 << 16)
            except OSError:
                data = b""
            if data:
                self.session.receive(data)
                self._write()
            else:
                self.session.end(disconnected("The service closed the connection."))
            self._tell()

    def _tell(self) -> None:
        news, self._news = self._news, asyncio.get_running_loop().create_future()
        news.set_result(None)

    async def _await(self, is_done: Callable[[], bool]) -> None:
        while not is_done():
            if self.session.error:
                raise self.session.error
            await asyncio.shield(self._news)


class AsyncPending:
    """A call that was sent: awaiting it gives its result."""

    def __init__(self, connection: AsyncConnection, number: int) -> None:
        self._connection, self._number = connection, number

    def __await__(self) -> Generator[Any, None, Frame]:
        return self.result().__await__()

    async def result(self) -> Frame:
        """Returns the result of the operation. Raises DepotError. If the task is cancelled, so is the call."""
        try:
            while True:
                frame = await self._connection.next(self._number)
                if "ok" in frame:
                    result: Frame = frame["ok"]
                    return result
        except asyncio.CancelledError:
            self._connection.abandon(self._number)
            raise

    async def cancel(self) -> None:
        """Asks the service to end the call."""
        await self._connection.control(self._number, "cancel", True)


class AsyncStream:
    """The frames of a call, each followed by credit for another one when it was used up.

    Use it with `async with`, which cancels what is left at its end.
    """

    def __init__(self, connection: AsyncConnection, number: int) -> None:
        self._connection, self._number = connection, number
        # The result at the end of the stream; None before.
        self.result: Frame | None = None

    def __aiter__(self) -> AsyncIterator[Any]:
        return self

    async def __anext__(self) -> Any:
        return await self._next()

    async def _next(self) -> Frame:
        if self.result is not None:
            raise StopAsyncIteration
        frame = await self._connection.next(self._number)
        if "ok" in frame:
            self.result = frame["ok"]
            raise StopAsyncIteration
        await self._connection.control(self._number, "more", 1)
        return frame

    async def __aenter__(self: Result) -> Result:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None,
                        trace: TracebackType | None) -> None:
        await self.close()

    async def close(self) -> None:
        """Cancels the call if it hasn't ended."""
        self._connection.abandon(self._number)


class AsyncRows(AsyncStream):
    """The rows of a fetch or an aggregate; as `Rows` of the client that waits."""

    def __init__(self, connection: AsyncConnection, number: int) -> None:
        super().__init__(connection, number)
        self.columns: list[str] = []
        self.related: dict[str, dict[Any, Row]] = {}
        self._rows: Iterator[list[Any]] = iter(())
        self._count = 0

    async def __anext__(self) -> Row:
        while True:
            for row in self._rows:
                self._count += 1
                return dict(zip(self.columns, row))
            try:
                frame = await self._next()
            except DepotError as error:
                raise error.after(self._count) from None
            self.columns = frame.get("columns", self.columns)
            for block in frame.get("related", ()):
                rows = (dict(zip(block["columns"], row)) for row in block["rows"])
                self.related.setdefault(block["path"], {}).update((row["$id"], row) for row in rows)
            self._rows = iter(frame["next"])


class AsyncWatch:
    """A query whose rows are kept up to date; as `Watch` of the client that waits."""

    def __init__(self, depot: AsyncDepot, query: Frame, credit: int) -> None:
        self._depot, self._query, self._credit = depot, query, credit
        self._live = LiveRows()
        self._stream: AsyncStream | None = None
        self._is_closed = False

    @property
    def token(self) -> str | None:
        return self._live.token

    def __aiter__(self) -> AsyncIterator[list[Row]]:
        return self

    async def __anext__(self) -> list[Row]:
        if self._is_closed:
            raise StopAsyncIteration
        waiting: Iterator[float] | None = None
        while True:
            try:
                if self._stream is None:
                    args = {**self._query, "since": self._live.token}
                    self._stream = await self._depot._stream(AsyncStream, "watch", args, self._credit)
                async for frame in self._stream:
                    waiting = None
                    if self._live.apply(frame):
                        return self._live.dictionaries()
                raise StopAsyncIteration
            except DepotError as error:
                if not is_worth_another(error):
                    raise
                # What came only in part is gone, and so is the call.
                self._stream = None
                self._live.forget_parts()
                waiting = waiting or pauses(self._depot.patience)
                if (pause := next(waiting, None)) is None:
                    raise
                await asyncio.sleep(pause)

    async def __aenter__(self) -> AsyncWatch:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None,
                        trace: TracebackType | None) -> None:
        await self.close()

    async def close(self) -> None:
        """Ends the watch."""
        self._is_closed = True
        if self._stream is not None:
            await self._stream.close()


class AsyncDepot:
    """A client of the service at a socket, for the tasks of one event loop; as `Depot`, with `await`.

        async with AsyncDepot() as depot:
            await depot.insert("Package", ["name", "size"], [["bash", 7164]])
            async with await depot.fetch("Package", where="size > 1000") as rows:
                async for row in rows:
                    print(row["$id"], row["name"])
    """

    def __init__(self, path: str | None = None, *, name: str = "python", version: str = "1",
                 author: str | None = None, container: str | None = None, access: str | None = None,
                 credit: int = 8, patience: float = 10.0) -> None:
        """Keeps what is needed to connect; entering `async with`, or the first call, connects."""
        self.path = checked(path)
        self.credit, self.patience = credit, patience
        self._hello: Frame = {"protocol": [1, 1], "want": ["credit"],
                              "client": {"name": name, "version": version, "language": "python"}}
        for member, value in (("author", author), ("container", container), ("access", access)):
            if value is not None:
                self._hello[member] = value
        self._connection: AsyncConnection | None = None
        # The connections of services that were stopping while calls were open.
        self._former: list[AsyncConnection] = []
        self._connecting = asyncio.Lock()

    async def __aenter__(self) -> AsyncDepot:
        await self._connected()
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None,
                        trace: TracebackType | None) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connection; what isn't committed is cancelled."""
        for connection in [*self._former, self._connection]:
            if connection is not None:
                await connection.close()

    async def end_sending(self) -> None:
        """Tells the service that nothing more is sent; answers to what was sent before still come."""
        connection = await self._connected()
        await connection.flush()
        connection.end_sending()

    # Calls

    async def begin(self, operation: str, *, deadline_ms: int | None = None, key: str | None = None,
                    pin: str | None = None, container: str | None = None, **args: Any) -> AsyncPending:
        """Sends a call, and returns what can be awaited for its result."""
        connection = await self._connected()
        members = {"deadlineMs": deadline_ms, "key": key, "pin": pin, "container": container}
        return AsyncPending(connection, await connection.begin(operation, args, members))

    async def call(self, operation: str, *, deadline_ms: int | None = None, key: str | None = None,
                   pin: str | None = None, container: str | None = None, **args: Any) -> Frame:
        """Calls an operation and returns its result. It is sent once; see `write` for what changes something."""
        pending = await self.begin(operation, deadline_ms=deadline_ms, key=key, pin=pin,
                                   container=container, **args)
        return await pending.result()

    async def write(self, operation: str, *, key: str | None = None, deadline_ms: int | None = None,
                    container: str | None = None, **args: Any) -> Frame:
        """Calls an operation that changes something, with a key: new if None. It is sent again if need be."""
        chosen = key or new_key()
        return await self._retrying(lambda: self.call(operation, key=chosen, deadline_ms=deadline_ms,
                                                      container=container, **args))

    # Operations

    async def get(self, entity: str, ids: Sequence[int], **args: Any) -> list[Row]:
        """Returns rows by their identifiers. Raises DepotError notfound.object unless `partial` is true."""
        result = await self.call("get", entity=entity, ids=list(ids), **args)
        return [dict(zip(result["columns"], row)) for row in result["rows"]]

    async def count(self, entity: str, where: Any = None, **args: Any) -> int:
        """Returns how many rows a predicate is true of."""
        number: int = (await self.call("count", entity=entity, where=where, **args))["count"]
        return number

    async def fetch(self, entity: str, **args: Any) -> AsyncRows:
        """Yields rows as dictionaries while they come: `where`, `sort`, `limit`, `prefetch`, and so on."""
        return await self._stream(AsyncRows, "fetch", {"entity": entity, **args}, self.credit)

    async def aggregate(self, entity: str, **args: Any) -> AsyncRows:
        """Yields groups of rows as dictionaries: `by`, `values`, `having`, and so on."""
        return await self._stream(AsyncRows, "aggregate", {"entity": entity, **args}, self.credit)

    async def stream(self, operation: str, **args: Any) -> AsyncStream:
        """Yields the frames of any operation that streams."""
        return await self._stream(AsyncStream, operation, args, self.credit)

    def watch(self, *, credit: int | None = None, **query: Any) -> AsyncWatch:
        """Watches one of `fetch`, `count`, and `aggregate`, each with the arguments of the operation."""
        return AsyncWatch(self, query, credit or self.credit)

    async def insert(self, entity: str, columns: Sequence[str], rows: Sequence[Sequence[Any]],
                     key: str | None = None, **args: Any) -> Frame:
        """Stores rows, which have values in the order of `columns`; returns `ids` and more."""
        return await self.write("insert", key=key, entity=entity, columns=list(columns), rows=list(rows),
                                **args)

    async def update(self, entity: str, set: Mapping[str, Any], *, where: Any = None,
                     ids: Sequence[int] | None = None, key: str | None = None,
                     deadline_ms: int | None = None, **args: Any) -> int:
        """Gives the rows that are named values; returns how many they are."""
        result = await self.write("update", key=key, deadline_ms=deadline_ms, entity=entity, set=dict(set),
                                  where=where, ids=ids, **args)
        number: int = result["updated"]
        return number

    async def delete(self, entity: str, *, where: Any = None, ids: Sequence[int] | None = None,
                     key: str | None = None, **args: Any) -> int:
        """Deletes the rows that are named, all with `where=True`; returns how many they are."""
        result = await self.write("delete", key=key, entity=entity, where=where, ids=ids, **args)
        number: int = result["deleted"]
        return number

    async def save(self, *, key: str | None = None, **args: Any) -> Frame:
        """Inserts, changes, and deletes rows of several entities in one transaction."""
        return await self.write("save", key=key, **args)

    # Connections

    async def _connected(self) -> AsyncConnection:
        async with self._connecting:
            connection = self._connection
            if connection is not None:
                session = connection.session
                if not session.error and not session.is_draining:
                    return connection
                # What a service that is stopping still has to answer ends on its own connection.
                if session.error or not session.has_calls:
                    await connection.close()
                else:
                    self._former.append(connection)

            def connect() -> Awaitable[AsyncConnection]:
                return AsyncConnection.open(self.path, self._hello)

            # A service that was there may be about to come back.
            self._connection = await (connect() if connection is None else self._retrying(connect))
            return self._connection

    async def _stream(self, kind: Callable[[AsyncConnection, int], Result], operation: str, args: Frame,
                      credit: int) -> Result:
        connection = await self._connected()
        return kind(connection, await connection.begin(operation, args, {"credit": credit}))

    async def _retrying(self, attempt: Callable[[], Awaitable[Result]]) -> Result:
        waiting = pauses(self.patience)
        while True:
            try:
                return await attempt()
            except DepotError as error:
                if not is_worth_another(error) or (pause := next(waiting, None)) is None:
                    raise
                await asyncio.sleep(pause)
