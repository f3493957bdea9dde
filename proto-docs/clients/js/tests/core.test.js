import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import test from "node:test";

import { DepotDate, DepotError, FrameReader, JSONText, newKey, open, readJSON, withLength, writeJSON } from "depot-client/core";

import { saveArguments } from "../batches.js";
import { STREAMS, WRITES } from "../link.js";
import { rememberRows } from "../json.js";
import { Types } from "../values.js";
import { FakeService, dice, documents, failure, seed } from "./helpers.js";

const vectors = path.join(documents, "vectors");
const read = (...names) => JSON.parse(fs.readFileSync(path.join(vectors, ...names), "utf8"));

// JSON.parse takes the last of two equal names, and any name. The service refuses them, and never sends them.
const TAKEN = /^n_(duplicate|name_nul|.*name.*nul)/;
test("JSON is read as the vectors say", () => {
  for (const { name } of read("json", "manifest.json").vectors) {
    const bytes = fs.readFileSync(path.join(vectors, "json", name));
    const isFine = name.startsWith("y_");
    let found;
    try {
      readJSON(bytes);
      found = true;
    } catch (error) {
      assert.ok(error instanceof DepotError, name);
      assert.equal(error.code, "protocol.frame", name);
      found = false;
    }
    assert.ok(found === isFine || (found && TAKEN.test(name)), `${name} is ${found ? "taken" : "refused"}`);
  }
});

test("Whole numbers are exact at any size", () => {
  const numbers = "9007199254740991,9007199254740992,-9223372036854775808,1.5,1e3,-0.0,12345678901234567.5";
  const text = `{"a":[${numbers}],"__proto__":18446744073709551615}`;
  for (const one of ["9007199254740993", "-9007199254740993", "[0.5,9007199254740993]", "[1.5e3,-9007199254740993]"]) {
    assert.equal([readJSON(one)].flat().pop(), one.includes("-") ? -9007199254740993n : 9007199254740993n);
  }
  const value = readJSON(text);
  assert.deepEqual(
    value.a, [9007199254740991, 9007199254740992n, -9223372036854775808n, 1.5, 1000, -0, 12345678901234568],
  );
  assert.equal(Object.getOwnPropertyDescriptor(value, "__proto__").value, 18446744073709551615n);
  assert.equal(writeJSON([2n ** 63n - 1n, 2 ** 60, 1e21]), "[9223372036854775807,1152921504606846976.0,1e+21]");
});

test("JSON is kept and sent as it is written, and refused where the service would", () => {
  const types = new Types({
    entities: [{
      name: "E", attributes: [["a", "json"], ["n", "int64"], ["b", "json"]].map(([name, type]) => ({ name, type })),
    }],
  });
  const texts = ['{"b":[1.10,{}],"10":-0.0,"2":"\\u00e9\\"]"}', "1.10", '"a"', "[ ]", "true"];
  for (const isAnswer of [false, true]) {
    const rows = `[${texts.map((text) => ` [${text} ,7, null]`).join(",")}]`;
    const source = isAnswer ? `{"id":1, "ok":{"x":[[]],"rows": ${rows}}}` : `{"id":1,"columns":[], "next" : ${rows}}`;
    for (const data of [source, new TextEncoder().encode(source)]) {
      const frame = readJSON(data);
      rememberRows(frame, data);
      const found = types.rows("E", ["a", "n", "b"], frame.next ?? frame.ok.rows, undefined, true, true);
      assert.deepEqual(found.map(({ a, n, b }) => [a.text, n, b]), texts.map((text) => [text, 7, null]));
      assert.equal(writeJSON(found.map(({ a }) => a)), `[${texts}]`);
      assert.deepEqual(found[0].a.value, JSON.parse(texts[0]));
    }
  }
  for (const text of ['{"a":1,"a":2}', "1 2", '{"a":', "[1,]", '"\\ud800"', "", "[".repeat(65) + "]".repeat(65)]) {
    assert.throws(() => new JSONText(text), undefined, text);
  }
  assert.throws(() => writeJSON({ a: new JSONText("[".repeat(64) + "]".repeat(64)) }), { code: "limit.depth" });
});

for (const type of ["int64", "double", "date", "uuid", "data", "decimal", "url", "string", "bool"]) {
  test(`Values of the type ${type} are written as they were read`, () => {
    const types = new Types({ entities: [{ name: "E", attributes: [{ name: "a", type }] }] });
    const { canonical, accepted } = read("values", `${type}.json`);
    for (const text of [...canonical, ...accepted.map((one) => one.canonical)]) {
      const [row] = types.rows("E", ["a"], [[readJSON(text)]], undefined, true);
      const again = readJSON(writeJSON(row.a));
      const same = type === "date" && typeof again === "object" ? again.referenceSeconds : again;
      const wanted = readJSON(text);
      assert.ok(
        Object.is(same, type === "date" && typeof wanted === "object" ? wanted.referenceSeconds : wanted),
        `${text} came back as ${writeJSON(row.a)}`,
      );
    }
  });
}

test("Dates are read in any form, and have the exact double", () => {
  const { canonical, accepted } = read("values", "date.json");
  for (const { text, canonical } of accepted) {
    assert.ok(
      Object.is(DepotDate.from(readJSON(text)).referenceSeconds, DepotDate.from(readJSON(canonical)).referenceSeconds),
      text,
    );
  }
  for (const text of canonical.filter((one) => one.startsWith('"'))) {
    assert.equal(writeJSON(DepotDate.from(readJSON(text))), text);
  }
  const wrong = ["2026-02-29T00:00:00Z", "2016-12-31T23:59:60Z", "2026-01-01", "", "now"];
  for (const text of [...wrong, 0, {}, null, { referenceSeconds: "1" }]) {
    assert.throws(() => DepotDate.from(text), { code: "request.type" });
  }
});

test("A date can be set, and has the milliseconds of a Date", () => {
  const date = DepotDate.from("2026-07-01T10:20:30.123457Z");
  assert.equal(date.getUTCMilliseconds(), 123);
  assert.equal(date.toJSON(), "2026-07-01T10:20:30.123457Z");
  date.setUTCFullYear(2027);
  assert.equal(date.toJSON(), "2027-07-01T10:20:30.123Z");
  assert.equal(writeJSON([new Date("1969-12-31T23:59:59.999Z")]), '["1969-12-31T23:59:59.999Z"]');
  assert.throws(() => writeJSON(new Date(NaN)), { code: "request.type" });
});

test("Random dates of all sizes come back as the same double", () => {
  const random = dice(seed());
  for (let index = 0; index < 50_000; index++) {
    const seconds = (random.next() - 0.5) * 10 ** random.below(14);
    const date = new DepotDate(random.below(4) ? Math.round(seconds * 1000) / 1000 : seconds);
    assert.ok(
      Object.is(DepotDate.from(readJSON(writeJSON(date))).referenceSeconds, date.referenceSeconds),
      String(date.referenceSeconds),
    );
  }
});

test("What a service would close the connection for is refused before it is sent", () => {
  const deep = [];
  let inner = deep;
  for (let index = 0; index < 70; index++) inner.push((inner = []));
  const circle = {};
  circle.again = circle;
  for (const [value, code] of [
    ["half \ud800", "request.type"],
    [{ "\udc00": 1 }, "request.type"],
    [{ "a\0": 1 }, "request.usage"],
    [deep, "limit.depth"],
    [circle, "limit.depth"],
    [[undefined], "request.type"],
    [() => 1, "request.type"],
    [Symbol("s"), "request.type"],
    [new Map(), "request.usage"],
    [Array(1_000_001).fill(0), "limit.values"],
  ]) {
    assert.throws(() => writeJSON(value), { code });
  }
  assert.equal(
    writeJSON({ a: undefined, b: [NaN, -Infinity, -0, 1n, "\0é"], c: new Set([1]) }),
    '{"b":["NaN","-Infinity",-0.0,1,"\\u0000é"],"c":[1]}',
  );
});

test("Frames are cut out of bytes however they arrive", () => {
  const random = dice(seed());
  const frames = Array.from(
    { length: 300 }, () => new Uint8Array(1 + random.below(random.one([3, 50, 5000]))).map(() => random.below(256)),
  );
  const bytes = new Uint8Array(frames.flatMap((frame) => [...withLength(frame)]));
  for (const largest of [1, 7, 1000, bytes.length]) {
    const reader = new FrameReader();
    const found = [];
    for (let start = 0; start < bytes.length; ) {
      const end = start + 1 + random.below(largest);
      for (const frame of reader.take(bytes.subarray(start, end))) found.push(Uint8Array.from(frame));
      start = end;
    }
    assert.deepEqual(found, frames);
  }
});

test("Lengths that no frame has are refused before anything is made for them", () => {
  for (const head of [[0, 0, 0, 0], [4, 0, 0, 1], [255, 255, 255, 255]]) {
    assert.throws(() => [...new FrameReader().take(Uint8Array.from(head))], { code: "protocol.frame" });
  }
  const before = process.memoryUsage().rss;
  const readers = Array.from({ length: 100 }, () => new FrameReader());
  for (const reader of readers) assert.deepEqual([...reader.take(Uint8Array.from([4, 0, 0, 0]))], []);
  assert.ok(process.memoryUsage().rss - before < 100 << 20);
});

test("JSON with too many levels or values is refused before it is parsed", () => {
  const many = 2_100_000;
  const large = [`[${"0,".repeat(many)}0]`, `{"next":[${"[],".repeat(many)}[]]}`];
  for (const text of ["[".repeat(1 << 20), '{"a":'.repeat(100), ...large]) {
    assert.throws(() => readJSON(text), { code: "protocol.frame" });
  }
  assert.throws(() => readJSON("9".repeat(1 << 24)), { code: "protocol.frame" });
  assert.equal(readJSON(`"${"[".repeat(100)}"`).length, 100);
  assert.deepEqual(readJSON('["\\\\",["\\""]]'), ["\\", ['"']]);
});

test("The operations that write and those that stream are those of protocol.json", () => {
  const { operations } = JSON.parse(fs.readFileSync(path.join(documents, "protocol.json"), "utf8"));
  const names = (member) => operations.filter((one) => one[member]).map((one) => one.name).sort();
  assert.deepEqual([...WRITES].sort(), names("writes"));
  assert.deepEqual([...STREAMS].sort(), names("streams"));
});

test("Keys are new, and begin with the time", () => {
  const keys = new Set(Array.from({ length: 1000 }, newKey));
  assert.equal(keys.size, 1000);
  assert.ok(Math.abs(parseInt([...keys][0].slice(0, 12), 16) - Date.now()) < 60_000);
});

test("Rows of a save are given as objects, and grouped by their members", () => {
  assert.deepEqual(
    saveArguments({
      insert: [{ entity: "A", rows: [{ x: 1, $id: "#a" }, { $id: "#b", y: 2, z: undefined }, { x: 3, $id: "#c" }] }],
      update: [
        { entity: "A", rows: [{ $id: 1, $version: 2, x: 4 }], base: [{ x: 3 }] },
        { entity: "A", columns: ["$id"], rows: [[1]] },
      ],
      policy: "error",
    }),
    {
      insert: [
        { entity: "A", columns: ["$id", "x"], rows: [["#a", 1], ["#c", 3]] },
        { entity: "A", columns: ["$id", "y"], rows: [["#b", 2]] },
      ],
      update: [
        { entity: "A", columns: ["$id", "$version", "x"], rows: [[1, 2, 4]], base: { columns: ["x"], rows: [[3]] } },
        { entity: "A", columns: ["$id"], rows: [[1]] },
      ],
      policy: "error",
    },
  );
});

test("The types of paths are found through composites, relationships, and descent", () => {
  const types = new Types({
    entities: [
      {
        name: "Author",
        attributes: [{ name: "born", type: "date" }],
        relationships: [{ name: "books", destination: "Book", toMany: true }],
      },
      {
        name: "Work",
        attributes: [{ name: "pages", type: "int32", collection: "array" }],
        relationships: [{ name: "author", destination: "Author" }],
      },
      { name: "Book", parent: "Work", attributes: [
        {
          name: "home",
          type: "composite",
          properties: [{ name: "deep", type: "composite", properties: [{ name: "data", type: "data" }] }],
        },
        { name: "cover", type: "data", externalStorage: true }, { name: "extra", type: "json" } ] },
    ],
  });
  const value = (entity, path, json) => types.rows(entity, [path], [[json]], undefined, false)[0][path];
  assert.equal(value("Book", "author.born", "2001-01-01T00:00:01Z").referenceSeconds, 1);
  assert.deepEqual(value("Book", "pages", [1, "9007199254740993"]), [1, 9007199254740993n]);
  assert.deepEqual(value("Book", "home.deep.data", "AAE="), Uint8Array.of(0, 1));
  assert.deepEqual(value("Book", "cover", { $length: 3 }), { $length: 3 });
  assert.equal(value("Book", "cover.$length", 3), 3);
  assert.equal(value("Work", "Book.cover.$length", 3), 3);
  assert.equal(value("Work", "cover", null), null);
  assert.equal(value("Author", "books.author.born", ["2001-01-01T00:00:01Z", null])[0].referenceSeconds, 1);
  assert.deepEqual(value("Book", "extra", { date: "2001-01-01T00:00:01Z" }), { date: "2001-01-01T00:00:01Z" });
  assert.throws(() => value("Book", "nothing", 1));
  assert.throws(() => value("Author", "born", "soon"));
});

test("Errors go through messages between threads as their members", () => {
  const error = new DepotError(
    {
      code: "conflict.unique",
      message: "Taken.",
      hint: "Take another.",
      at: "/args",
      retry: "no",
      effect: "none",
      details: { existing: 1 },
    },
  );
  const again = new DepotError(structuredClone(error.toJSON()));
  assert.deepEqual(again.toJSON(), error.toJSON());
  assert.equal(again.kind, "conflict");
  assert.ok(again instanceof Error);
});

test("A client can't be sent to another thread", async () => {
  const service = new FakeService();
  const opened = open(service);
  await service.welcome();
  const client = await opened;
  const error = await failure(Promise.resolve().then(() => structuredClone(client)));
  assert.equal(error.name, "DataCloneError");
  client.close();
});
