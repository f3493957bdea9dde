"""The documents that a service's frames are held against: protocol.json and schemas/."""
import json

from schemas import problem
from wire import Failure, show

# The details of every error with the effect "partial".
PARTIAL = {"done", "after"}
KINDS = ("welcome", "next", "ok", "err", "event", "ping", "pong")


class Document:
    """What the frames of a service may be, by the document in a folder."""

    def __init__(self, folder):
        self.protocol = json.loads((folder / "protocol.json").read_text("utf-8"))
        self.schemas = {path.name.removesuffix(".schema.json"): json.loads(path.read_text("utf-8"))
                        for path in (folder / "schemas").glob("*.schema.json")}
        self.codes = {entry["code"]: entry for entry in self.protocol["errors"]["codes"]}
        self.operations = {entry["name"]: entry for entry in self.protocol["operations"]}

    def check(self, frame, calls):
        """Checks a frame of the service; calls has the operations of the calls by their ids.

        Raises Failure if the frame isn't one that the documents tell.
        """
        kind = next((kind for kind in KINDS if kind in frame), None)
        if kind is None:
            raise Failure(f"a frame that the documents don't have: {show(frame)}")
        self.hold(f"frame.{kind}", frame, frame)
        operation = calls.get(frame.get("id"))
        if kind == "ok" and operation in self.operations:
            self.hold(f"{operation}.result", frame["ok"], frame)
        elif kind == "err":
            self.check_error(frame["err"], operation)

    def hold(self, name, value, frame):
        if found := problem(self.schemas[name], value):
            raise Failure(f"schemas/{name}: {found}, in {show(frame)}")

    def check_error(self, error, operation):
        entry = self.codes.get(error["code"])
        if entry is None:
            raise Failure(f"protocol.json has no error {error['code']}")
        if error["retry"] != entry["retry"]:
            raise Failure(f"{error['code']} has retry {error['retry']}, not {entry['retry']}")
        documented = {*entry.get("details", []), *(PARTIAL if error["effect"] == "partial" else ())}
        others = error.get("details", {}).keys() - documented
        if others:
            raise Failure(f"details of {error['code']} have {sorted(others)}, which aren't documented")
        if operation in self.operations:
            known = self.operations[operation]["errors"] + self.protocol["commonErrors"]
            if error["code"] not in known:
                raise Failure(f"{error['code']} isn't among the errors of {operation}")
