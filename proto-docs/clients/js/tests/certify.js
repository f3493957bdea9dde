#!/usr/bin/env node
// Answers conformance/run.py client with this package, at the level of $DEPOT_CERTIFY.

import { connect } from "depot-client";

const isLong = process.env.DEPOT_CERTIFY === "2";
const client = await connect();
const [description] = (await client.schema()).schema.entities;
const names = description.attributes.map((attribute) => attribute.name);
const [first] = names;
const entity = client.entity(description.name);
const having = (value) => ({ "==": [{ attribute: first }, value] });

const group = (await entity.get(description.attributes[0].default))[first];
const rows = await entity.fetch({ where: having(group) }).toArray();
const stored = rows.map((row) => Object.fromEntries(names.map((name) => [name, row[name]])));
// The columns in the order of the schema, as the question has them.
const { ids } = await client.call("insert", {
  entity: entity.name,
  columns: names,
  rows: stored.map((row) => names.map((name) => row[name])),
});

if (isLong) {
  let count = 0;
  for await (const row of entity.fetch({ where: having(ids[0]) })) {
    if (count++ === 0) await entity.get(row.$id);
  }
  for await (const row of entity.fetch({ where: having(ids[1]) })) {
    if (row[first] === 0) break;
  }
  const deadline = await entity.count();
  const change = { ids: [ids[2]], set: { [first]: 1 } };
  await entity.update(change, { deadline }).catch((error) => {
    if (error.code !== "deadline.passed") throw error;
    return entity.update(change);
  });
  const counts = await Promise.all([1, 2].map((value) => entity.count({ where: having(value) })));
  await entity.get(counts);
  await entity.insert([{ [first]: counts[0] }]);
  const watch = entity.watch({ select: [first], sort: [{ attribute: first }] });
  for await (const event of watch) {
    if (event.kind === "gap" || event.kind === "mark") continue;
    await entity.get(watch.rows.map((row) => row.$id));
    if (watch.rows.length === 0) break;
  }
  const last = entity.count();
  await client.endSending();
  console.log(await last);
}
client.close();
