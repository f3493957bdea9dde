"""The one error of this package."""
from __future__ import annotations

from typing import Any, Mapping


class DepotError(Exception):
    """An error of the service or of the connection: act on code, retry, and effect; show message and hint.

    `code` is class.reason; a reason that isn't known is handled by its class. `retry` says whether the same
    request can succeed later: "no", "now", "later", "after_refetch". `effect` says what became of a write:
    "none", "applied", "partial", or "unknown", which the same request with the same key settles.
    """

    def __init__(self, error: Mapping[str, Any]) -> None:
        self._members = dict(error)
        self.code: str = error["code"]
        self.message: str = error["message"]
        self.hint: str | None = error.get("hint")
        self.at: str | None = error.get("at")
        self.retry: str = error.get("retry", "no")
        self.effect: str = error.get("effect", "none")
        self.details: dict[str, Any] = error.get("details", {})
        super().__init__(f"{self.code}: {self.message}" + (f" ({self.hint})" if self.hint else ""))

    def __reduce__(self) -> tuple[type[DepotError], tuple[dict[str, Any]]]:
        # Copies, and pickles for other processes, are made of the same members.
        return type(self), (self._members,)

    def after(self, rows: int) -> DepotError:
        """Returns the error with how many rows came before it, if a read was ended in its middle."""
        if self.code not in ("stream.expired", "limit.outbound_bytes", "unavailable.disconnected") or not rows:
            return self
        message = f"{self.message} {rows} {'row' if rows == 1 else 'rows'} came before it."
        return type(self)({**self._members, "message": message})

    @property
    def kind(self) -> str:
        """The class of the code, as in "conflict" of "conflict.unique"."""
        return self.code.split(".")[0]


def disconnected(reason: str) -> DepotError:
    """Returns the error of calls whose connection was lost."""
    return DepotError({
        "code": "unavailable.disconnected", "message": reason, "retry": "later", "effect": "unknown",
        "hint": "A write may have been stored; send it again with the same key.",
    })


def unreachable(path: str, reason: str) -> DepotError:
    """Returns the error that no service answers."""
    return DepotError({
        "code": "unavailable.service", "message": f"Nothing answers at {path}: {reason}.", "retry": "later",
        "hint": "Start one with: depotd",
    })
