import assert from "node:assert/strict";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import test from "node:test";
import { Worker } from "node:worker_threads";

import { DepotError, connect } from "depot-client";

import { eventually, failure, limited } from "./helpers.js";
import { withService } from "./stores.js";

const rowOf = (row, ...names) => names.map((name) => row[name]);

withService("Rows are inserted, read, changed, counted, and deleted", async (_, client) => {
  const items = client.entity("Item");
  const { ids, inserted, token } = await items.insert([{ size: 1, name: "a" }, { size: 2, name: "b" }, { size: 3 }]);
  assert.deepEqual([inserted, ids.length, typeof token], [3, 3, "string"]);
  assert.deepEqual(rowOf(await items.get(ids[1]), "$id", "size", "name"), [ids[1], 2, "b"]);
  assert.equal(await items.get(12345), undefined);
  assert.deepEqual((await items.get([ids[2], 12345, ids[0]])).map((row) => row?.size), [3, undefined, 1]);
  const rows = items.fetch(
    { where: "size > $least", bind: { least: 1 }, sort: [{ attribute: "size", descending: true }] },
  );
  assert.deepEqual((await rows.toArray()).map((row) => row.size), [3, 2]);
  assert.deepEqual(rows.result, { rows: 2 });
  assert.equal((await rows.first()).size, 3);
  assert.equal(await items.fetch({ where: "size > 9" }).first(), undefined);
  assert.equal((await items.update({ where: "size == 1", set: { size: 10 } })).updated, 1);
  assert.equal(await items.count({ where: "size >= 3" }), 2);
  assert.equal(await items.exists({ where: "size == 77" }), false);
  assert.deepEqual(
    await items.aggregate({ values: [{ name: "sum", aggregate: "sum", of: "size" }] }).toArray(), [{ sum: 15 }],
  );
  assert.ok("plan" in (await items.explain({ where: "size == 3" })));
  assert.equal((await items.delete({ ids: [ids[0]] })).deleted, 1);
  assert.equal((await items.delete({ where: true })).deleted, 2);
});

withService("Rows with different members are one transaction, and have their defaults", async (_, client) => {
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
  assert.equal(
    (await client.entity("Book").fetch({ select: ["author.name"], where: "title == 'Dune'" }).first())["author.name"],
    "Frank Herbert",
  );
  const change = (title, base) => client.save(
    {
      update: [{ entity: "Book", rows: [{ $id: dune.$id, $version: dune.$version, title }], base: [{ title: base }] }],
    },
  );
  await change("Dune Messiah", "Dune");
  const error = await failure(change("Dune II", "Dune"));
  assert.equal(error.code, "conflict.merge");
  assert.equal((await client.entity("Book").get(dune.$id)).title, "Dune Messiah");
});

withService("Errors have the members that the service gives", async (_, client) => {
  const error = await failure(client.entity("Itm").count());
  assert.ok(error instanceof DepotError);
  assert.deepEqual(
    [error.code, error.kind, error.retry, error.effect, error.hint],
    ["schema.unknown_entity", "schema", "no", "none", 'Did you mean "Item"?'],
  );
  assert.equal((await failure(client.entity("Item").count({ where: "size >" }))).code, "request.predicate");
  assert.equal((await failure(client.entity("Item").insert([{ size: "x" }]))).at, "/args/rows/0/0");
  assert.equal((await failure(client.entity("Item").insert([{ sise: 1 }]))).kind, "schema");
  assert.equal((await failure(client.entity("Item").fetch({ limt: 1 }).toArray())).code, "request.unknown_member");
  assert.equal((await failure(client.call("fetsh"))).code, "request.unknown_op");
  await client.ping();
  // The stack names the program's line, not only the socket's.
  const rows = client.entity("Itm").fetch();
  for (const begin of [() => client.entity("Itm").count(), () => rows.toArray(), () => client.entity("Itm").insert([{}])]) {
    const { stack } = await failure((async () => await begin())());
    assert.match(stack, /service\.test\.js/);
  }
});

withService("Ten thousand frames come in order, with credit for a few", async (_, client) => {
  const items = client.entity("Item");
  await items.insert(Array.from({ length: 10_000 }, (_, size) => ({ size })));
  let frames = 0;
  const query = { entity: "Item", batch: 1, select: ["size"], sort: [{ attribute: "size" }] };
  for await (const { next } of client.stream("fetch", query, { credit: 5 })) {
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
  const counts = Array.from(
    { length: 500 }, (_, size) => items.count({ where: "size == $s", bind: { s: size + 1000 } }),
  );
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
    const { connections } = await client.call("stats");
    return connections.list.every((one) => one.calls.every((call) => call.op === "stats"));
  }, "the end of all calls");
  assert.equal(await items.count(), 10_000);
});

withService("A call that is late, or given up, was not applied", async (_, client) => {
  const items = client.entity("Item");
  const late = await failure(items.insert([{ size: 1 }], {}, { deadline: 0 }));
  assert.deepEqual([late.code, late.effect], ["deadline.passed", "none"]);
  await items.insert(Array.from({ length: 10_000 }, (_, size) => ({ size })));
  const controller = new AbortController();
  const write = items.update({ where: true, set: { size: 5 } }, { signal: controller.signal }).catch((error) => error);
  controller.abort();
  const outcome = await write;
  const changed = await items.count({ where: "size == 5" });
  if (outcome instanceof DepotError) {
    assert.deepEqual([outcome.name, outcome.effect, changed], ["AbortError", "none", 1]);
  } else {
    assert.deepEqual([outcome.updated, changed], [10_000, 10_000]);
  }
  const rows = failure(items.fetch({}, { signal: AbortSignal.abort() }).toArray());
  assert.equal((await rows).name, "AbortError");
});

withService("A fetch that is aborted in its middle ends, and the connection goes on", async (_, client) => {
  const items = client.entity("Item");
  await items.insert(Array.from({ length: 10_000 }, (_, size) => ({ size })));
  const controller = new AbortController();
  const error = await failure((async () => {
    const rows = items.fetch({ batch: 1 }, { signal: controller.signal });
    for await (const { size } of rows) if (size === 50) controller.abort();
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

withService("A large transaction comes whole, or in the parts that one asks for", async (_, client) => {
  const { token } = await client.entity("Value").insert([{ text: "first" }]);
  const text = "x".repeat(2000);
  await client.entity("Value").insert(Array.from({ length: 8_000 }, (_, whole) => ({ text, whole })));
  const transactions = await client.history({ since: token }).toArray();
  assert.deepEqual(transactions.map((one) => one.changes.length), [8_000]);
  const parts = await client.history({ since: token }, { parts: true }).toArray();
  assert.ok(parts.length > 1);
  assert.equal(parts.reduce((sum, one) => sum + one.changes.length, 0), 8_000);
  assert.deepEqual(parts.map((one) => one.more === true), parts.map((_, place) => place < parts.length - 1));
  assert.equal(new Set(parts.map((one) => one.token)).size, 1);
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
  const module = import.meta.resolve ? await import.meta.resolve("depot-client") : new URL(
    "../node.js", import.meta.url,
  ).href;
  const workers = Array.from({ length: 4 }, (_, size) => new Promise((resolve, reject) => {
    const worker = new Worker(
      new URL(`data:text/javascript,${encodeURIComponent(code)}`),
      { workerData: { module, socket: service.socket, size } },
    );
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

test("Folders of the own socket that others could have made are refused", limited, async () => {
  const [stranger, nobody] = [65533, 65534];
  const isRoot = process.getuid() === 0;
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "depot-js-"));
  const { DEPOT_SOCKET, XDG_RUNTIME_DIR } = process.env;
  const place = (name, mode, owner) => {
    const socketFolder = path.join(folder, name, "depot");
    fs.mkdirSync(socketFolder, { recursive: true });
    fs.chmodSync(socketFolder, mode);
    if (isRoot) fs.chownSync(socketFolder, owner ?? nobody, owner ?? nobody);
    return path.dirname(socketFolder);
  };
  const codeIn = async (runtimeFolder) => {
    process.env.XDG_RUNTIME_DIR = runtimeFolder;
    delete process.env.DEPOT_SOCKET;
    if (isRoot) process.seteuid(nobody);
    try {
      return (await failure(connect(undefined, { patience: 0 }))).code;
    } finally {
      if (isRoot) process.seteuid(0);
    }
  };
  try {
    fs.chmodSync(folder, 0o755);
    assert.equal(await codeIn(place("own", 0o700)), "unavailable.service");
    assert.equal(await codeIn(place("open", 0o777)), "permission.file");
    assert.equal(await codeIn(place("sticky", 0o1777)), "unavailable.service");
    if (!isRoot) return;
    assert.equal(await codeIn(place("foreign", 0o755, stranger)), "permission.file");
    fs.mkdirSync(path.join(folder, "linked"));
    fs.symlinkSync(path.join(folder, "own", "depot"), path.join(folder, "linked", "depot"));
    fs.lchownSync(path.join(folder, "linked", "depot"), stranger, stranger);
    assert.equal(await codeIn(path.join(folder, "linked")), "permission.file");
  } finally {
    fs.rmSync(folder, { recursive: true });
    for (const [name, value] of Object.entries({ DEPOT_SOCKET, XDG_RUNTIME_DIR })) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
});

withService("A connection that may only read, or read and write, is refused the rest", async (service, client) => {
  await client.entity("Item").insert([{ size: 1 }]);
  const reader = await connect(service.socket, { access: "read" });
  assert.equal(await reader.entity("Item").count(), 1);
  assert.equal((await failure(reader.entity("Item").insert([{ size: 2 }]))).code, "permission.op");
  reader.close();
  const writer = await connect(service.socket, { access: "write" });
  await writer.entity("Item").insert([{ size: 2 }]);
  assert.equal((await failure(writer.call("compact"))).code, "permission.op");
  writer.close();
  assert.equal((await failure(connect(service.socket, { access: "everything" }))).code, "request.usage");
});
