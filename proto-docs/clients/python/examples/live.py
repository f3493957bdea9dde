#!/usr/bin/env python3
"""A watch with asyncio: one task watches the notes of the service at $DEPOT_SOCKET, another one writes them."""
import asyncio

from depot import AsyncDepot

NOTE = {"name": "Note", "attributes": [{"name": "text", "type": "string"}]}


async def write() -> None:
    async with AsyncDepot(name="writer") as depot:
        await depot.insert("Note", ["text"], [["milk"]])
        await depot.update("Note", {"text": "oat milk"}, where="text == 'milk'")


async def main() -> None:
    async with AsyncDepot(name="live") as depot:
        schema = (await depot.call("schema.get"))["schema"]
        schema["entities"] = [entity for entity in schema["entities"] if entity["name"] != "Note"] + [NOTE]
        await depot.call("schema.define", schema=schema)
        await depot.delete("Note", where=True)
        writer: asyncio.Task[None] | None = None
        async with depot.watch(fetch={"entity": "Note", "sort": [{"attribute": "text"}]}) as watch:
            async for rows in watch:
                texts = [row["text"] for row in rows]
                print(texts)
                writer = writer or asyncio.create_task(write())
                if texts == ["oat milk"]:
                    break
        if writer:
            await writer
        await depot.delete("Note", where=True)


asyncio.run(main())
