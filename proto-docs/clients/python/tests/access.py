#!/usr/bin/env python3
"""Connections that may only read, or read and write."""
import asyncio

from depot import AsyncDepot, Depot, DepotError

ENTITY = {"name": "Note", "attributes": [{"name": "text", "type": "string"}]}


def code(body):
    try:
        body()
    except DepotError as error:
        return error.code
    return "none"


async def insert_by_reader():
    async with AsyncDepot(access="read") as depot:
        assert await depot.call("count", entity="Note") == {"count": 1}
        await depot.insert("Note", ["text"], [["b"]])


with Depot() as depot:
    depot.call("schema.define", schema={"entities": [ENTITY]})
with Depot(access="write") as depot:
    depot.insert("Note", ["text"], [["a"]])
    assert code(lambda: depot.call("compact")) == "permission.op"
with Depot(access="read") as depot:
    assert [row["text"] for row in depot.fetch("Note")] == ["a"]
    assert code(lambda: depot.insert("Note", ["text"], [["b"]])) == "permission.op"
assert code(lambda: asyncio.run(insert_by_reader())) == "permission.op"
assert code(lambda: Depot(access="everything")) == "request.usage"
print("ok")
