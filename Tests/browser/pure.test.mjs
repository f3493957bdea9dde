/** The parts of the page that know no elements: `node --test pure.test.mjs`. */

import assert from "node:assert/strict";
import { register } from "node:module";
import test from "node:test";

// The page's folder has no package.json, which would be served: its files are modules all the same.
register(`data:text/javascript,${encodeURIComponent(`
  export const resolve = (url, context, next) => url === "/client/browser.js"
    ? { url: "data:text/javascript,export const connect = undefined, DepotError = Error", shortCircuit: true }
    : next(url, context);
  export const load = (url, context, next) => next(
    url, url.includes("/DepotStudio/Page/") ? { ...context, format: "module" } : context
  );
`)}`);

const page = (name) => import(new URL(`../../Sources/DepotStudio/Page/${name}`, import.meta.url));
const { Edits } = await page("edits.js");
const { formatAddress, identifier, parseAddress } = await page("address.js");
const { choicesOf, isDecided, resolved } = await page("conflict.js");
const { differences } = await page("differences.js");
const {
  bytesText, constantText, cut, dateText, durationText, formatted, jsonText, momentText, numberText, plural
} = await page("format.js");
const { Former, below, placeThen } = await page("former.js");
const { csvLine, ndjsonLine } = await page("lines.js");
const { allCalls, linePath, percentile, sample, since } = await page("metrics.js");
const { Unsupported, attributesOf, orderOf, predicateOf } = await page("predicates.js");
const { readRelated, wayOf } = await page("related.js");
const { TableRows } = await page("rows.js");
const { Model, completions, rulesOf, selection } = await page("schema.js");
const { session } = await page("session.js");
const { isSame } = await page("values.js");
const { HIGHEST, Scroller, pagesOf, surplus } = await page("window.js");

/** Random numbers that a seed repeats. */
const seed = Number(process.env.DEPOT_SEEDS ?? Math.floor(Math.random() * 2 ** 32));
console.log(`seed ${seed}`);
let state = seed >>> 0;
const below_ = (bound) => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 2 ** 32) * bound);
};

test("An address holds the whole view, and comes back as it was", () => {
  const address = {
    view: "table", entity: "Länge", where: 'name == "a&b=#?/%" AND x > 1', at: "3f2b8c01-9d20c4e7a1b2-1042",
    sort: [{ path: "author.name", descending: true }, { path: "$id", descending: false }],
    columns: ["name", "home.city"],
    beside: { entity: "Author", id: 9007199254740993n },
  };
  assert.deepEqual(parseAddress(formatAddress(address)), address);
  assert.deepEqual(parseAddress(""), { view: "entities", sort: [], columns: [] });
  assert.deepEqual(parseAddress("#/nonsense/x"), { view: "entities", entity: "x", sort: [], columns: [] });
  assert.equal(parseAddress("#/object/Book/12").id, 12);
  assert.equal(parseAddress("#/table/%E0%A4%A/1").entity, "%E0%A4%A");
  assert.equal(parseAddress("#/table/Book?beside=Author/x").beside, undefined);
});

test("Identifiers are numbers up to 2^53 and exact beyond", () => {
  assert.equal(identifier("12"), 12);
  assert.equal(identifier("9007199254740993"), 9007199254740993n);
  for (const text of ["", "-1", "1.5", "x", "1e3", "12345678901234567890"]) assert.equal(identifier(text), undefined);
});

test("Values are shown by their types", () => {
  assert.deepEqual(formatted(null), { text: "–", look: "null" });
  assert.deepEqual(formatted(""), { text: "empty", look: "empty" });
  assert.deepEqual(formatted(true), { text: "yes", look: "bool" });
  assert.deepEqual(formatted(-12), { text: "−12", look: "number" });
  assert.deepEqual(formatted(9007199254740993n), { text: "9007199254740993", look: "number" });
  assert.deepEqual(formatted("12.50", { type: "decimal" }), { text: "12.50", look: "number" });
  assert.deepEqual(formatted([]), { text: "none", look: "empty" });
  assert.deepEqual(formatted(["a", "b"]), { text: "a, b", look: "text" });
  assert.deepEqual(formatted({ $length: 2048 }), { text: "2.0 kB", look: "data" });
  assert.deepEqual(formatted(new Uint8Array(3)), { text: "3 B", look: "data" });
  assert.deepEqual(formatted({ a: [1, null] }), { text: '{"a":[1,null]}', look: "json" });
  assert.equal(formatted("<img onerror=alert(1)>").text, "<img onerror=alert(1)>");
  assert.equal(numberText(-0), "−0");
  assert.equal(numberText(-Infinity), "−∞");
});

test("Long texts are cut between characters, and their line ends and controls are seen", () => {
  assert.equal(cut("a\nb\r\nc\u0000d\u001b"), "a ↵ b ↵ c␀d␛");
  assert.equal(cut("😀".repeat(400), 3), "😀…".slice(0, 2) + "…");
  assert.ok(cut("x".repeat(1e6)).length < 400);
});

test("Dates are in UTC without zeros at their end", () => {
  assert.equal(dateText(new Date("2026-03-01T00:00:00Z")), "2026-03-01");
  assert.equal(dateText(new Date("2026-03-01T12:30:00Z")), "2026-03-01 12:30");
  assert.equal(dateText(new Date("2026-03-01T12:30:05.250Z")), "2026-03-01 12:30:05.25");
  assert.equal(dateText(new Date(NaN)), "no date");
});

test("Sizes, durations, and counts are short", () => {
  assert.deepEqual(
    [0, 999, 1000, 15_400, 999_600, 4.2e9].map(bytesText), ["0 B", "999 B", "1.0 kB", "15 kB", "1.0 MB", "4.2 GB"]
  );
  assert.deepEqual(
    [12, 1500, 25_000, 2.5e6, 75e6, 7.3e9].map(durationText),
    ["12 µs", "1.5 ms", "25.0 ms", "2.50 s", "1 min", "2 h 1 min"],
  );
  assert.equal(plural(1, "row"), "1 row");
  assert.equal(plural(1_234_567, "row"), "1\u2009234\u2009567 rows");
  assert.match(momentText("2020-01-02T03:04:05Z"), /^2020-01-0\d \d\d:\d\d:05$/);
});

test("JSON keeps the digits of integers", () => {
  assert.equal(
    jsonText({ big: 9007199254740993n, list: [1, "a"], none: null, empty: {} }),
    '{"big":9007199254740993,"list":[1,"a"],"none":null,"empty":{}}',
  );
  assert.equal(jsonText({ a: [1] }, "", "  "), '{\n  "a": [\n    1\n  ]\n}');
});

test("Constants of predicates have their types", () => {
  assert.equal(constantText('say "hi"\n'), '"say \\"hi\\"\\n"');
  assert.equal(constantText(null), "NIL");
  assert.equal(constantText(true), "TRUE");
  assert.equal(constantText(NaN), 'CAST("NaN", "double")');
  assert.equal(constantText("12.5", { type: "decimal" }), 'CAST("12.5", "decimal")');
  assert.equal(constantText(new Date("2026-03-01T12:00:00Z")), 'CAST("2026-03-01T12:00:00.000Z", "date")');
});

test("A window shows every row of a million, and its height is one that browsers allow", () => {
  const scroller = new Scroller(30);
  scroller.resize(1_000_000, 600);
  assert.equal(scroller.height, HIGHEST);
  scroller.scrolled(scroller.lastScroll);
  assert.equal(scroller.range().last, 1_000_000);
  scroller.scrolled(0);
  assert.deepEqual(scroller.range(), { first: 0, last: 20 });
  for (let count = 0; count < 200; count++) {
    const row = below_(1_000_000);
    const place = scroller.reveal(row);
    const { first, last } = scroller.range();
    assert.ok(row >= first && row < last, `row ${row} is in sight`);
    assert.ok(place >= 0 && place <= scroller.lastScroll);
    assert.ok(Math.abs(scroller.place(row) - place - (row * 30 - scroller.top)) < 0.01);
  }
});

test("Small steps of the scroll bar are exact, also where rows share it", () => {
  const scroller = new Scroller(30);
  scroller.resize(5_000_000, 600);
  scroller.scrolled(4_000_000);
  const { top } = scroller;
  scroller.scrolled(4_000_100);
  assert.equal(scroller.top, top + 100);
  scroller.resize(10, 600);
  assert.equal(scroller.top, 0);
});

test("The pages in sight are read, and pages far away are forgotten", () => {
  assert.deepEqual(pagesOf(95, 205, 100), [0, 1, 2]);
  assert.deepEqual(pagesOf(0, 0, 100), []);
  assert.deepEqual(pagesOf(100, 200, 100), [1]);
  assert.deepEqual(surplus([1, 2, 3, 50, 90], 2, 3), [90, 50]);
  assert.deepEqual(surplus([1, 2], 2, 3), []);
});

const conflict = {
  entity: "Person", id: 1, kind: "update", baseVersion: 1, storeVersion: 4, properties: ["age"],
  base: { name: "Ann", age: 30, city: "Oslo" }, store: { name: "Ann", age: 31, city: "Bergen" },
  client: { name: "Anna", age: 32 },
  changedBy: { age: { author: "bob" } },
};

test("A conflict asks for each property that both sides changed, and for no other", () => {
  const choices = choicesOf(conflict);
  assert.deepEqual(
    choices.map(({ path, isBoth, choice }) => [path, isBoth, choice]),
    [["age", true, undefined], ["name", false, "mine"], ["city", false, "theirs"]],
  );
  assert.equal(isDecided(choices), false);
  assert.deepEqual([choices[0].base, choices[0].theirs, choices[0].mine, choices[0].who.author], [30, 31, 32, "bob"]);
});

test("The chosen values are saved on the version that the store has now, without a base", () => {
  const edit = {
    entity: "Person", id: 1, version: 1, values: { name: "Anna", age: 32 }, base: { name: "Ann", age: 30 }
  };
  const choices = choicesOf(conflict);
  choices[0].choice = "theirs";
  assert.ok(isDecided(choices));
  assert.deepEqual(
    resolved(edit, conflict, choices),
    { entity: "Person", id: 1, version: 4, values: { name: "Anna" }, base: undefined },
  );
  choices[0].choice = "mine";
  assert.deepEqual(resolved(edit, conflict, choices).values, { name: "Anna", age: 32 });
});

test("Rows of then come from the rows of now and the changes between, wherever they were inserted and deleted",
  async () => {
  for (let run = 0; run < 200; run++) {
    let newest = 1;
    const store = new Map();
    const insert = () => store.set(newest, { $id: newest++, v: below_(9) });
    for (let count = below_(40); count > 0; count--) insert();
    const then = [...store.values()].map((row) => ({ ...row }));
    const former = new Former();
    for (let count = below_(60); count > 0; count--) {
      const ids = [...store.keys()];
      const kind = ids.length ? ["insert", "update", "delete"][below_(3)] : "insert";
      if (kind === "insert") {
        insert();
        former.take({ entity: "E", kind, id: newest - 1, new: { v: store.get(newest - 1).v } });
        continue;
      }
      const id = ids[below_(ids.length)];
      const row = store.get(id);
      if (kind === "update") {
        former.take({ entity: "E", kind, id, old: { v: row.v }, new: { v: row.v + 1 } });
        store.set(id, { ...row, v: row.v + 1 });
      } else {
        former.take({ entity: "E", kind, id, old: { v: row.v } });
        store.delete(id);
      }
    }
    const now = [...store.values()].sort((one, other) => one.$id - other.$id);
    assert.equal(now.length - former.inserted.size + former.deletedOnly.size, then.length);
    for (let place = 0; place <= then.length; place += 1 + below_(5)) {
      const start = await placeThen(former, place, now.length, async (offset) => now[offset]?.$id);
      const rows = [...start.before];
      const gone = former.deletedSorted;
      let { nextGone } = start;
      for (const row of now.slice(start.offset)) {
        while (nextGone < gone.length && gone[nextGone].$id < row.$id) rows.push(gone[nextGone++]);
        if (!former.inserted.has(String(row.$id))) rows.push(former.row(row));
      }
      while (nextGone < gone.length) rows.push(gone[nextGone++]);
      assert.deepEqual(
        rows.map(({ $id, v }) => [$id, v]), then.slice(place).map(({ $id, v }) => [$id, v]),
        `run ${run}, from ${place}`,
      );
    }
  }
});

test("A row that was deleted and made again has its values of then", () => {
  const former = new Former();
  former.take({ entity: "E", id: 1, kind: "delete", old: { v: 1, w: 2 } });
  former.take({ entity: "E", id: 1, kind: "insert", new: { v: 5, w: 2 } });
  former.take({ entity: "E", id: 1, kind: "update", old: { v: 5 }, new: { v: 6 } });
  assert.deepEqual(former.row({ $id: 1, v: 6, w: 2 }), { $id: 1, v: 1, w: 2 });
  assert.equal(former.deletedOnly.size, 0);
  assert.equal(former.inserted.size, 0);
  assert.equal(below([1n, 3n, 5n], 4n), 2);
});

const schema = {
  version: "1.0.0",
  entities: [
    { name: "Animal", abstract: true, attributes: [{ name: "name", type: "string" }] },
    { name: "Dog", parent: "Animal",
      attributes: [
        { name: "home", type: "composite", optional: true, properties: [{ name: "city", type: "string" }] },
        { name: "picture", type: "data", externalStorage: true, optional: true },
        { name: "mood", type: "string", transient: true, optional: true },
      ],
      relationships: [{ name: "owner", destination: "Person", inverse: "dogs", optional: true }] },
    {
      name: "Person", attributes: [{ name: "id", type: "uuid" }, { name: "title", type: "string", min: 1 }],
      relationships: [{ name: "dogs", destination: "Dog", toMany: true, inverse: "owner", deleteRule: "cascade" }],
    },
  ],
};

test("The columns of an entity are in the order of the service, inherited ones first", () => {
  const model = new Model({ schema, fingerprint: "f", hashes: {} });
  assert.deepEqual(
    model.columns("Dog").map(({ path, type }) => [path, type]),
    [["name", "string"], ["home", "bool"], ["home.city", "string"], ["picture", "data"], ["owner", "reference"]],
  );
  assert.deepEqual(selection(model.columns("Dog")), ["name", "home", "picture.$length", "owner", "owner.title"]);
  assert.equal(model.label("Person"), "title");
  assert.equal(model.label("Dog"), "name");
  assert.deepEqual(model.names, ["Animal", "Dog", "Person"]);
  assert.deepEqual(model.concrete("Animal"), ["Dog"]);
  assert.deepEqual(rulesOf(schema.entities[2].relationships[0]), ["on delete cascade"]);
});

test("Completions fit the place: paths first, then operators, then connectives", () => {
  const words = [{ text: "name", note: "" }, { text: "number", note: "" }];
  const texts = (text) => completions(words, text, text.length).options.map((one) => one.text);
  assert.deepEqual(texts("n").slice(0, 2), ["name", "number"]);
  assert.ok(texts("name ").includes("=="));
  assert.ok(texts("name B").includes("BEGINSWITH[cd]"));
  assert.deepEqual(texts('name == "a" '), ["AND", "OR"]);
  assert.deepEqual(texts('name == "n'), []);
  assert.deepEqual(texts("name == 1 AND n").slice(0, 2), ["name", "number"]);
});

test("Differences of schemas are listed one by one", () => {
  const other = structuredClone(schema);
  other.version = "2.0.0";
  other.entities[2].attributes[1].min = 2;
  other.entities[2].attributes.push({ name: "added", type: "date", optional: false });
  other.entities.splice(0, 1);
  assert.deepEqual(differences(schema, other).map(({ kind, text }) => `${kind} ${text}`), [
    "changed version 1.0.0 → 2.0.0", "removed entity Animal", "changed Person.title: min 1 → 2",
    "added attribute Person.added",
  ]);
  assert.deepEqual(differences(schema, structuredClone(schema)), []);
});

test("Lines of files keep values exact", () => {
  assert.equal(
    csvLine([1, "a,b", 'say "x"', "", null, true, 9007199254740993n, [1, 2]]),
    '1,"a,b","say ""x""","",,true,9007199254740993,"[1,2]"\r\n',
  );
  assert.equal(
    ndjsonLine(["a", "b", "c"], { a: NaN, b: 9007199254740993n, c: new Uint8Array([1, 2]) }),
    '{"a":"NaN","b":9007199254740993,"c":"AQI="}\n',
  );
});

test("Percentiles of counters lie between the bounds of their places", () => {
  assert.equal(percentile([0, 0, 0], 2, 0.5), undefined);
  const p50 = percentile([0, 0, 10, 0], 2, 0.5);
  assert.ok(p50 > 2 && p50 <= 4);
  assert.ok(percentile([90, 0, 0, 10], 2, 0.99) > 4);
  assert.deepEqual(since([1, 2], [4, 2]), [3, 0]);
  assert.deepEqual(allCalls({ a: { microseconds: [1, 2] }, b: { microseconds: [3, 4] }, c: {} }), [4, 6]);
  assert.equal(linePath([1, undefined, 2, 2], 10, 10, 2), "M0.0,5.0M6.7,0.0L10.0,0.0");
});

test("A service that was started again begins its rates anew", () => {
  const stats = (instance, commits) => (
    {
      server: { instance }, store: { commits, commitMicroseconds: [commits], rowsInserted: 0 }, calls: {},
      memory: { residentBytes: 1 }, connections: { current: 1 },
    }
  );
  assert.equal(sample({ at: 0, stats: stats("a", 10) }, { at: 1000, stats: stats("a", 30) }).commits, 20);
  assert.equal(sample({ at: 0, stats: stats("a", 10) }, { at: 1000, stats: stats("b", 3) }).commits, 0);
});

test("Values are compared by type and content", () => {
  assert.ok(isSame([1, { a: new Date(5) }], [1, { a: new Date(5) }]));
  assert.ok(!isSame([1], [1, 2]));
  assert.ok(!isSame({ a: 1 }, [1]));
  assert.ok(!isSame(null, undefined));
  assert.ok(isSame(NaN, NaN));
  assert.ok(!isSame(0, -0));
  assert.ok(isSame(new Uint8Array([1]), new Uint8Array([1])));
});

const columns = new Map(Object.entries({
  title: { type: "string" }, year: { type: "int64" }, price: { type: "decimal" }, added: { type: "date" },
  isNew: { type: "bool" },
  words: { type: "string", collection: "set" }, link: { type: "url" },
  author: { kind: "reference", type: "reference", label: "author.name" },
  cover: { type: "data", isExternal: true },
}));
const columnOf = (path) => columns.get(path);
const books = [
  {
    $id: 1, title: "Émile", year: 1762, price: "9.50", added: new Date("2024-01-01T00:00:00Z"), isNew: false,
    words: ["a"], author: 3, "author.name": "R",
  },
  { $id: 2, title: "dune", year: 1965, price: "12", added: null, isNew: true, words: null, author: null },
  {
    $id: 3, title: "Dune 2", year: null, price: null, added: new Date("2025-01-01T00:00:00Z"), isNew: true,
    words: ["a", "b"], author: 4, "author.name": "H",
  },
];

test("Predicates of the past find the rows that the service would find", () => {
  const found = (tree) => books.filter(predicateOf(tree, columnOf)).map(({ $id }) => $id);
  const a = (attribute) => ({ attribute });
  assert.deepEqual(found({ ">": [a("year"), 1800] }), [2]);
  assert.deepEqual(found({ not: { ">": [a("year"), 1800] } }), [1, 3]);
  assert.deepEqual(found({ "==": [a("year"), null] }), [3]);
  assert.deepEqual(found({ "!=": [a("year"), 1965] }), [1, 3]);
  assert.deepEqual(found({ in: [a("year"), [1965, null]] }), [2, 3]);
  assert.deepEqual(found({ in: [a("year"), { value: [1762], list: true }] }), [1]);
  assert.deepEqual(found({ between: [a("year"), 1762, 1965] }), [1, 2]);
  assert.deepEqual(found({ begins: [a("title"), "emile"], options: "cd" }), [1]);
  assert.deepEqual(found({ contains: [a("title"), "DUNE"], options: "c" }), [2, 3]);
  assert.deepEqual(found({ ends: [a("title"), "2"] }), [3]);
  assert.deepEqual(found({ "<": [a("price"), 10] }), [1]);
  assert.deepEqual(found({ "==": [a("price"), { value: "9.5", type: "decimal" }] }), [1]);
  assert.deepEqual(found({ ">": [a("added"), "2024-06-01"] }), [3]);
  assert.deepEqual(found({ "==": [a("added"), { value: "2024-01-01T00:00:00.000Z", type: "date" }] }), [1]);
  assert.deepEqual(
    found({ and: [{ "==": [a("isNew"), true] }, { or: [{ "==": [a("author"), 4] }, { ">": [a("$id"), 5] }] }] }), [3]
  );
  assert.deepEqual(found({ contains: [a("words"), "b"] }), [3]);
  assert.deepEqual(found(true), [1, 2, 3]);
  assert.deepEqual(attributesOf({ and: [{ "==": [a("x"), 1] }, { not: { in: [a("y"), [1]] } }] }), ["x", "y"]);
});

test("Predicates that only the service can answer are no guesses", () => {
  for (const tree of [
    { "==": [{ attribute: "author.name" }, "x"] }, { matches: [{ attribute: "title" }, ".*"] },
    { ">": [{ "*": [{ attribute: "year" }, 2] }, 1] },
    { "==": [{ attribute: "link" }, "http://x/"] }, { "==": [{ attribute: "cover" }, null] }, { any: [] },
    { search: "x" },
    { "==": [{ attribute: "added" }, "yesterday"] }, { "==": [{ attribute: "title" }, "a"], options: "l" },
    { "==": [{ attribute: "nothing" }, 1] }, "x", null,
  ]) assert.throws(() => predicateOf(tree, columnOf), Unsupported, JSON.stringify(tree));
});

test("Rows of the past are in the order of the keys, null first, and of identifiers", () => {
  const order = (...keys) => [...books].sort(
    orderOf(keys.map((key) => ({ path: key.replace("-", ""), descending: key[0] === "-" })), columnOf)
  ).map(({ $id }) => $id);
  assert.deepEqual(order("year"), [3, 1, 2]);
  assert.deepEqual(order("-year"), [2, 1, 3]);
  assert.deepEqual(order("isNew", "-price"), [1, 2, 3]);
  assert.deepEqual(order("author"), [2, 3, 1]);
  assert.deepEqual(order(), [1, 2, 3]);
  assert.throws(() => orderOf([{ path: "words" }], columnOf), Unsupported);
});

test("Related rows of the past are those of then, in bounded memory", async () => {
  const model = new Model({
    schema: {
      entities: [
        {
          name: "Book", attributes: [{ name: "title", type: "string" }],
          relationships: [
            { name: "author", destination: "Author" }, { name: "tags", destination: "Tag", toMany: true },
          ],
        },
        {
          name: "Author", attributes: [{ name: "name", type: "string" }],
          relationships: [{ name: "house", destination: "House" }],
        },
        { name: "House", attributes: [{ name: "city", type: "string" }] },
        { name: "Tag", attributes: [{ name: "name", type: "string" }] },
      ],
    },
    fingerprint: "", hashes: {},
  });
  const name = wayOf(model, "Book", "author.name");
  const city = wayOf(model, "Book", "author.house.city");
  assert.deepEqual(name.hops, [{ name: "author", entity: "Author" }]);
  assert.deepEqual([city.last, city.column.type, city.column.path], ["city", "string", "author.house.city"]);
  assert.deepEqual(wayOf(model, "Book", "title").hops, []);
  for (const path of ["tags.name", "author.nothing", "nothing.name", "title.name", "author.$id"]) {
    assert.equal(wayOf(model, "Book", path), undefined, path);
  }
  const now = {
    Author: [{ $id: 1, name: "Ann", house: 5 }, { $id: 2, name: "Bea", house: 6 }], House: [
      { $id: 5, city: "Rome" }, { $id: 6, city: "Oslo" },
    ],
  };
  const past = {
    Author: [
      { entity: "Author", id: 2, kind: "update", old: { house: 7 } },
      { entity: "Author", id: 2, kind: "update", old: { name: "Later", house: 5 } },
      { entity: "Author", id: 3, kind: "delete", old: { name: "Gone", house: null } },
    ],
    House: [{ entity: "House", id: 7, kind: "delete", old: { city: "Bonn" } }],
  };
  const asked = [];
  const client = {
    entity: (entity) => ({ async *fetch({ select, limit }) {
      asked.push([entity, ...select]);
      yield* now[entity].slice(0, limit);
    } }),
    async *stream(_, { entity, since }) {
      assert.equal(since, "t");
      for (const change of past[entity]) yield { next: [{ changes: [change] }] };
    },
  };
  const limits = { rows: 2, changes: 2, signal: undefined };
  const valueOf = await readRelated(client, [name, city], "t", limits);
  assert.deepEqual(asked, [["Author", "name", "house"], ["House", "city"]]);
  const values = [1, 2, 3, null].map((author) => [valueOf({ author }, name), valueOf({ author }, city)]);
  assert.deepEqual(values, [["Ann", "Rome"], ["Later", "Bonn"], ["Gone", null], [null, null]]);
  await assert.rejects(readRelated(client, [name], "t", { ...limits, rows: 1 }), Unsupported);
  await assert.rejects(readRelated(client, [name], "t", { ...limits, changes: 1 }), Unsupported);
});

/** Rows of a table whose numbers the test tells, and whose pages come when it lets them. */
function heldTable() {
  const held = { stored: [], waiting: [], total: undefined };
  const answer = ({ offset, limit }) => {
    const rows = held.stored.slice(offset, offset + limit);
    return { toArray: () => new Promise((resolve) => held.waiting.push(() => resolve(rows))) };
  };
  session.client = { entity: () => ({ fetch: answer }) };
  session.follow = async ({ count }, _, take) => {
    if (count) held.total = () => take({}, { rows: [{ count: held.stored.length }] });
  };
  const table = new TableRows({ entity: "Item", sort: [], select: [], sortPaths: [] });
  held.add = (count) => {
    for (let number = 0; number < count; number++) held.stored.push({ $id: held.stored.length + 1 });
  };
  held.deliver = async () => {
    for (const give of held.waiting.splice(0)) give();
    await new Promise((resolve) => setTimeout(resolve));
  };
  return { table, held };
}

test("A page that was read before rows came behind it is read again", async () => {
  for (const count of [0, 99, 100, 150, 200]) {
    for (const isLate of [false, true]) {
      const { table, held } = heldTable();
      held.add(count);
      held.total();
      table.need(Math.max(0, count - 20), count + 1);
      // The page comes before the rows, or only after them.
      if (!isLate) await held.deliver();
      held.add(250);
      held.total();
      table.need(Math.max(0, count - 20), count + 20);
      await held.deliver();
      await held.deliver();
      const shown = Array.from({ length: 20 }, (_, place) => table.row(count + place)?.$id);
      assert.deepEqual(shown, Array.from({ length: 20 }, (_, place) => count + place + 1), `${count} ${isLate}`);
      table.close();
    }
  }
});

/** Edits whose calls are answered when the test lets them, and the calls that were sent. */
function heldEdits() {
  const element = () => ({ append() {}, remove() {}, setAttribute() {}, addEventListener() {}, children: [] });
  globalThis.document = { querySelector: element, createElement: element };
  const held = { sent: [], waiting: [] };
  const answered = (call, args) => new Promise((resolve) => {
    held.sent.push({ call, ...args });
    held.waiting.push(() => resolve({
      token: `${held.sent.length}`, inserted: 0, updated: 1, deleted: 0, ids: { "#1": 7 },
      versions: { Book: [[1, 5], [7, 1]] },
    }));
  });
  session.client = {
    save: (args) => answered("save", args), call: (operation, args) => answered(operation, args),
  };
  held.answer = async () => {
    await new Promise((resolve) => setTimeout(resolve));
    held.waiting.shift()?.();
    await new Promise((resolve) => setTimeout(resolve));
  };
  return { edits: new Edits(), held };
}

const row = { $id: 1, $version: 4, title: "a", year: 1 };

test("Undo behind a save undoes that save, however long it takes", async () => {
  const { edits, held } = heldEdits();
  edits.set("Book", row, "title", "b");
  void edits.save();
  await held.answer();
  edits.set("Book", { ...row, $version: 5, title: "b" }, "title", "c");
  void edits.save();
  void edits.undo();
  void edits.undo();
  for (let answers = 0; answers < 3; answers++) await held.answer();
  assert.deepEqual(held.sent.map(({ call, token }) => [call, token]), [
    ["save", undefined], ["save", undefined], ["undo", "2"], ["undo", "1"],
  ]);
  void edits.redo();
  void edits.redo();
  for (let answers = 0; answers < 2; answers++) await held.answer();
  assert.deepEqual(held.sent.slice(4).map(({ call, token }) => [call, token]), [["redo", "4"], ["redo", "3"]]);
});

test("An edit made while a save is on its way is kept for the next one", async () => {
  const { edits, held } = heldEdits();
  edits.set("Book", row, "title", "b");
  const created = edits.insert("Book");
  edits.set("Book", { $id: created }, "title", "new");
  void edits.save();
  await new Promise((resolve) => setTimeout(resolve));
  edits.set("Book", row, "title", "c");
  edits.set("Book", row, "year", 2);
  edits.set("Book", { $id: created }, "year", 3);
  await held.answer();
  assert.equal(edits.isEmpty, false);
  void edits.save();
  await held.answer();
  assert.deepEqual(JSON.parse(JSON.stringify(held.sent[1])), {
    call: "save", insert: [], delete: [],
    update: [
      { entity: "Book", rows: [{ $id: 1, $version: 5, title: "c", year: 2 }], base: [{ title: "b", year: 1 }] },
      { entity: "Book", rows: [{ $id: 7, $version: 1, year: 3 }] },
    ],
  });
  assert.equal(edits.isEmpty, true);
});
