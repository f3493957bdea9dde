#!/usr/bin/env python3
"""Random changes in the service at $DEPOT_SOCKET, and watches that must come to what a fetch gives.

watch.py [SEED]  repeats a run
"""
import asyncio
import random
import sys

from depot import AsyncDepot, Depot

QUERY = {"entity": "Item", "where": "size < 60", "sort": [{"attribute": "size", "descending": True}], "limit": 20}


def change(depot, dice):
    kind = dice.randrange(4)
    if kind == 0:
        depot.delete("Item", where=f"size == {dice.randrange(80)}")
    elif kind == 1:
        depot.update("Item", {"size": dice.randrange(80)}, where=f"size < {dice.randrange(20)}")
    else:
        depot.insert("Item", ["size"], [[dice.randrange(80)] for _ in range(dice.randrange(1, 8))])


def waiting(dice):
    with Depot() as writer, Depot() as reader, reader.watch(fetch=QUERY) as watch, \
            reader.watch(count={"entity": "Item"}) as count:
        rows, number = [], 0
        for step in range(25):
            change(writer, dice)
            before, rows, number = (rows, number), list(writer.fetch(**QUERY)), writer.count("Item")
            # Nothing comes if nothing is different. If a watch never comes to these rows, the test doesn't end.
            if step == 0 or rows != before[0]:
                next(found for found in watch if found == rows)
            if step == 0 or number != before[1]:
                next(found for found in count if found == [{"count": number}])


async def not_waiting(dice):
    async with AsyncDepot() as depot:
        with Depot() as writer:
            async with depot.watch(fetch=QUERY) as watch:
                rows = []
                for step in range(25):
                    change(writer, dice)
                    before, rows = rows, list(writer.fetch(**QUERY))
                    if step > 0 and rows == before:
                        continue
                    async for found in watch:
                        if found == rows:
                            break
        # A task that is cancelled takes its call along, and the connection goes on.
        begun = asyncio.create_task(depot.call("barrier"))
        await asyncio.sleep(0)
        begun.cancel()
        assert await depot.count("Item") >= 0


seed = int(sys.argv[1]) if sys.argv[1:] else random.randrange(1 << 32)
print("seed", seed)
with Depot() as first:
    attributes = [{"name": "size", "type": "int64"}]
    first.call("schema.define", schema={"entities": [{"name": "Item", "attributes": attributes}]})
waiting(random.Random(seed))
asyncio.run(not_waiting(random.Random(seed)))
