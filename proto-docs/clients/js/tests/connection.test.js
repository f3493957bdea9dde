import assert from "node:assert/strict";
import test from "node:test";

import { DepotError, open } from "depot-client/core";

import { SCHEMA, connected, others } from "./fakes.js";
import { FakeService, failure, limited } from "./helpers.js";

test("Hello has the versions, the language, and who writes", limited, async () => {
  const { connection, client } = await connected({ name: "report", author: "ann", container: "shop" });
  assert.deepEqual(connection.hello, {
    protocol: [1, 1],
    client: { name: "report", version: "1", language: "javascript" },
    want: ["credit"],
    author: "ann",
    container: "shop",
  });
  client.close();
  assert.ok(connection.isClosed);
});

test("Calls have rising numbers, and answers find them in any order", limited, async () => {
  const { connection, client } = await connected();
  const counts = [1, 2, 3].map((n) => client.entity("E").count({ where: `n == ${n}` }));
  const frames = [await connection.receive(), await connection.receive(), await connection.receive()];
  assert.deepEqual(frames.map((frame) => frame.id), [1, 2, 3]);
  assert.equal("key" in frames[0], false);
  for (const { id } of frames.reverse()) connection.send({ id, ok: { count: 10 * id, more: 1 }, grease: {} });
  assert.deepEqual(await Promise.all(counts), [10, 20, 30]);
});

test("What a client doesn't know is ignored, and pings are answered", limited, async () => {
  const { connection, client } = await connected();
  const ping = client.ping();
  const { id } = await connection.receive();
  const unknown = [{ event: "x" }, { x: 1 }, { id: 77, ok: {} }, { id, x: {} }];
  for (const frame of [...unknown, { ping: 5, x: 1 }]) connection.send(frame);
  connection.send('{"ping":9007199254740993}');
  assert.equal((await connection.receive()).pong, 5);
  assert.equal((await connection.receive()).pong, 9007199254740993n);
  connection.send({ id, ok: {} });
  await ping;
});

for (const [name, frame] of [
  ["no JSON", "{"],
  ["an array", "[]"],
  ["no object", "7"],
  ["bytes that aren't UTF-8", Uint8Array.of(0x22, 0xff, 0x22)],
  ["too many levels", "[".repeat(1000)],
  ["an error that is none", '{"id":1,"err":7}'],
  ["an error without a code", '{"id":1,"err":{}}'],
  ["a result that is none", '{"id":1,"ok":7}'],
  ["rows for a call without any", '{"id":1,"next":[]}'],
  ["a second welcome", '{"welcome":{}}'],
  ["half of a pair", '{"x":"\\ud800"}'],
]) {
  test(`A service that sends ${name} ends the calls with protocol.frame`, limited, async () => {
    const { connection, client } = await connected({ patience: 0 });
    const count = client.entity("E").count();
    await connection.receive();
    connection.send(frame);
    const error = await failure(count);
    assert.ok(error instanceof DepotError);
    assert.equal(error.code, "protocol.frame");
    assert.equal(error.effect, "none");
    assert.ok(connection.isClosed);
  });
}

test("An error without a call is the end of the connection, and its reason", limited, async () => {
  const { connection, client } = await connected({ patience: 0 });
  const [count, write] = [client.entity("E").count(), client.call("insert", { entity: "E", rows: [] }, { key: null })];
  await connection.receive();
  connection.send(
    { err: { code: "unavailable.ended", message: "The owner ended the connection.", retry: "no", effect: "none" } },
  );
  const [one, other] = [await failure(count), await failure(write)];
  assert.deepEqual(
    [one.code, one.effect, other.code, other.effect], ["unavailable.ended", "none", "unavailable.ended", "unknown"],
  );
});

test("An error in the place of welcome is what connecting ends with", limited, async () => {
  const service = new FakeService();
  const opened = open(service);
  const connection = await service.arrival();
  connection.send(
    { err: { code: "protocol.version", message: "No.", retry: "no", effect: "none", details: { min: 2, max: 2 } } },
  );
  const error = await failure(opened);
  assert.deepEqual([error.code, error.details, error.effect], ["protocol.version", { min: 2, max: 2 }, "none"]);
});

test("A lost connection says what became of each call", limited, async () => {
  const { connection, client } = await connected({ patience: 0 }, { inFlight: 2 });
  const read = client.entity("E").count();
  const write = client.call("insert", { entity: "E", rows: [] }, { key: null });
  const waiting = client.call("insert", { entity: "E", rows: [] }, { key: null });
  await connection.receive();
  connection.lose();
  const errors = await Promise.all([read, write, waiting].map(failure));
  assert.deepEqual(errors.map((error) => [error.code, error.effect, error.retry]), [
    ["unavailable.disconnected", "none", "later"],
    ["unavailable.disconnected", "unknown", "later"],
    ["unavailable.disconnected", "none", "later"],
  ]);
});

test("A service that ended in order never began what it didn't answer", limited, async () => {
  const { connection, client } = await connected({ patience: 0 });
  const write = client.call("insert", { entity: "E", rows: [] }, { key: null });
  await connection.receive();
  connection.send({ event: "ended" });
  connection.lose();
  assert.equal((await failure(write)).effect, "none");
});

test("Writes are sent again with their keys, in their order", limited, async () => {
  const { service, connection, client } = await connected();
  const entity = client.entity("E");
  const writes = Array.from({ length: 20 }, (_, n) => entity.update({ ids: [1], set: { n } }, { key: `k${n}` }));
  for (let n = 0; n < 20; n++) assert.equal((await connection.receive()).key, `k${n}`);
  connection.lose();
  const next = await service.welcome();
  for (let n = 0; n < 20; n++) {
    const frame = await next.receive();
    assert.equal(frame.key, `k${n}`);
    next.send({ id: frame.id, ok: { updated: n } });
  }
  assert.deepEqual((await Promise.all(writes)).map((one) => one.updated), Array.from({ length: 20 }, (_, n) => n));
});

test("An error of a later sending doesn't say what became of the first", limited, async () => {
  const { service, connection, client } = await connected();
  const write = client.entity("E").insert([{ n: 1 }], {}, { deadline: 50_000 });
  const first = await connection.receive();
  assert.equal(first.deadlineMs, 50_000);
  connection.lose();
  const next = await service.welcome();
  const again = await next.receive();
  assert.equal(again.key, first.key);
  assert.equal("deadlineMs" in again, false);
  next.send({ id: again.id, err: { code: "permission.write", message: "No.", retry: "no", effect: "none" } });
  const error = await failure(write);
  assert.deepEqual([error.code, error.effect], ["permission.write", "unknown"]);
});

test("A write in doubt that is aborted is still in doubt", limited, async () => {
  const { service, connection, client } = await connected();
  const controller = new AbortController();
  const write = client.entity("E").insert([{ n: 1 }], {}, { signal: controller.signal });
  await connection.receive();
  connection.lose();
  const next = await service.welcome();
  await next.receive();
  controller.abort();
  const error = await failure(write);
  assert.deepEqual([error.code, error.effect, error.name], ["cancelled.by_client", "unknown", "AbortError"]);
  assert.equal(next.sent.some((frame) => frame.cancel), false);
});

test("An aborted read ends at once, and its call is cancelled", limited, async () => {
  const { connection, client } = await connected();
  const controller = new AbortController();
  const count = client.entity("E").count({}, { signal: controller.signal });
  const { id } = await connection.receive();
  controller.abort(new Error("enough"));
  const error = await failure(count);
  assert.deepEqual([error.code, error.name, error.cause.message], ["cancelled.by_client", "AbortError", "enough"]);
  assert.deepEqual(await connection.receive(), { id, cancel: true });
  connection.send({ id, err: { code: "cancelled.by_client", message: "Cancelled.", effect: "none" } });
  const early = await failure(client.entity("E").count({}, { signal: controller.signal }));
  assert.equal(early.code, "cancelled.by_client");
});

test("An aborted write says whether it was applied", limited, async () => {
  const { connection, client } = await connected();
  for (const isApplied of [true, false]) {
    const controller = new AbortController();
    const write = client.entity("E").delete({ where: true }, { signal: controller.signal });
    const { id } = await connection.receive();
    controller.abort();
    assert.deepEqual(await connection.receive(), { id, cancel: true });
    if (isApplied) {
      connection.send({ id, ok: { deleted: 3 } });
      assert.deepEqual(await write, { deleted: 3 });
    } else {
      connection.send({ id, err: { code: "cancelled.by_client", message: "Cancelled.", effect: "none" } });
      assert.equal((await failure(write)).effect, "none");
    }
  }
});

test("No more calls and streams are sent than the service takes", limited, async () => {
  const { connection, client } = await connected({}, { inFlight: 4, streams: 2, watches: 1 });
  const entity = client.entity("E");
  const streams = Array.from({ length: 3 }, () => client.stream("fetch", { entity: "E" }).toArray());
  const counts = Array.from({ length: 4 }, () => entity.count());
  const watches = [entity.watch(), entity.watch()].map((watch) => watch[Symbol.asyncIterator]().next());
  for (const watch of watches) watch.catch(() => {});
  await new Promise((resolve) => setImmediate(resolve));
  const sent = () => connection.sent.splice(0).map((frame) => frame.call);
  // A stream that waits doesn't hold up the calls behind it, and a watch counts apart.
  assert.deepEqual(sent(), ["fetch", "fetch", "count", "count", "watch"]);
  connection.send({ id: 3, ok: { count: 1 } });
  assert.deepEqual(sent(), ["count"]);
  connection.send({ id: 1, ok: { rows: 0 } });
  assert.deepEqual(sent(), ["fetch"]);
  for (const id of [2, 4, 6, 7]) connection.send({ id, ok: { count: 1, rows: 0 } });
  assert.deepEqual(sent(), ["count"]);
  connection.send({ id: 8, ok: { count: 1 } });
  await Promise.all([...streams, ...counts]);
  client.close();
});

test("Credit is given back as rows are used up, and never beyond", limited, async () => {
  const { connection, client } = await connected({ credit: 4 });
  const rows = client.entity("E").fetch()[Symbol.asyncIterator]();
  const first = rows.next();
  const { id, credit } = await connection.receive();
  assert.equal(credit, 4);
  connection.send({ id, columns: ["$id", "$version", "n"], next: [[0, 1, 0]] });
  for (let n = 1; n < 4; n++) connection.send({ id, next: [[n, 1, n]] });
  const schema = await connection.receive();
  connection.send({ id: schema.id, ok: { schema: SCHEMA } });
  assert.equal((await first).value.n, 0);
  assert.deepEqual(connection.sent, []);
  await rows.next();
  assert.deepEqual(connection.sent, []);
  await rows.next();
  assert.deepEqual(connection.sent, [{ id, more: 2 }]);
  await rows.return();
  assert.deepEqual(connection.sent[1], { id, cancel: true });
  connection.send({ id, err: { code: "cancelled.by_client", message: "Cancelled." } });
  client.close();
});

test("A service that sends frames without credit is cut off", limited, async () => {
  const { connection, client } = await connected({ credit: 2 });
  const frames = client.stream("fetch", { entity: "E" }).toArray();
  frames.catch(() => {});
  const { id } = await connection.receive();
  for (let n = 0; n < 3; n++) connection.send({ id, next: [[n]] });
  assert.equal((await failure(frames)).code, "protocol.frame");
});

test("A row that doesn't fit its columns or types ends its stream", limited, async () => {
  for (const row of [[1, 1], [1, 1, "text"], "row"]) {
    const { connection, client } = await connected();
    const rows = client.entity("E").fetch().toArray();
    rows.catch(() => {});
    const { id } = await connection.receive();
    connection.send({ id, columns: ["$id", "$version", "n"], next: [row] });
    // The schema is read once more, as it may have changed.
    void others(connection, 1).catch(() => {});
    assert.equal((await failure(rows)).code, "protocol.frame");
    client.close();
  }
});

test("A stream that ends in its middle says how many rows came", limited, async () => {
  const { connection, client } = await connected();
  const rows = client.entity("E").fetch().toArray();
  const { id } = await connection.receive();
  connection.send({ id, columns: ["$id", "$version", "n"], next: [[1, 1, 5], [2, 1, 6]] });
  connection.send(
    { id, err: { code: "stream.expired", message: "It took too long.", retry: "later", effect: "none" } },
  );
  void others(connection, 1).catch(() => {});
  const error = await failure(rows);
  assert.deepEqual([error.code, error.details.rows], ["stream.expired", 2]);
  assert.match(error.message, /2 rows came before it/);
});

test("A call that crosses the end of a service goes to the next one", limited, async () => {
  const { service, connection, client } = await connected();
  const states = [];
  const count = client.entity("E").count();
  const frame = await connection.receive();
  connection.send({ event: "draining" });
  const later = client.entity("E").count({ where: "n > 0" });
  const next = await service.welcome();
  connection.send(
    { id: frame.id, err: { code: "unavailable.draining", message: "Stopping.", retry: "later", effect: "none" } },
  );
  const both = [await next.receive(), await next.receive()];
  for (const { id, args } of both) next.send({ id, ok: { count: args.where ? 2 : 1 } });
  assert.deepEqual([await count, await later], [1, 2]);
  assert.deepEqual(states, []);
  assert.ok(connection.isClosed);
});

test("The state of the connection is told", limited, async () => {
  const states = [];
  const { service, connection, client } = await connected(
    { onState: (state, error) => states.push([state, error?.code]) },
  );
  connection.lose();
  const ping = client.ping();
  const next = await service.welcome();
  next.send({ id: (await next.receive()).id, ok: {} });
  await ping;
  client.close();
  client.close();
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(
    states,
    [
      ["connected", undefined],
      ["disconnected", "unavailable.disconnected"],
      ["connected", undefined],
      ["closed", undefined],
    ],
  );
});

test("A closed client ends what is open, and begins nothing", limited, async () => {
  const { connection, client } = await connected();
  const [count, write] = [client.entity("E").count(), client.entity("E").insert([{ n: 1 }])];
  const rows = client.entity("E").fetch().toArray();
  rows.catch(() => {});
  await connection.receive();
  client.close();
  const errors = await Promise.all([count, write, rows, client.ping()].map(failure));
  assert.deepEqual(errors.map((error) => [error.code, error.retry, error.effect]), [
    ["unavailable.disconnected", "no", "none"], ["unavailable.disconnected", "no", "unknown"],
    ["unavailable.disconnected", "no", "none"], ["unavailable.disconnected", "no", "none"],
  ]);
});

test("A call that is too large for a frame isn't sent, and an insert is split", limited, async () => {
  const { connection, client } = await connected({}, { frameBytes: 2000, rows: 10 });
  const error = await failure(
    client.save({ insert: [{ entity: "E", rows: Array.from({ length: 900 }, () => ({ n: 1 })) }] }),
  );
  assert.equal(error.code, "limit.frame_bytes");
  const inserted = client.entity("E").insert(Array.from({ length: 25 }, (_, n) => ({ n })), {}, { key: "k" });
  const found = [];
  for (const key of ["k", "k:10", "k:20"]) {
    const { id, args, key: own } = await connection.receive();
    assert.equal(own, key);
    found.push(...args.rows.map(([n]) => n));
    connection.send(
      { id, ok: { inserted: args.rows.length, updated: 0, skipped: 0, ids: args.rows.map(([n]) => n + 1) } },
    );
  }
  assert.deepEqual(found, Array.from({ length: 25 }, (_, n) => n));
  assert.deepEqual((await inserted).ids.slice(-2), [24, 25]);
  const failing = client.entity("E").insert(Array.from({ length: 20 }, (_, n) => ({ n })));
  const first = await connection.receive();
  connection.send({ id: first.id, ok: { inserted: 10, updated: 0, skipped: 0, ids: Array(10).fill(1) } });
  const second = await connection.receive();
  connection.send({ id: second.id, err: { code: "conflict.unique", message: "Taken.", retry: "no", effect: "none" } });
  const partial = await failure(failing);
  assert.deepEqual([partial.code, partial.effect, partial.details.done], ["conflict.unique", "partial", 10]);
});

test("What is used wrongly says so", limited, async () => {
  const { client } = await connected();
  assert.equal((await failure(client.call("fetch", { entity: "E" }))).code, "request.usage");
  assert.throws(() => client.stream("count"), { code: "request.usage" });
  assert.equal((await failure(client.entity("E").insert([[1]]))).code, "request.usage");
  const watch = client.entity("E").watch();
  watch[Symbol.asyncIterator]();
  assert.throws(() => watch[Symbol.asyncIterator](), { code: "request.usage" });
  client.close();
});

test("A call behind the end of sending goes over another connection", limited, async () => {
  const { service, connection, client } = await connected();
  const count = client.entity("E").count();
  await client.endSending();
  const later = client.entity("E").count();
  const next = await service.welcome();
  const { id } = await connection.receive();
  connection.send({ id, ok: { count: 1 } });
  next.send({ id: (await next.receive()).id, ok: { count: 2 } });
  assert.deepEqual([await count, await later], [1, 2]);
  client.close();
});

test("A call that is aborted while the service is away says whether it is in doubt", limited, async () => {
  for (const wasSent of [true, false]) {
    const { service, connection, client } = await connected();
    const controller = new AbortController();
    const insert = () => client.entity("E").insert([{ n: 1 }], {}, { signal: controller.signal });
    let write;
    if (wasSent) {
      write = insert();
      await connection.receive();
    }
    service.refusal = new DepotError({ code: "unavailable.service", message: "Nothing answers.", retry: "later" });
    connection.lose();
    write ??= insert();
    setImmediate(() => controller.abort());
    const error = await failure(write);
    assert.deepEqual([error.code, error.effect], ["cancelled.by_client", wasSent ? "unknown" : "none"]);
    client.close();
  }
});

test("A call that is aborted while it waits for room is never sent", limited, async () => {
  const { connection, client } = await connected({}, { inFlight: 1 });
  const controller = new AbortController();
  const first = client.entity("E").count();
  const aborted = client.entity("E").insert([{ n: 1 }], {}, { signal: controller.signal });
  const last = client.entity("E").count({ where: "n > 1" });
  const { id } = await connection.receive();
  controller.abort();
  assert.equal((await failure(aborted)).effect, "none");
  connection.send({ id, ok: { count: 1 } });
  const frame = await connection.receive();
  assert.deepEqual(frame.args, { where: "n > 1", entity: "E" });
  connection.send({ id: frame.id, ok: { count: 2 } });
  assert.deepEqual([await first, await last], [1, 2]);
  client.close();
});

test("Calls by the ten thousand wait for room in their order", limited, async () => {
  const { connection, client } = await connected({}, { inFlight: 8 });
  const count = 30_000;
  const calls = Array.from({ length: count }, (_, n) => client.call("x", { n }));
  for (let n = 0; n < count; n++) {
    const { id, args } = await connection.receive();
    assert.equal(args.n, n);
    connection.send({ id, ok: { n } });
  }
  assert.deepEqual((await Promise.all(calls)).map((one) => one.n), Array.from({ length: count }, (_, n) => n));
  client.close();
});

test("A signal may be aborted at any moment", limited, async () => {
  for (let hops = 0; hops < 12; hops++) {
    for (const begin of [
      (entity, options) => entity.count({}, options),
      (entity, options) => entity.insert([{ n: 1 }], {}, options),
      (entity, options) => entity.fetch({}, options).toArray(),
      (entity, options) => entity.watch({}, options)[Symbol.asyncIterator]().next(),
    ]) {
      const { connection, client } = await connected();
      const controller = new AbortController();
      const outcome = failure(begin(client.entity("E"), { signal: controller.signal }));
      for (let hop = 0; hop < hops; hop++) await undefined;
      controller.abort();
      // The service says that the call was done, or that it was cancelled.
      for (let turn = 0; turn < 3; turn++) {
        await new Promise((resolve) => setImmediate(resolve));
        const id = connection.sent.splice(0).find((frame) => frame.cancel)?.id;
        if (id) connection.send({ id, err: { code: "cancelled.by_client", message: "Cancelled." } });
      }
      const error = await outcome;
      assert.deepEqual([error.name, error.effect], ["AbortError", "none"]);
      client.close();
    }
  }
});
