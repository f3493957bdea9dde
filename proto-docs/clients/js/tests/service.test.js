import assert from "node:assert/strict";
import net from "node:net";
import test from "node:test";
import { Worker } from "node:worker_threads";

import { DepotDate, DepotError, connect } from "depot-client";

import { Service, dice, eventually, failure, limited, needsService, seed } from "./helpers.js";

const options = { ...needsService, ...limited };
const ATTRIBUTES = [
  { name: "text", type: "string", optional: true },
  { name: "whole", type: "int64", optional: true },
  { name: "real", type: "double", optional: true },
  { name: "flag", type: "bool", optional: true },
  { name: "moment", type: "date", optional: true },
  { name: "code", type: "uuid", optional: true },
  { name: "bytes", type: "data", optional: true },
  { name: "amount", type: "decimal", optional: true },
  { name: "large", type: "uint64", optional: true },
  { name: "link", type: "url", optional: true },
  { name: "moments", type: "date", collection: "array", optional: true },
  { name: "extra", type: "json", optional: true },
  { name: "home", type: "composite", optional: true, properties: [{ name: "size", type: "int64", optional: true }, { name: "data", type: "data", optional: true }] },
];
const SCHEMA = {
  entities: [
    { name: "Value", attributes: ATTRIBUTES },
    { name: "Item", attributes: [{ name: "size", type: "int64" }, { name: "name", type: "string", optional: true, unique: true }], indexes: [["size"]] },
    { name: "Author", attributes: [{ name: "name", type: "string" }], relationships: [{ name: "books", destination: "Book", toMany: true, inverse: "author" }] },
    { name: "Book", attributes: [{ name: "title", type: "string" }], relationships: [{ name: "author", destination: "Author", inverse: "books", optional: true }] },
  ],
};

/** Runs a test with a service whose store has the schema. */
function withService(name, body) {
  test(name, options, async () => {
    const service = await Service.start();
    try {
      const client = await service.connect({ author: "ann" });
      await client.define(SCHEMA);
      await body(service, client);
    } finally {
      await service.stop();
    }
  });
}

const rowOf = (row, ...names) => names.map((name) => row[name]);

withService("Rows are inserted, read, changed, counted, and deleted", async (_, client) => {
  const items = client.entity("Item");
  const { ids, inserted, token } = await items.insert([{ size: 1, name: "a" }, { size: 2, name: "b" }, { size: 3 }]);
  assert.deepEqual([inserted, ids.length, typeof token], [3, 3, "string"]);
  assert.deepEqual(rowOf(await items.get(ids[1]), "$id", "size", "name"), [ids[1], 2, "b"]);
  assert.equal(await items.get(12345), undefined);
  assert.deepEqual((await items.get([ids[2], 12345, ids[0]])).map((row) => row?.size), [3, undefined, 1]);
  const rows = items.fetch({ where: "size > $least", bind: { least: 1 }, sort: [{ attribute: "size", descending: true }] });
  assert.deepEqual((await rows.toArray()).map((row) => row.size), [3, 2]);
  assert.deepEqual(rows.result, { rows: 2 });
  assert.equal((await rows.first()).size, 3);
  assert.equal(await items.fetch({ where: "size > 9" }).first(), undefined);
  assert.equal((await items.update({ where: "size == 1", set: { size: 10 } })).updated, 1);
  assert.equal(await items.count({ where: "size >= 3" }), 2);
  assert.equal(await items.exists({ where: "size == 77" }), false);
  assert.deepEqual(await items.aggregate({ values: [{ name: "sum", aggregate: "sum", of: "size" }] }).toArray(), [{ sum: 15 }]);
  assert.ok("plan" in (await items.explain({ where: "size == 3" })));
  assert.equal((await items.delete({ ids: [ids[0]] })).deleted, 1);
  assert.equal((await items.delete({ where: true })).deleted, 2);
});

withService("Rows with different members are one transaction, in which what is absent has its default", async (_, client) => {
  const items = client.entity("Item");
  const { ids, inserted } = await items.insert([{ size: 1 }, { size: 2, name: "b" }, { size: 3 }]);
  assert.equal(inserted, 3);
  assert.deepEqual((await items.get(ids)).map((row) => rowOf(row, "size", "name")), [[1, null], [2, "b"], [3, null]]);
  const error = await failure(items.insert([{ size: 4 }, { size: 5, name: "b" }]));
  assert.equal(error.code, "conflict.unique");
  assert.equal(await items.count(), 3);
});

withService("A save changes several entities at once, and says what conflicts", async (_, client) => {
  const saved = await client.save({
    insert: [
      { entity: "Book", rows: [{ title: "Dune", author: "#h" }, { title: "Emma" }] },
      { entity: "Author", rows: [{ $id: "#h", name: "Frank Herbert" }] },
    ],
  });
  assert.equal(saved.inserted, 3);
  const author = await client.entity("Author").get(saved.ids["#h"]);
  const rows = client.entity("Book").fetch({ prefetch: ["author"], sort: [{ attribute: "title" }] });
  const [dune] = await rows.toArray();
  assert.equal(rows.related.get("author").rows.get(dune.author).name, "Frank Herbert");
  const authors = client.entity("Author").fetch({ prefetch: ["books"] });
  await authors.toArray();
  assert.deepEqual(authors.related.get("books").links.get(author.$id), [dune.$id]);
  assert.equal((await client.entity("Book").fetch({ select: ["author.name"], where: "title == 'Dune'" }).first())["author.name"], "Frank Herbert");
  const change = (title, base) => client.save({ update: [{ entity: "Book", rows: [{ $id: dune.$id, $version: dune.$version, title }], base: [{ title: base }] }] });
  await change("Dune Messiah", "Dune");
  const error = await failure(change("Dune II", "Dune"));
  assert.equal(error.code, "conflict.merge");
  assert.equal((await client.entity("Book").get(dune.$id)).title, "Dune Messiah");
});

withService("Errors have the members that the service gives", async (_, client) => {
  const error = await failure(client.entity("Itm").count());
  assert.ok(error instanceof DepotError);
  assert.deepEqual([error.code, error.kind, error.retry, error.effect, error.hint], ["schema.unknown_entity", "schema", "no", "none", 'Did you mean "Item"?']);
  assert.equal((await failure(client.entity("Item").count({ where: "size >" }))).code, "request.predicate");
  assert.equal((await failure(client.entity("Item").insert([{ size: "x" }]))).at, "/args/rows/0/0");
  assert.equal((await failure(client.entity("Item").insert([{ sise: 1 }]))).kind, "schema");
  assert.equal((await failure(client.entity("Item").fetch({ limt: 1 }).toArray())).code, "request.unknown_member");
  assert.equal((await failure(client.call("fetsh"))).code, "request.unknown_op");
  await client.ping();
});

withService("Values of all types come back exactly, whatever they are", async (_, client) => {
  const random = dice(seed());
  const double = () => {
    const view = new DataView(new ArrayBuffer(8));
    view.setUint32(0, random.below(2 ** 32));
    view.setUint32(4, random.below(2 ** 32));
    return view.getFloat64(0);
  };
  const whole = () => {
    const number = BigInt.asIntN(1 + random.below(64), (BigInt(random.below(2 ** 32)) << 32n) | BigInt(random.below(2 ** 32)));
    return Number.isSafeInteger(Number(number)) ? Number(number) : number;
  };
  const sign = () => String.fromCodePoint(random.one([random.below(128), random.below(0xd800), 0xe000 + random.below(0x2000), 0x10000 + random.below(0x100000)]));
  const text = (count = random.below(20)) => Array.from({ length: count }, sign).join("");
  const bytes = () => Uint8Array.from({ length: random.below(50) }, () => random.below(256));
  const hex = (count) => Array.from({ length: count }, () => random.below(16).toString(16)).join("");
  const moment = () => new DepotDate(random.below(3) ? (random.next() - 0.5) * 10 ** random.below(13) : Math.round(random.next() * 1e12) / 1000);
  const json = (depth) => random.one([
    () => random.below(1000), () => text(), () => null, () => random.below(2) === 0, () => 2n ** 60n + BigInt(random.below(1000)), () => random.next(),
    () => (depth ? Array.from({ length: random.below(4) }, () => json(depth - 1)) : []),
    () => (depth ? Object.fromEntries(Array.from({ length: random.below(4) }, () => [`a${text(2).replaceAll("\0", "")}`, json(depth - 1)])) : {}),
  ])();
  const makers = {
    text, whole, flag: () => random.below(2) === 0, moment, bytes,
    real: () => random.one([double, () => random.one([NaN, Infinity, -Infinity, -0, 0, 5e-324, 2 ** 60, 1e19, 1e21, Number.MAX_VALUE]), () => random.below(100) / 4])(),
    code: () => [8, 4, 4, 4, 12].map(hex).join("-"),
    amount: () => `${random.one(["", "-"])}${1 + random.below(10 ** 9)}.${random.below(10 ** 9)}1`,
    large: () => { const number = BigInt.asUintN(64, BigInt(whole())); return Number.isSafeInteger(Number(number)) ? Number(number) : number; },
    link: () => `https://example.org/${random.below(1000)}?a=%20`,
    moments: () => Array.from({ length: random.below(4) }, moment),
    extra: () => json(4),
    "home.size": whole, "home.data": bytes,
  };
  const values = client.entity("Value");
  const rows = Array.from({ length: 500 }, () => Object.fromEntries(Object.entries(makers).map(([name, make]) => [name, random.below(8) ? make() : null])));
  for (const row of rows) row.home = true;
  const { ids } = await values.insert(rows);
  const found = await values.get(ids);
  const fetched = new Map((await values.fetch({ sort: [{ attribute: "moment" }] }).toArray()).map((row) => [row.$id, row]));
  rows.forEach((row, index) => {
    for (const [name, value] of Object.entries(row)) {
      assert.deepEqual(found[index][name], value, `${name} of ${index}`);
      if (value instanceof DepotDate) assert.ok(Object.is(found[index][name].referenceSeconds, value.referenceSeconds), name);
    }
    assert.deepEqual(fetched.get(ids[index]), found[index]);
  });
  // What was read can be written again.
  const { $id, $version, ...again } = found[0];
  const [copy] = (await values.insert([again])).ids;
  assert.deepEqual({ ...(await values.get(copy)), $id, $version }, found[0]);
});

withService("Constants of predicates have the types of JavaScript", async (_, client) => {
  const values = client.entity("Value");
  const row = { moment: new DepotDate(1.25e-10), bytes: Uint8Array.of(1, 255), whole: 2n ** 62n, real: Infinity };
  await values.insert([row, {}]);
  for (const [name, value] of Object.entries(row)) {
    assert.equal(await values.count({ where: { "==": [{ attribute: name }, value] } }), 1, name);
    assert.equal(await values.count({ where: `${name} == $v`, bind: { v: value } }), 1, name);
    assert.equal(await values.count({ where: `${name} IN $v`, bind: { v: [value] } }), 1, name);
  }
});

withService("Large values and many rows go both ways", async (_, client) => {
  const values = client.entity("Value");
  const bytes = new Uint8Array(5 << 20).map((_, index) => (index * 31) >> 3);
  const text = "ä\0😀".repeat(1 << 19);
  const { ids } = await values.insert([{ bytes, text: null }, { bytes: null, text }]);
  const [one, other] = await values.get(ids);
  assert.ok(Buffer.compare(one.bytes, bytes) === 0 && other.text === text);
  const error = await failure(values.insert([{ text: "x".repeat(9 << 20) }]));
  assert.equal(error.code, "limit.value_bytes");
  assert.equal((await failure(values.insert([{ text: "x".repeat(17 << 20) }]))).code, "limit.frame_bytes");
  const items = client.entity("Item");
  const { inserted } = await items.insert(Array.from({ length: 25_000 }, (_, size) => ({ size })));
  assert.equal(inserted, 25_000);
  let sum = 0;
  for await (const { size } of items.fetch()) sum += size;
  assert.equal(sum, (25_000 * 24_999) / 2);
});

withService("Ten thousand frames come in order, with credit for a few", async (_, client) => {
  const items = client.entity("Item");
  await items.insert(Array.from({ length: 10_000 }, (_, size) => ({ size })));
  let frames = 0;
  for await (const { next } of client.stream("fetch", { entity: "Item", batch: 1, select: ["size"], sort: [{ attribute: "size" }] }, { credit: 5 })) {
    assert.equal(next[0][2], frames++);
  }
  assert.equal(frames, 10_000);
});

withService("A slow reader holds up nobody, and a pipeline of calls keeps its order", async (_, client) => {
  const items = client.entity("Item");
  await items.insert(Array.from({ length: 20_000 }, (_, size) => ({ size })));
  const slow = items.fetch({ batch: 10, sort: [{ attribute: "size" }] }, { credit: 1 })[Symbol.asyncIterator]();
  assert.equal((await slow.next()).value.size, 0);
  const [{ $id }] = await items.fetch({ where: "size == 7" }).toArray();
  const writes = Array.from({ length: 500 }, (_, size) => items.update({ ids: [$id], set: { size: 100_000 + size } }));
  const counts = Array.from({ length: 500 }, (_, size) => items.count({ where: "size == $s", bind: { s: size + 1000 } }));
  assert.deepEqual(new Set(await Promise.all(counts)), new Set([1]));
  await Promise.all(writes);
  assert.equal((await items.get($id)).size, 100_499);
  // Its rows are all of the moment at which it began.
  for (let size = 1; size < 20_000; size++) assert.equal((await slow.next()).value.size, size);
  assert.equal((await slow.next()).done, true);
});

withService("More streams than the service takes wait for each other", async (_, client) => {
  const items = client.entity("Item");
  await items.insert(Array.from({ length: 5_000 }, (_, size) => ({ size })));
  const all = await Promise.all(Array.from({ length: 60 }, () => items.fetch({ batch: 100 }).toArray()));
  assert.ok(all.every((rows) => rows.length === 5_000));
});

withService("A loop that is left cancels its call", async (_, client) => {
  const items = client.entity("Item");
  await items.insert(Array.from({ length: 10_000 }, (_, size) => ({ size })));
  for (let run = 0; run < 100; run++) {
    for await (const row of items.fetch({ batch: 1 })) if (row.size === 3) break;
  }
  await eventually(async () => {
    const { connections = [] } = await client.call("stats", { clients: true }).catch(() => ({}));
    return connections.every((one) => (one.calls ?? []).length <= 1);
  });
  assert.equal(await items.count(), 10_000);
});

withService("A call that is late, or given up, was not applied", async (_, client) => {
  const items = client.entity("Item");
  const late = await failure(items.insert([{ size: 1 }], {}, { deadline: 0 }));
  assert.deepEqual([late.code, late.effect], ["deadline.passed", "none"]);
  await items.insert(Array.from({ length: 10_000 }, (_, size) => ({ size })));
  const controller = new AbortController();
  const join = "SUBQUERY({1}, $x, $x == size).@count >= 0 AND size < 0";
  const count = items.count({ where: join }, { signal: controller.signal }).catch((error) => error);
  controller.abort();
  const outcome = await count;
  assert.ok(outcome === 0 || outcome.code === "cancelled.by_client" || outcome.code === "request.predicate", String(outcome));
  const rows = failure(items.fetch({}, { signal: AbortSignal.abort() }).toArray());
  assert.equal((await rows).name, "AbortError");
  assert.equal(await items.count(), 10_000);
});

withService("A fetch that is aborted in its middle ends, and the connection goes on", async (_, client) => {
  const items = client.entity("Item");
  await items.insert(Array.from({ length: 10_000 }, (_, size) => ({ size })));
  const controller = new AbortController();
  const error = await failure((async () => {
    for await (const { size } of items.fetch({ batch: 1 }, { signal: controller.signal })) if (size === 50) controller.abort();
  })());
  assert.equal(error.code, "cancelled.by_client");
  assert.equal(await items.count(), 10_000);
});

withService("The same key stores once, and another request with it is refused", async (_, client) => {
  const items = client.entity("Item");
  const first = await items.insert([{ size: 1 }], {}, { key: "one" });
  const again = await items.insert([{ size: 1 }], {}, { key: "one" });
  assert.deepEqual(again.ids, first.ids);
  assert.equal((await failure(items.insert([{ size: 2 }], {}, { key: "one" }))).code, "conflict.key_reused");
  assert.equal(await items.count(), 1);
});

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

withService("A connection that is lost ends reads with an error, and the next call connects anew", async (service, client) => {
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
  const [read, write] = await Promise.all([client.entity("Item").count(), client.entity("Item").insert([{ size: 1 }])].map(failure));
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
  const entities = SCHEMA.entities.map((entity) => (entity.name === "Item" ? { ...entity, attributes: [...entity.attributes, { name: "at", type: "date", optional: true }] } : entity));
  await other.define({ entities });
  await other.entity("Item").update({ where: true, set: { at: new DepotDate(1) } });
  assert.equal((await items.fetch().first()).at.referenceSeconds, 1);
});

withService("Watches come to the rows that a fetch gives, whatever is changed and however often the service is killed", async (service, client) => {
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
    const wanted = [await items.fetch(query).toArray(), await items.fetch({ where: "size < 60" }).toArray(), [{ count: await items.count() }]];
    for (const [index, rows] of wanted.entries()) {
      await eventually(() => JSON.stringify(watches[index].rows) === JSON.stringify(rows), `watch ${index} at step ${step}`);
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
  assert.deepEqual([change.kind, change.id, change.from, change.at, change.properties, change.row.size], ["updated", ids[0], 0, 1, ["size"], 5]);
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
  const waiting = reader.entity("Item").watch({ where: "size > 99" }, { signal: controller.signal })[Symbol.asyncIterator]();
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
  assert.deepEqual([change.kind, change.id, change.new.bytes, change.new.whole], ["insert", ids[0], Uint8Array.of(7), 2n ** 60n]);
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
  assert.deepEqual([deleted.author, deleted.changes[0].kind, deleted.changes[0].old.bytes], ["eve", "delete", Uint8Array.of(7)]);
  const waiting = next("transactions");
  await service.kill();
  await service.begin();
  const other = await service.connect();
  await other.entity("Value").insert([{ whole: 1 }]);
  assert.equal((await waiting).transactions[0].changes[0].new.whole, 1);
  await events.return();
  assert.equal((await client.call("undo")).transactions, 1);
});

withService("A large transaction comes whole", async (_, client) => {
  const { token } = await client.entity("Value").insert([{ text: "first" }]);
  const text = "x".repeat(2000);
  await client.entity("Value").insert(Array.from({ length: 8_000 }, (_, whole) => ({ text, whole })));
  const transactions = await client.history({ since: token }).toArray();
  assert.deepEqual(transactions.map((one) => one.changes.length), [8_000]);
});

withService("Each thread has a client of its own", async (service, client) => {
  const code = `
    import { parentPort, workerData } from "node:worker_threads";
    const { connect } = await import(workerData.module);
    const client = await connect(workerData.socket);
    const { ids } = await client.entity("Item").insert([{ size: workerData.size }]);
    const error = await client.entity("Itm").count().catch((error) => error);
    client.close();
    parentPort.postMessage({ ids, error: error.toJSON() });`;
  const module = import.meta.resolve ? await import.meta.resolve("depot-client") : new URL("../node.js", import.meta.url).href;
  const workers = Array.from({ length: 4 }, (_, size) => new Promise((resolve, reject) => {
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`), { workerData: { module, socket: service.socket, size } });
    worker.once("message", resolve);
    worker.once("error", reject);
  }));
  const found = await Promise.all(workers);
  assert.equal(new Set(found.map(({ ids }) => ids[0])).size, 4);
  assert.ok(found.every(({ error }) => new DepotError(error).code === "schema.unknown_entity"));
  assert.equal(await client.entity("Item").count(), 4);
});

test("Something else than a service that answers ends in an error", limited, async () => {
  for (const answer of ["HTTP/1.1 400 Bad Request\r\n\r\n", "\0\0\0\0", "\xff\xff\xff\xff", "\0\0\0\x02[]", ""]) {
    const path = `/tmp/depot-js-fake-${process.pid}`;
    const server = net.createServer((socket) => socket.resume().end(Buffer.from(answer, "latin1"))).listen(path);
    const error = await failure(connect(path));
    assert.ok(error instanceof DepotError, String(error));
    assert.ok(["protocol.frame", "unavailable.disconnected"].includes(error.code), error.code);
    await new Promise((resolve) => server.close(resolve));
  }
});
