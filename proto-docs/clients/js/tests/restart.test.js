import assert from "node:assert/strict";

import { DepotDate, connect } from "depot-client";

import { dice, eventually, failure, seed } from "./helpers.js";
import { SCHEMA, withService } from "./stores.js";

withService("Writes take effect once while the service is killed again and again", async (service, client) => {
  const items = client.entity("Item");
  let done = false;
  const killer = (async () => {
    for (let kills = 0; kills < 4; kills++) {
      const before = await eventually(() => items.count().then((count) => count + 1, () => 0));
      await eventually(() => items.count().then((count) => count > before, () => false));
      await service.kill();
      await service.begin();
    }
    done = true;
  })();
  let count = 0;
  while (!done) {
    const round = Array.from({ length: 20 }, () => items.insert([{ size: count++ }]));
    for (const { ids } of await Promise.all(round)) assert.equal(ids.length, 1);
  }
  await killer;
  const sizes = (await items.fetch({ sort: [{ attribute: "size" }] }).toArray()).map((row) => row.size);
  assert.deepEqual(sizes, Array.from({ length: count }, (_, size) => size));
});

withService("A lost connection ends reads with an error, and the next call connects anew", async (service, client) => {
  const items = client.entity("Item");
  await items.insert(Array.from({ length: 10_000 }, (_, size) => ({ size })));
  const rows = items.fetch({ batch: 1 })[Symbol.asyncIterator]();
  await rows.next();
  const write = client.call("insert", { entity: "Item", columns: ["size"], rows: [[1]] }, { key: null });
  await write;
  await service.kill();
  const error = await failure((async () => {
    for (;;) if ((await rows.next()).done) return;
  })());
  assert.deepEqual([error.code, error.effect, error.retry], ["unavailable.disconnected", "none", "later"]);
  const count = items.count();
  await service.begin();
  assert.equal(await count, 10_001);
});

withService("A service that doesn't come back is an error when the patience ends", async (service) => {
  const client = await service.connect({ patience: 200 });
  await service.kill();
  const [read, write] = await Promise.all(
    [client.entity("Item").count(), client.entity("Item").insert([{ size: 1 }])].map(failure),
  );
  assert.equal(read.retry, "later");
  assert.ok(["unavailable.service", "unavailable.disconnected"].includes(read.code));
  assert.ok(["unavailable.service", "unavailable.disconnected"].includes(write.code));
  const none = await failure(connect(service.socket));
  assert.equal(none.code, "unavailable.service");
  assert.match(none.hint, /depotd/);
  assert.match(none.message, new RegExp(service.socket));
  const long = await failure(connect(`/tmp/${"x".repeat(120)}`));
  assert.equal(long.code, "request.usage");
});

withService("A service that stops in order hands its clients to the next one", async (service, client) => {
  const items = client.entity("Item");
  await items.insert([{ size: 1 }]);
  service.process.kill("SIGTERM");
  await service.ended;
  const writes = Array.from({ length: 50 }, (_, size) => items.insert([{ size }]));
  await service.begin();
  await Promise.all(writes);
  assert.equal(await items.count(), 51);
});

withService("A schema that another program changes is read again", async (service, client) => {
  const items = client.entity("Item");
  await items.insert([{ size: 1 }]);
  await items.fetch().toArray();
  const other = await service.connect();
  const entities = SCHEMA.entities.map(
    (entity) => (
      entity.name === "Item" ? {
        ...entity, attributes: [...entity.attributes, { name: "at", type: "date", optional: true }],
      } : entity
    ),
  );
  await other.define({ entities });
  await other.entity("Item").update({ where: true, set: { at: new DepotDate(1) } });
  assert.equal((await items.fetch().first()).at.referenceSeconds, 1);
});

withService("Watches come to the rows that a fetch gives, over kills of the service", async (service, client) => {
  const random = dice(seed());
  const query = { where: "size < 60", sort: [{ attribute: "size", descending: true }], limit: 20 };
  const reader = await service.connect();
  const [items, seen] = [client.entity("Item"), reader.entity("Item")];
  const watches = [seen.watch(query), seen.watch({ where: "size < 60" }), reader.watch({ count: { entity: "Item" } })];
  const loops = watches.map(async (watch) => { for await (const _ of watch); });
  for (let step = 0; step < 60; step++) {
    const kind = random.below(5);
    if (step === 20 || step === 40) {
      await service.kill();
      await service.begin();
    } else if (kind === 0) await items.delete({ where: `size == ${random.below(80)}` });
    else if (kind === 1) await items.update({ where: `size < ${random.below(20)}`, set: { size: random.below(80) } });
    else await items.insert(Array.from({ length: 1 + random.below(8) }, () => ({ size: random.below(80) })));
    if (step % 10 !== 9) continue;
    const wanted = [
      await items.fetch(query).toArray(),
      await items.fetch({ where: "size < 60" }).toArray(),
      [{ count: await items.count() }],
    ];
    for (const [index, rows] of wanted.entries()) {
      await eventually(
        () => JSON.stringify(watches[index].rows) === JSON.stringify(rows), `watch ${index} at step ${step}`,
      );
    }
  }
  for (const watch of watches) watch.close();
  await Promise.all(loops);
});

withService("A watch tells what changed, who changed it, and what was missed", async (service, client) => {
  const items = client.entity("Item");
  const { ids } = await items.insert([{ size: 1 }, { size: 2 }]);
  const reader = await service.connect({ author: "bob" });
  const watch = reader.entity("Item").watch({ sort: [{ attribute: "size" }] });
  const events = watch[Symbol.asyncIterator]();
  const first = (await events.next()).value;
  assert.equal(first.kind, "snapshot");
  await items.update({ ids: [ids[0]], set: { size: 5 } });
  const { value } = await events.next();
  assert.deepEqual([value.kind, value.author, value.token], ["change", "ann", watch.token]);
  const [change] = value.changes;
  assert.deepEqual(
    [change.kind, change.id, change.from, change.at, change.properties, change.row.size],
    ["updated", ids[0], 0, 1, ["size"], 5],
  );
  assert.deepEqual(watch.rows.map((row) => row.size), [2, 5]);
  await service.kill();
  await service.begin();
  await items.delete({ ids: [ids[1]] });
  let event;
  do event = (await events.next()).value;
  while (event.kind !== "snapshot" && event.changes?.length === 0);
  assert.deepEqual(watch.rows.map((row) => row.size), [5]);
  watch.close();
  assert.equal((await events.next()).done, true);
  const error = await failure(reader.entity("Itm").watch()[Symbol.asyncIterator]().next());
  assert.equal(error.code, "schema.unknown_entity");
  const controller = new AbortController();
  const waiting = reader.entity("Item").watch(
    { where: "size > 99" }, { signal: controller.signal },
  )[Symbol.asyncIterator]();
  await waiting.next();
  const end = failure(waiting.next());
  controller.abort();
  assert.equal((await end).name, "AbortError");
  assert.equal(await reader.entity("Item").count(), 1);
});

withService("The history has typed values, and is watched over a restart", async (service, client) => {
  const values = client.entity("Value");
  const moment = new DepotDate(0.123456789);
  const { ids, token } = await values.insert([{ moment, bytes: Uint8Array.of(7), whole: 2n ** 60n }]);
  const [transaction] = (await client.history({ entity: "Value" }).toArray()).slice(-1);
  assert.deepEqual([transaction.author, transaction.token], ["ann", token]);
  const [change] = transaction.changes;
  assert.equal(change.new.moment.referenceSeconds, moment.referenceSeconds);
  assert.deepEqual(
    [change.kind, change.id, change.new.bytes, change.new.whole], ["insert", ids[0], Uint8Array.of(7), 2n ** 60n],
  );
  const events = client.watch({ history: { entity: "Value" }, since: token })[Symbol.asyncIterator]();
  const next = async (kind) => {
    for (;;) {
      const { value } = await events.next();
      if (value.kind === kind) return value;
    }
  };
  await next("live");
  await values.delete({ ids }, { author: "eve" });
  const [deleted] = (await next("transactions")).transactions;
  assert.deepEqual(
    [deleted.author, deleted.changes[0].kind, deleted.changes[0].old.bytes], ["eve", "delete", Uint8Array.of(7)],
  );
  const waiting = next("transactions");
  await service.kill();
  await service.begin();
  const other = await service.connect();
  await other.entity("Value").insert([{ whole: 1 }]);
  assert.equal((await waiting).transactions[0].changes[0].new.whole, 1);
  await events.return();
  assert.equal((await client.call("undo")).transactions, 1);
});

withService("A reader that is too slow is told of a gap, and then has all rows", async (service, client) => {
  const reader = await service.connect();
  const watch = reader.entity("Item").watch({ select: ["size"] }, { credit: 1 });
  const events = watch[Symbol.asyncIterator]();
  assert.equal((await events.next()).value.kind, "snapshot");
  await client.entity("Item").insert(Array.from({ length: 30_000 }, (_, size) => ({ size })));
  const kinds = [];
  while (watch.rows.length < 30_000) kinds.push((await events.next()).value.kind);
  assert.ok(kinds.includes("gap"), kinds.join());
  assert.equal(kinds[kinds.length - 1], "snapshot");
  await events.return();
  assert.equal(await reader.entity("Item").count(), 30_000);
});
