"""What becomes of connections when the process is forked: they stay with the one that opened them."""
from __future__ import annotations

import os
import weakref
from typing import Any, Callable

from .errors import disconnected
from .session import Session

# The connections that are open, each with the function that tells the number of its socket.
_open: weakref.WeakKeyDictionary[Session, Callable[[], int]] = weakref.WeakKeyDictionary()


def note(session: Session, number: Callable[[], int]) -> None:
    """Has a session end in processes that are forked from this one."""
    _open[session] = number


def forget(session: Session) -> None:
    """Takes back what was noted, since the socket is closed."""
    _open.pop(session, None)


def _leave() -> None:
    """Leaves the connections to the process that this one was forked from, which uses them on."""
    sessions = list(_open.items())
    _open.clear()
    for session, number in sessions:
        session.leave(disconnected("The connection belongs to the process that this one was forked from."))
        # The number stays taken, and nothing that this process does with it reaches the socket.
        if (socket := number()) >= 0:
            nothing = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
            os.dup2(nothing, socket, inheritable=False)
            os.close(nothing)


os.register_at_fork(after_in_child=_leave)
