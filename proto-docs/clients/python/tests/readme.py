#!/usr/bin/env python3
"""Runs the program of README.md on the service at $DEPOT_SOCKET, which must be empty."""
import contextlib
import io
import pathlib

from depot import Depot

with Depot() as depot:
    attributes = [{"name": "name", "type": "string"}, {"name": "size", "type": "int64"}]
    depot.call("schema.define", schema={"entities": [{"name": "Package", "attributes": attributes}]})
text = (pathlib.Path(__file__).parent.parent / "README.md").read_text("utf-8")
program = text.split("```python\n")[1].split("```")[0]
output = io.StringIO()
with contextlib.redirect_stdout(output):
    exec(compile(program, "README.md", "exec"), {})
assert output.getvalue() == "1 bash\n", output.getvalue()
