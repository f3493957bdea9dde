"""The rows of a watched query, and what its frames make of them."""
from __future__ import annotations

from typing import Any

from .errors import DepotError, disconnected
from .session import Frame

Row = dict[str, Any]


class LiveRows:
    """The state of a watch, without its connection."""

    def __init__(self) -> None:
        # A count has no columns of its own.
        self.columns: list[str] = ["count"]
        self.rows: list[list[Any]] = []
        # The token up to which everything is known; None before the first snapshot is whole.
        self.token: str | None = None
        # The rows of a snapshot that isn't whole yet.
        self._snapshot: list[list[Any]] | None = None
        # The frames of a change or resume that isn't whole yet.
        self._parts: list[Frame] = []

    def apply(self, frame: Frame) -> bool:
        """Takes a frame in; returns whether the rows are then those of a moment, and may be others.

        Raises DepotError if a frame doesn't fit the rows.
        """
        self.columns = frame.get("columns", self.columns)
        kind: str | None = frame.get("kind")
        if kind == "snapshot":
            self._snapshot = (self._snapshot or []) + frame["next"]
        elif kind == "gap":
            # The rows stay those of the token until others are whole: `since` is about them.
            self._snapshot, self._parts = [], []
        elif kind == "live":
            if self._snapshot is not None:
                self.rows, self._snapshot = self._snapshot, None
            self.token = frame["token"]
            return True
        elif kind == "mark":
            self.token = frame["token"]
        elif kind in ("change", "resume"):
            self._parts.append(frame)
            if frame.get("more"):
                return False
            parts, self._parts = self._parts, []
            if kind == "resume":
                self._resume(parts)
            elif "changes" in frame:
                self._change(parts)
            else:
                self.rows = [row for part in parts for row in part["next"]]
            self.token = frame["token"]
            return kind == "change"
        return False

    def forget_parts(self) -> None:
        """Drops what came only in part, because the connection was lost."""
        self._snapshot, self._parts = None, []

    def dictionaries(self) -> list[Row]:
        """Returns the rows by the names of their columns."""
        return [dict(zip(self.columns, row)) for row in self.rows]

    def _change(self, parts: list[Frame]) -> None:
        removed = {entry["from"]: entry["id"] for part in parts for entry in part["removed"]}
        entries = [(entry, row) for part in parts for entry, row in zip(part["changes"], part["next"])]
        moved = {entry["from"]: row[0] for entry, row in entries if "from" in entry}
        for place, identifier in {**removed, **moved}.items():
            if place >= len(self.rows) or self.rows[place][0] != identifier:
                raise self._misfit()
        gone = removed.keys() | moved.keys()
        rows = [row for place, row in enumerate(self.rows) if place not in gone]
        for entry, row in sorted(entries, key=lambda pair: pair[0]["at"]):
            if entry["at"] > len(rows):
                raise self._misfit()
            rows.insert(entry["at"], row)
        self.rows = rows

    def _resume(self, parts: list[Frame]) -> None:
        known = {row[0]: row for row in self.rows}
        known.update((row[0], row) for part in parts for row in part["next"])
        order = [identifier for part in parts for identifier in part["order"]]
        if any(identifier not in known for identifier in order):
            raise self._misfit()
        self.rows = [known[identifier] for identifier in order]

    @staticmethod
    def _misfit() -> DepotError:
        return disconnected("A change of a watch doesn't fit the rows that came before.")
