#!/usr/bin/env node
// Two programs in one: one watches the notes of the service at $DEPOT_SOCKET, the other one writes them.

import { connect } from "depot-client";

const client = await connect(undefined, { name: "live", author: "ann" });
const { schema } = await client.schema();
const note = { name: "Note", attributes: [{ name: "text", type: "string" }, { name: "at", type: "date" }] };
await client.define({ ...schema, entities: [...schema.entities.filter(({ name }) => name !== "Note"), note] });
const notes = client.entity("Note");
await notes.delete({ where: true });

async function write() {
  const writer = await connect(undefined, { name: "writer", author: "bob" });
  const { ids } = await writer.entity("Note").insert([{ text: "milk", at: new Date() }]);
  await writer.entity("Note").update({ ids, set: { text: "oat milk" } });
  writer.close();
}

const watch = notes.watch({ sort: [{ attribute: "text" }] });
for await (const event of watch) {
  const texts = watch.rows.map((row) => row.text);
  console.log(event.kind, texts);
  if (event.kind === "snapshot") write();
  if (texts[0] === "oat milk") break;
}

await notes.delete({ where: true });
client.close();
