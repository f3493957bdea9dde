"""The protocol without sockets: bytes in, bytes out, and the frames of each call between them."""
from __future__ import annotations

import base64
import collections
import datetime
import decimal
import json
import os
import secrets
import stat
import struct
import time
import uuid
from typing import Any

from .errors import DepotError, disconnected

Frame = dict[str, Any]

# The longest frame that is read, in bytes. A service announces its own limit, which is smaller.
FRAME_LIMIT = 64 << 20


def socket_path() -> str:
    """Returns where the service's socket is: $DEPOT_SOCKET, or the user's own."""
    if path := os.environ.get("DEPOT_SOCKET"):
        return path
    if folder := os.environ.get("XDG_RUNTIME_DIR"):
        return f"{folder}/depot/depot.sock"
    return f"/tmp/depot-{os.getuid()}/depot.sock"


def checked(path: str | None) -> str:
    """Returns the path of a socket if it can be used; that of the user's own service if none is given.

    Raises DepotError request.usage if it is longer than 107 bytes, permission.file if nobody has named it and others
    could have made it.
    """
    if not path and not os.environ.get("DEPOT_SOCKET"):
        refuse_distrust(os.path.dirname(socket_path()))
    path = path or socket_path()
    if len(os.fsencode(path)) > 107:
        raise DepotError({"code": "request.usage", "message": f"The socket's path is too long: {path}",
                          "hint": "A path of a socket has at most 107 bytes."})
    return path


def refuse_distrust(folder: str) -> None:
    """Refuses a folder that belongs to another user, or a link to one, and one to which others may write."""
    user = os.geteuid()
    try:
        link, facts = os.lstat(folder), os.stat(folder)
    except OSError:
        return
    if user == 0:
        return
    for owner in (link.st_uid, facts.st_uid):
        if owner not in (0, user):
            raise DepotError({"code": "permission.file", "hint": "Use a folder of your own.",
                              "message": f"{folder} belongs to user {owner}, not to {user} or root."})
    # The user's private group, whose number is that of the user, may write, too.
    writers = stat.S_IWOTH if facts.st_gid == user else stat.S_IWOTH | stat.S_IWGRP
    if facts.st_mode & writers and not facts.st_mode & stat.S_ISVTX:
        raise DepotError({"code": "permission.file",
                          "message": f"Others than user {user} may write to the folder {folder}.",
                          "hint": f"Take that right away with \"chmod go-w {folder}\", or use a folder in it."})


def new_key() -> str:
    """Returns a key that nobody else has. It begins with the time: the service finds such keys cheaper."""
    return f"{time.time_ns() // 1_000_000:012x}{secrets.token_hex(10)}"


def json_form(value: object) -> object:
    """Returns the JSON form of a value that JSON hasn't: dates, UUIDs, bytes, decimals."""
    if isinstance(value, datetime.datetime):
        if value.tzinfo is None:
            raise TypeError("a date needs a time zone")
        text = value.astimezone(datetime.timezone.utc).isoformat()
        return text.replace("+00:00", "Z")
    if isinstance(value, (uuid.UUID, decimal.Decimal)):
        return str(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return base64.b64encode(value).decode("ascii")
    raise TypeError(f"{type(value).__name__} has no JSON form")


def encode(frame: Frame) -> bytes:
    """Returns a frame with its length.

    Raises ValueError for what no JSON can say, as NaN or half a surrogate pair, before anything is sent.
    """
    text = json.dumps(frame, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=json_form)
    data = text.encode("utf-8")
    return struct.pack(">I", len(data)) + data


class Session:
    """One connection: what is to be sent, and the frames that came for each open call."""

    def __init__(self, hello: Frame) -> None:
        # The bytes that are to be sent, in order.
        self.outgoing = bytearray(encode({"hello": hello}))
        self.welcome: Frame | None = None
        # Whether the service begins no more calls.
        self.is_draining = False
        # Whether the connection is another process's.
        self.is_foreign = False
        # Why nothing more comes; None while the connection is good.
        self.error: DepotError | None = None
        self._incoming = bytearray()
        self._calls: dict[int, collections.deque[Frame]] = {}
        self._last = 0

    # Calls

    def begin(self, operation: str, args: Frame, members: Frame) -> int:
        """Has a call sent, and returns its number. Arguments and members that are None are left out.

        Raises DepotError limit.frame_bytes if it is too large for the service.
        """
        frame: Frame = {"id": self._last + 1, "call": operation}
        frame["args"] = {name: value for name, value in args.items() if value is not None}
        frame.update((name, value) for name, value in members.items() if value is not None)
        data = encode(frame)
        limit = (self.welcome or {}).get("limits", {}).get("frameBytes", FRAME_LIMIT)
        if len(data) - 4 > limit:
            raise DepotError({"code": "limit.frame_bytes", "hint": "Send fewer or smaller rows.",
                              "message": f"A frame of {len(data) - 4} bytes is over the limit of {limit}."})
        self._last += 1
        self._calls[self._last] = collections.deque()
        self.outgoing += data
        return self._last

    def control(self, number: int, member: str, value: int | bool) -> None:
        """Has `more` or `cancel` sent for a call, unless the end of the call has come."""
        if number in self._calls and self.error is None and not self._has_ended(number):
            self.outgoing += encode({"id": number, member: value})

    def _has_ended(self, number: int) -> bool:
        frames = self._calls[number]
        return bool(frames) and ("ok" in frames[-1] or "err" in frames[-1])

    def abandon(self, number: int) -> None:
        """Has a call cancelled unless it has ended, and forgets it: what still comes for it is ignored."""
        self.control(number, "cancel", True)
        self._calls.pop(number, None)

    def take(self, number: int) -> Frame | None:
        """Removes and returns the next frame of a call; None if none has come.

        Raises the error that ends the call, or the connection, behind the frames that came before. A call
        that has ended is forgotten.
        """
        frames = self._calls.get(number)
        if frames:
            frame = frames.popleft()
            if "ok" in frame or "err" in frame:
                del self._calls[number]
            if "err" in frame:
                raise DepotError(frame["err"])
            return frame
        if self.error:
            self._calls.pop(number, None)
            raise self.error
        return None

    @property
    def has_calls(self) -> bool:
        """Whether the end of any call wasn't taken yet."""
        return bool(self._calls)

    # Bytes

    def receive(self, data: bytes) -> None:
        """Takes in what was read."""
        self._incoming += data
        start = 0
        while len(self._incoming) - start >= 4 and self.error is None:
            (length,) = struct.unpack_from(">I", self._incoming, start)
            if length > FRAME_LIMIT:
                return self.end(disconnected(f"The service sends a frame of {length} bytes."))
            if len(self._incoming) - start < 4 + length:
                break
            try:
                self._file(json.loads(self._incoming[start + 4:start + 4 + length].decode("utf-8")))
            except (ValueError, TypeError, LookupError):
                return self.end(disconnected("The service sends something else than the protocol has."))
            start += 4 + length
        del self._incoming[:start]

    def end(self, error: DepotError) -> None:
        """Notes why nothing more comes; the first reason counts."""
        self.error = self.error or error

    def leave(self, error: DepotError) -> None:
        """Ends a session that another process goes on with."""
        self.is_foreign = True
        self.outgoing.clear()
        self.error = error

    def _file(self, frame: Frame) -> None:
        if not isinstance(frame, dict) or not isinstance(frame.get("err", {}), dict):
            raise TypeError
        if "id" in frame:
            if (frames := self._calls.get(frame["id"])) is not None:
                frames.append(frame)
        elif "err" in frame:
            # A frame that was skipped is the one error behind which the connection goes on, and this
            # client sends no such frame. Nobody knows what becomes of the calls that are open.
            self.end(DepotError({**frame["err"], "effect": "unknown"}))
        elif "welcome" in frame:
            self.welcome = frame["welcome"]
        elif "ping" in frame:
            self.outgoing += encode({"pong": frame["ping"]})
        elif frame.get("event") == "draining":
            self.is_draining = True
