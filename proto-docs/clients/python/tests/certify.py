#!/usr/bin/env python3
"""Answers conformance/run.py client with this package, at the level of $DEPOT_CERTIFY.

certify.py          with the client that waits
certify.py --async  with the client for asyncio
"""
import asyncio
import os
import sys

from depot import AsyncDepot, Depot, DepotError

IS_LONG = os.environ.get("DEPOT_CERTIFY") == "2"


def having(attribute, value):
    return {"==": [{"attribute": attribute}, value]}


def query(entity, first):
    return {"entity": entity, "select": [first], "sort": [{"attribute": first}]}


def waiting():
    with Depot() as depot:
        schema = depot.call("schema.get")["schema"]["entities"][0]
        entity, attributes = schema["name"], schema["attributes"]
        names = [attribute["name"] for attribute in attributes]
        first = names[0]
        group = depot.get(entity, [attributes[0]["default"]])[0][first]
        rows = [[row[name] for name in names]
                for row in depot.fetch(entity, where=having(first, group))]
        ids = depot.insert(entity, names, rows)["ids"]
        if not IS_LONG:
            return
        for index, row in enumerate(depot.fetch(entity, where=having(first, ids[0]))):
            if index == 0:
                depot.get(entity, [row["$id"]])
        for row in depot.fetch(entity, where=having(first, ids[1])):
            if row[first] == 0:
                break
        limit = depot.count(entity)
        try:
            depot.update(entity, {first: 1}, ids=[ids[2]], deadline_ms=limit)
        except DepotError as error:
            if error.code != "deadline.passed":
                raise
            depot.update(entity, {first: 1}, ids=[ids[2]])
        calls = [depot.begin("count", entity=entity, where=having(first, value)) for value in (1, 2)]
        counts = [call.result()["count"] for call in calls]
        depot.get(entity, counts)
        depot.insert(entity, [first], [[counts[0]]])
        with depot.watch(fetch=query(entity, first)) as watch:
            for rows in watch:
                depot.get(entity, [row["$id"] for row in rows], partial=True)
                if not rows:
                    break
        last = depot.begin("count", entity=entity)
        depot.end_sending()
        print(last.result()["count"])


async def not_waiting():
    async with AsyncDepot() as depot:
        schema = (await depot.call("schema.get"))["schema"]["entities"][0]
        entity, attributes = schema["name"], schema["attributes"]
        names = [attribute["name"] for attribute in attributes]
        first = names[0]
        group = (await depot.get(entity, [attributes[0]["default"]]))[0][first]
        rows = [[row[name] for name in names]
                async for row in await depot.fetch(entity, where=having(first, group))]
        ids = (await depot.insert(entity, names, rows))["ids"]
        if not IS_LONG:
            return
        seen = 0
        async for row in await depot.fetch(entity, where=having(first, ids[0])):
            if seen == 0:
                await depot.get(entity, [row["$id"]])
            seen += 1
        async with await depot.fetch(entity, where=having(first, ids[1])) as found:
            async for row in found:
                if row[first] == 0:
                    break
        limit = await depot.count(entity)
        try:
            await depot.update(entity, {first: 1}, ids=[ids[2]], deadline_ms=limit)
        except DepotError as error:
            if error.code != "deadline.passed":
                raise
            await depot.update(entity, {first: 1}, ids=[ids[2]])
        calls = [await depot.begin("count", entity=entity, where=having(first, value)) for value in (1, 2)]
        counts = [result["count"] for result in await asyncio.gather(*(call.result() for call in calls))]
        await depot.get(entity, counts)
        await depot.insert(entity, [first], [[counts[0]]])
        async with depot.watch(fetch=query(entity, first)) as watch:
            async for rows in watch:
                await depot.get(entity, [row["$id"] for row in rows], partial=True)
                if not rows:
                    break
        last = await depot.begin("count", entity=entity)
        await depot.end_sending()
        print((await last)["count"])


if __name__ == "__main__":
    if sys.argv[1:] == ["--async"]:
        asyncio.run(not_waiting())
    elif not sys.argv[1:]:
        waiting()
    else:
        sys.exit(__doc__)
