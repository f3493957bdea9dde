import assert from "node:assert/strict";
import test from "node:test";

import { DepotError, LiveRows } from "depot-client/core";

import { SCHEMA, connected, others } from "./fakes.js";
import { dice, limited, seed } from "./helpers.js";

test("A watch goes on from its token, also if the connection was lost within a gap", limited, async () => {
  const { service, connection, client } = await connected();
  const watch = client.entity("E").watch();
  const events = watch[Symbol.asyncIterator]();
  let event = events.next();
  let [call] = await others(connection, 1);
  const columns = ["$id", "$version", "n"];
  void others(connection, 100).catch(() => {});
  connection.send({ id: call.id, kind: "snapshot", columns, next: [[1, 1, 1], [2, 1, 2]] });
  connection.send({ id: call.id, kind: "live", token: "t-1", next: [] });
  assert.deepEqual((await event).value, { kind: "snapshot", token: "t-1" });
  event = events.next();
  connection.send({ id: call.id, kind: "gap", from: "t-1", to: "t-5", next: [] });
  assert.deepEqual((await event).value, { kind: "gap", from: "t-1", to: "t-5" });
  assert.equal(watch.rows.length, 2);
  event = events.next();
  connection.send({ id: call.id, kind: "snapshot", columns, next: [[7, 1, 7]] });
  await new Promise((resolve) => setImmediate(resolve));
  connection.lose();
  const next = await service.welcome();
  [call] = await others(next, 1);
  assert.equal(call.args.since, "t-1");
  next.send({ id: call.id, kind: "resume", columns, token: "t-6", next: [[2, 2, 9], [3, 1, 3]], order: [3, 2] });
  const resumed = (await event).value;
  assert.deepEqual(resumed.changes.map((one) => [one.kind, one.id]), [["removed", 1], ["inserted", 3], ["updated", 2]]);
  assert.deepEqual(watch.rows.map((row) => row.n), [3, 9]);
  await events.return();
  client.close();
});

test("A watched history brings a large transaction in parts, and all of it again if it was cut off", limited, async () => {
  const { service, connection, client } = await connected();
  const watch = client.watch({ history: { entity: "E", values: false }, since: "t-1" }, { parts: true });
  const events = watch[Symbol.asyncIterator]();
  const part = (ids, more) => ({
    token: "t-2", at: "2026-05-01T12:00:00Z", ...(more ? { more } : {}), changes: ids.map((id) => ({ entity: "E", id, kind: "insert" })),
  });
  const taken = (event) => [event.more, event.transactions.flatMap(({ changes }) => changes.map(({ id }) => id))];
  let event = events.next();
  let [call] = await others(connection, 1);
  assert.equal("parts" in call, false);
  void others(connection, 100).catch(() => {});
  connection.send({ id: call.id, kind: "change", token: "t-2", more: true, next: [part([1, 2], true)] });
  assert.deepEqual(taken((await event).value), [true, [1, 2]]);
  assert.equal(watch.token, undefined);
  event = events.next();
  await new Promise((resolve) => setImmediate(resolve));
  connection.lose();
  const next = await service.welcome();
  [call] = await others(next, 1);
  assert.equal(call.args.since, "t-1");
  void others(next, 100).catch(() => {});
  next.send({ id: call.id, kind: "change", token: "t-2", more: true, next: [part([1, 2], true)] });
  assert.deepEqual(taken((await event).value), [true, [1, 2]]);
  event = events.next();
  next.send({ id: call.id, kind: "change", token: "t-2", next: [part([3])] });
  assert.deepEqual(taken((await event).value), [false, [3]]);
  assert.equal(watch.token, "t-2");
  await events.return();
  client.close();
});

test("Random changes, split at random, come to the rows that a list has", () => {
  const random = dice(seed());
  for (let run = 0; run < 300; run++) {
    const live = new LiveRows();
    let list = Array.from({ length: random.below(20) }, (_, n) => ({ $id: n, v: 0 }));
    let newest = list.length;
    live.take({ kind: "snapshot", next: list });
    live.take({ kind: "live", token: "0", next: [] });
    for (let step = 0; step < 20; step++) {
      const before = list;
      const moved = new Map(before.filter(() => random.below(4) === 0).map((row) => [row.$id, { ...row, v: step }]));
      const gone = new Set(before.filter(() => random.below(5) === 0).map((row) => row.$id));
      list = before.filter((row) => !gone.has(row.$id) && !moved.has(row.$id));
      const fresh = [...moved.values()].filter((row) => !gone.has(row.$id));
      for (let count = random.below(4); count > 0; count--) fresh.push({ $id: newest++, v: step });
      for (const row of fresh) list.splice(random.below(list.length + 1), 0, row);
      const place = (rows, id) => rows.findIndex((row) => row.$id === id);
      const entries = fresh
        .map((row) => {
          const from = moved.has(row.$id) ? { from: place(before, row.$id) } : {};
          return { row, change: { kind: "x", at: place(list, row.$id), ...from } };
        })
        .sort((one, other) => one.change.at - other.change.at);
      const removed = [...gone].map((id) => ({ id, from: place(before, id) }));
      const cut = random.below(entries.length + 1);
      const frame = (part, out) => ({
        kind: "change",
        token: String(step),
        next: part.map((one) => one.row),
        changes: part.map((one) => one.change),
        removed: out,
      });
      const half = random.below(removed.length + 1);
      assert.equal(live.take({ ...frame(entries.slice(0, cut), removed.slice(0, half)), more: true }), undefined);
      live.take(frame(entries.slice(cut), removed.slice(half)));
      assert.deepEqual(live.rows, list);
    }
  }
});

test("A change that doesn't fit the rows is an error of the service", () => {
  for (const frame of [
    { next: [], changes: [], removed: [{ id: 9, from: 0 }] },
    { next: [], changes: [], removed: [{ id: 1, from: 0 }, { id: 1, from: 0 }] },
    { next: [], changes: [], removed: [{ id: 1, from: 5 }] },
    { next: [{ $id: 3 }], changes: [{ at: 9 }], removed: [] },
    { next: [{ $id: 3 }], changes: [{ at: -1 }], removed: [] },
    { next: [{ $id: 3 }], changes: [], removed: [] },
    { next: [], kind: "resume", order: [5] },
  ]) {
    const live = new LiveRows();
    live.take({ kind: "snapshot", next: [{ $id: 1 }] });
    live.take({ kind: "live", token: "0", next: [] });
    assert.throws(
      () => live.take({ kind: "change", token: "1", ...frame }), { code: "protocol.frame" }, JSON.stringify(frame),
    );
  }
  const live = new LiveRows(3);
  assert.throws(() => live.take({ kind: "snapshot", next: Array(4).fill({ $id: 1 }) }), { code: "protocol.frame" });
});

test("Answers of any form end in typed errors", limited, async () => {
  const random = dice(seed());
  const names = [
    "next columns rows related changes removed order kind token path entity links at from more schema entities",
    "attributes name type ids count inserted old new id result __proto__ constructor",
  ].flatMap((line) => line.split(" "));
  const member = (depth) => [random.one(names), value(depth - 1)];
  const value = (depth) =>
    random.one([
      () => random.one([null, true, -1, 0, 1, 2, 3, 4]),
      () => random.one(["E", "n", "$id", "date", "insert", "snapshot", "", "composite", "toString"]),
      () => (depth ? Array.from({ length: random.below(4) }, () => value(depth - 1)) : []),
      () => Object.fromEntries(Array.from({ length: depth && random.below(5) }, () => member(depth))),
    ])();
  const kinds = ["snapshot", "live", "change", "resume", "gap", "mark", "x"];
  for (let run = 0; run < 1500; run++) {
    const { service, connection, client } = await connected({ patience: 0 });
    service.refusal = new DepotError({ code: "unavailable.service", message: "Nothing answers.", retry: "later" });
    const entity = client.entity("E");
    const watched = async (watch) => { for await (const _ of watch); };
    const outcome = random.one([
      () => entity.fetch().toArray(),
      () => entity.get(1),
      () => entity.insert([{ n: 1 }]),
      () => entity.insert([{ n: 1 }, { m: 2 }]),
      () => entity.count(),
      () => client.history().toArray(),
      () => watched(entity.watch()),
      () => watched(client.watch({ history: {} })),
      () => client.schema(),
      () => entity.aggregate({ by: ["n"], values: [{ name: "x", aggregate: "max", of: "n" }] }).toArray(),
    ])().then(() => undefined, (error) => error);
    let isDone = false;
    void outcome.then(() => (isDone = true));
    for (let step = 0; step < 12 && !isDone && !connection.isClosed; step++) {
      await new Promise((resolve) => setImmediate(resolve));
      const call = connection.sent.shift();
      if (call && !call.call) continue;
      const id = call?.id ?? 1 + random.below(3);
      const fields = {
        columns: random.below(3) ? ["$id", "$version", "n"] : value(2),
        related: random.below(4) ? undefined : value(3),
        kind: random.one(kinds),
        token: random.one(["t", value(1)]),
      };
      const row = () => (random.below(4) ? [random.below(3), 1, random.below(3)] : value(2));
      const rows = random.below(3) ? Array.from({ length: random.below(3) }, row) : value(3);
      connection.send(random.one([
        {
          id,
          next: rows,
          ...fields,
          changes: value(3),
          removed: value(3),
          order: value(2),
          more: random.below(3) === 0 || undefined,
        },
        {
          id,
          ok: random.below(2) ? value(4) : {
            schema: random.below(2) ? SCHEMA : value(4),
            columns: fields.columns,
            rows,
            ids: value(2),
            inserted: 1,
            updated: 0,
            skipped: 0,
            count: 1,
          },
        },
        { id, next: rows, ...fields },
        { id: random.one([id, value(1)]), [random.one(["err", "ok", "next", "x"])]: value(3) },
      ]));
    }
    connection.lose();
    const error = await outcome;
    assert.ok(error === undefined || error instanceof DepotError, `run ${run}: ${error?.stack}`);
    client.close();
  }
});
