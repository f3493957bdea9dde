/** The parts of the page that know no elements: `node --test pure.test.mjs`. */

import assert from "node:assert/strict";
import { register } from "node:module";
import test from "node:test";

// The page's folder has no package.json, which would be served: its files are modules all the same.
register(`data:text/javascript,${encodeURIComponent(`
  export const resolve = (url, context, next) => url === "/client/browser.js"
    ? { url: "${new URL("../../proto-docs/clients/js/browser.js", import.meta.url)}", shortCircuit: true }
    : next(url, context);
  export const load = (url, context, next) => next(
    url, url.includes("/DepotStudio/Page/") ? { ...context, format: "module" } : context
  );
`)}`);

const page = (name) => import(new URL(`../../Sources/DepotStudio/Page/${name}`, import.meta.url));
const { Edits } = await page("edits.js");
const { formatAddress, identifier, parseAddress } = await page("address.js");
const { choicesOf, isDecided, madeAgain, resolved, settle } = await page("conflict.js");
const { differences } = await page("differences.js");
const {
  bytesText, compact, conditionText, constantText, cut, dateText, durationText, formatted, isLarge, isLength, jsonText, momentText, numberText,
  pathText, plural,
} = await page("format.js");
const { DepotDate, JSONText } = await import(new URL("../../proto-docs/clients/js/depot.js", import.meta.url));
const { Former, below, placeThen } = await page("former.js");
const { csvLine, ndjsonLine } = await page("lines.js");
const { allCalls, linePath, percentile, sample, since, statsOf, storesOf } = await page("metrics.js");
const { orderOf, predicateOf } = await page("predicates.js");
const { Needs, Tables, readTables } = await page("related.js");
const { TableRows } = await page("rows.js");
const { Model, completions, rulesOf, selection } = await page("schema.js");
const { session } = await page("session.js");
const { Unsupported, fold, localizedKey } = await page("texts.js");
const { isSame, withLineEnds } = await page("values.js");
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
  for (const [seconds, constant] of [
    [1.25e-10, "1.25e-10"], [1e12, "1000000000000"], [Infinity, '"Infinity"'], [-0, "-0.0"],
  ]) assert.equal(constantText(new DepotDate(seconds)), `CAST(${constant}, "date")`);
  assert.equal(conditionText("t", "==", new DepotDate(NaN)), "t != t");
  assert.equal(conditionText("x", "!=", NaN), "x == x");
  assert.equal(conditionText("x", ">=", NaN), undefined);
  assert.equal(conditionText("no.city", "==", 5), "#no.city == 5");
  assert.deepEqual(["Self", "any", "nobody", "is", "no_"].map(pathText), ["#Self", "#any", "nobody", "is", "no_"]);
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

test("The chosen values are saved on the version and the values that the store has now", () => {
  const edit = {
    entity: "Person", id: 1, version: 1, values: { name: "Anna", age: 32 }, base: { name: "Ann", age: 30 },
    row: { $id: 1, name: "Ann", age: 30, city: "Oslo" },
  };
  const choices = choicesOf(conflict);
  choices[0].choice = "theirs";
  assert.ok(isDecided(choices));
  assert.deepEqual(
    resolved(edit, conflict, choices),
    {
      entity: "Person", id: 1, version: 4, values: { name: "Anna" }, base: { name: "Ann" },
      row: { $id: 1, name: "Ann", age: 31, city: "Bergen" }, isAgain: false,
    },
  );
  choices[0].choice = "mine";
  assert.deepEqual(resolved(edit, conflict, choices).values, { name: "Anna", age: 32 });
  assert.deepEqual(resolved(edit, conflict, choices).base, { name: "Ann", age: 31 });
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

test("Differences of schemas follow renamed parts", () => {
  const attribute = (name, originalName) => ({ name, originalName, type: "string" });
  const before = { entities: [{ name: "Trip", attributes: [attribute("x"), attribute("y"), attribute("z", "w")] }] };
  const after = {
    entities: [
      { name: "Journey", originalName: "Trip", attributes: [attribute("y", "x"), attribute("x"), attribute("z", "z")] },
    ],
  };
  assert.deepEqual(differences(before, after).map(({ kind, text }) => `${kind} ${text}`), [
    "removed attribute Journey.y", "changed Journey.y: name x → y", "added attribute Journey.x",
    "changed Journey: name Trip → Journey",
  ]);
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

test("Values in files and editors have the service's forms, and lengths their own names", async () => {
  assert.equal(
    jsonText([-0, NaN, -Infinity, new Uint8Array([1, 2]), new DepotDate(0), new DepotDate(Infinity)]),
    '[-0.0,"NaN","-Infinity","AQI=","2001-01-01T00:00:00Z",{"referenceSeconds":"Infinity"}]',
  );
  assert.equal(csvLine([-0, [NaN, -0]]), '-0.0,"[""NaN"",-0.0]"\r\n');
  const link = { click() {}, remove() {}, setAttribute() {}, append() {} };
  globalThis.document = { createElement: () => link, body: link };
  const files = [];
  URL.createObjectURL = (blob) => (files.push(blob.text()), "blob:");
  URL.revokeObjectURL = () => {};
  session.model = new Model({ schema });
  const rows = [{ $id: 1, name: { $length: 9 }, "picture.$length": 3 }];
  session.client = { entity: () => ({ async *fetch() { yield* rows; } }) };
  const { saveRows } = await page("export.js");
  const done = await saveRows("Dog", "fetch", {}, "csv", new AbortController().signal, () => {});
  assert.equal(await files[0], '$id,name,picture.$length\r\n1,"{""$length"":9}",3\r\n');
  assert.deepEqual(done, { count: 1, lengths: 1 });
});

test("JSON that is edited keeps all that the person doesn't change", () => {
  const text = '{"b":1,"10":2,"2":3,"price":1.10,"big":12345678901234567890.5,"n":-0.0,'
    + '"e":"\\u00e9 \\"{","l":[],"k":[1,{}]}';
  const value = new JSONText(text);
  const lines = jsonText(value, "", "  ");
  assert.equal(lines.split("\n").length, 14);
  assert.equal(compact(lines), text);
  assert.equal(compact(lines.replace('"b": 1', '"b": 7')), text.replace('"b":1', '"b":7'));
  assert.equal(jsonText(value), text);
  assert.equal(csvLine([new JSONText("1.10"), new JSONText('"a,b"')]), '1.10,"a,b"\r\n');
  assert.deepEqual(formatted(new JSONText("-1.10")), { text: "−1.10", look: "number" });
  assert.deepEqual(formatted(new JSONText('""')), { text: "empty", look: "empty" });
  assert.ok(isSame(new JSONText("1.10"), new JSONText("1.10")));
  assert.ok(!isSame(new JSONText("1.10"), new JSONText("1.1")));
});

test("The consequences of a deletion are those of the rows' own entities", async () => {
  globalThis.HTMLElement ??= class {};
  globalThis.customElements ??= { define() {} };
  const { consequences } = await page("edit.js");
  const to = (name, destination, deleteRule) => ({ name, destination, deleteRule, toMany: true });
  session.model = new Model({ schema: { entities: [
    { name: "Own", relationships: [to("parts", "Base", "cascade")] }, { name: "Base" }, { name: "Item" },
    { name: "Sub", parent: "Base", relationships: [to("items", "Item", "cascade"), to("held", "Item", "deny")] },
  ] } });
  const rows = {
    Own: [{ $id: 1, parts: [1, 2] }],
    Base: [{ $id: 1, $entity: "Base" }, { $id: 2, $entity: "Sub", items: [1, 2, 3], held: [9] }], Item: [],
  };
  rows.Sub = rows.Base.slice(1);
  session.client = { entity: (name) => ({ fetch: ({ where }) => ({
    toArray: async () => rows[name].filter(({ $id }) => where.in[1].value.includes($id)),
  }) }) };
  const { goes, denied } = await consequences("Own", 1);
  assert.deepEqual([...goes], [["Base", 2], ["Item", 3]]);
  assert.deepEqual(denied, ["Sub.held: 1 row of Item"]);
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

test("The figures of a container are the sums of its stores", () => {
  const store = (commits, counts, walBytes) => ({
    store: { commits, commitMicroseconds: counts, walBytes, watches: { current: 1 }, writer: { waiting: 0 } },
    readers: { active: commits },
  });
  const stats = {
    ...store(5, [1, 0], 10), containers: [
      { name: "shop", stores: [
        { name: "orders", ...store(1, [1, 2], 100) }, { name: "rest", ...store(2, [3, 4], 200) },
        { name: "closed", store: null, readers: null },
      ] },
      { name: "cache", stores: [{ name: "main", ...store(9, [0, 9], 0) }] },
    ],
  };
  assert.deepEqual(
    storesOf(stats).map(({ name, container, store: { commits } }) => [name, container, commits]), [
      ["default", "default", 5], ["shop/orders", "shop", 1], ["shop/rest", "shop", 2], ["cache", "cache", 9],
    ]
  );
  const shop = statsOf(stats, "shop");
  assert.deepEqual([shop.store.commits, shop.store.walBytes, shop.store.watches.current], [3, 300, 2]);
  assert.deepEqual([shop.store.commitMicroseconds, shop.readers.active], [[4, 6], 3]);
  assert.equal(statsOf(stats, "default").store.commits, 5);
  assert.equal(statsOf(stats, "gone").store.commits, 5);
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

test("A value is large by what its row has of it, whatever its attribute's options are", () => {
  const large = { $length: 9_000_000 };
  for (const type of ["string", "data"]) {
    assert.equal(isLarge(large, { type }), true);
    for (const value of [null, undefined, "", "text"]) assert.equal(isLarge(value, { type }), false);
    assert.equal(isLarge(null, { type, isExternal: true }), true);
  }
  assert.equal(isLength(large, { type: "json" }), false);
  assert.deepEqual(formatted(large, { type: "json" }), { text: '{"$length":9000000}', look: "json" });
});

test("Line ends that an edit doesn't touch stay as they were", () => {
  for (const [before, text, after] of [
    ["a\r\nb", "a\nb", "a\r\nb"], ["a\r\nb", "a\nc\nb", "a\r\nc\r\nb"], ["a\r\nb", "ab", "ab"],
    ["a\rb", "a\nb\n", "a\rb\r"], ["a\nb\r\nc\rd", "a\nb!\nc\nd", "a\nb!\r\nc\rd"],
    ["a\rX\nb", "a\n\nb", "a\r\n\nb"], ["", "a\nb", "a\nb"], ["a\r\n", "", ""],
  ]) assert.equal(withLineEnds(before, text), after, JSON.stringify([before, text]));
  const shown = (text) => text.replace(/\r\n?/g, "\n");
  const random = (signs) => Array.from({ length: below_(9) }, () => signs[below_(signs.length)]).join("");
  for (let round = 0; round < 20_000; round++) {
    const before = random(["a", "b", "\r", "\n", "\r\n"]);
    const [start, length] = [below_(9), below_(4)];
    const from = shown(before);
    const text = from.slice(0, start) + random(["a", "b", "\n"]) + from.slice(start + length);
    const after = withLineEnds(before, text);
    assert.equal(shown(after), text, JSON.stringify([before, text, after]));
    assert.equal(withLineEnds(before, from), before);
  }
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

const libraryModel = new Model({
  schema: {
    entities: [
      {
        name: "Book",
        attributes: [
          { name: "title", type: "string" }, { name: "year", type: "int64", optional: true },
          { name: "price", type: "decimal", optional: true }, { name: "added", type: "date", optional: true },
          { name: "isNew", type: "bool", optional: true }, { name: "words", type: "string", collection: "set" },
          { name: "link", type: "url", optional: true },
          { name: "cover", type: "data", externalStorage: true, optional: true },
        ],
        relationships: [
          { name: "author", destination: "Author", inverse: "books", optional: true },
          { name: "tags", destination: "Tag", toMany: true, inverse: "books" },
          { name: "loans", destination: "Loan", toMany: true, inverse: "book" },
        ],
      },
      {
        name: "Author", attributes: [{ name: "name", type: "string" }],
        relationships: [
          { name: "books", destination: "Book", toMany: true, inverse: "author" },
          { name: "friends", destination: "Author", toMany: true, inverse: "friends" },
        ],
      },
      {
        name: "Tag", attributes: [{ name: "name", type: "string" }],
        relationships: [{ name: "books", destination: "Book", toMany: true, inverse: "tags" }],
      },
      {
        name: "Loan", attributes: [{ name: "reader", type: "string" }],
        relationships: [{ name: "book", destination: "Book", inverse: "loans", optional: true }],
      },
      { name: "Secret", history: "names", attributes: [{ name: "text", type: "string" }],
        relationships: [{ name: "tags", destination: "Tag", toMany: true }] },
    ],
  },
  fingerprint: "", hashes: {},
});
const a = (attribute) => ({ attribute });
const member = (name, path) => ({ member: [{ variable: name }, path] });
const any = (kind, list, test, variable = "#1") => ({ [kind]: [list, test], variable });
const element = { variable: "#1" };

/** The identifiers that a predicate and an order find in the rows of a moment, without a service. */
function foundIn(entity, rows, tree, keys = []) {
  const needs = new Needs(libraryModel);
  const test = predicateOf(tree, { entity, needs });
  const order = orderOf(keys, { entity, needs });
  const tables = new Tables();
  tables.rows.set(entity, new Map(rows.map((row) => [String(row.$id), row])));
  tables.rows.set("Author", new Map([[3, "R"], [4, "H"]].map(([$id, name]) => [String($id), { $id, name }])));
  const scopeOf = (self) => ({ tables, self });
  return rows.map(({ $id }) => $id).filter((id) => test(scopeOf(id))).sort(order(scopeOf));
}

const books = [
  {
    $id: 1, title: "Émile", year: 1762, price: "9.50", added: new Date("2024-01-01T00:00:00Z"), isNew: false,
    words: ["a"], author: 3, link: "http://b/",
  },
  { $id: 2, title: "dune", year: 1965, price: "12", added: null, isNew: true, words: null, author: null, link: null },
  {
    $id: 3, title: "Dune 2", year: null, price: null, added: new Date("2025-01-01T00:00:00Z"), isNew: true,
    words: ["a", "b"], author: 4, link: "http://a/",
  },
];

test("Predicates of the past find the rows that the service would find", () => {
  const found = (tree) => foundIn("Book", books, tree);
  assert.deepEqual(found({ ">": [a("year"), 1800] }), [2]);
  assert.deepEqual(found({ "<": [1800, a("year")] }), [2]);
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
  assert.deepEqual(found(any("any", a("words"), { "==": [element, "a"] })), [1, 3]);
  assert.deepEqual(found({ "==": [a("author.name"), "H"] }), [3]);
  assert.deepEqual(found({ "==": [a("title"), a("author.name")] }), []);
  assert.deepEqual(found(true), [1, 2, 3]);
});

/** The answer of a predicate for one row of an entity with a number `x` and a text `n`, and with many related rows. */
function askedOf(tree, row, many = []) {
  const types = { x: "double", n: "string", i: "int64" };
  const model = {
    column: (_, path) => types[path] && { path, type: types[path], kind: "attribute" },
    relationships: () => [{ name: "many", toMany: true, destination: "F" }],
  };
  const tables = { row: (entity, id) => (entity === "E" ? row : many[id]), linked: () => many.map((_, id) => id) };
  return predicateOf(tree, { entity: "E", needs: { model, note() {}, noteLinks() {} } })({ self: 1, tables });
}

test("NaN is neither equal to a number nor before or behind one, as for the service", () => {
  const is = (tree) => askedOf(tree, { x: NaN, n: "a" }, [{ x: NaN, i: 9223372036854775807n }, { x: 0, i: 1 }]);
  for (const name of ["<", "<=", ">", ">=", "=="]) {
    for (const other of [0, a("x"), { max: a("many.x") }]) assert.equal(is({ [name]: [a("x"), other] }), false, name);
  }
  assert.equal(is({ "!=": [a("x"), a("x")] }), true);
  assert.equal(is({ not: { "==": [a("x"), a("x")] } }), true);
  assert.equal(is({ between: [a("x"), -1, 1] }), false);
  assert.equal(is({ in: [a("x"), [{ value: NaN, type: "double" }]] }), false);
  assert.equal(is(any("any", a("many.x"), { ">": [element, 0] })), false);
  // A sum beyond 64 bits has no result.
  assert.equal(is({ ">": [{ sum: a("many.i") }, 0] }), false);
  assert.equal(is({ "==": [{ sum: a("many.i") }, null] }), true);
});

test("Texts are folded as the service folds them, or not at all", () => {
  for (const [one, other, options] of [
    ["e\u0301", "é", "c"], ["ΟΔΟΣ", "οδος", "c"], ["οδοσ", "οδος", "c"], ["Straße", "STRASSE", "c"],
    ["ﬁsh", "FISH", "c"], ["ŉ", "ʼN", "c"], ["가", "\u1100\u1161", "c"], ["É", "e", "cd"], ["é", "e", "d"], ["İ", "i\u0307", "c"],
  ]) {
    assert.equal(fold(one, options), fold(other, options), `${one} ${other}`);
    assert.equal(askedOf({ "==": [a("n"), other], options }, { n: one }), true, one);
  }
  for (const [one, other, options] of [["ı", "i", "c"], ["é", "e", "c"], ["É", "é", "d"], ["e\u0301", "é", ""]]) {
    assert.notEqual(fold(one, options), fold(other, options), `${one} ${other}`);
  }
  // Signs that came with a later version of Unicode, and one that has lower case by another rule.
  assert.throws(() => fold("\u{3fffd}", "c"), Unsupported);
  assert.equal(fold("STRAẞE", "c"), "strasse");
});

test("Texts of the past are in the order that people expect, as those of now", () => {
  const expected = [
    "", "\u0001", " a", "-", ",", "$", "1", "2", "02", "9", "10", "٣", "ａ", "Apple", "apple", "äpple", "b", "zebra",
    "øre", "あ",
  ];
  const rows = Object.fromEntries(expected.map((n, id) => [id, { n }]));
  const model = { column: () => ({ path: "n", type: "string", kind: "attribute" }), relationships: () => [] };
  const order = orderOf(
    [{ tree: a("n"), descending: false, localized: true }], { entity: "E", needs: { model, note() {} } },
  );
  const scopeOf = (self) => ({ self, tables: { row: (_, id) => rows[id] } });
  const ids = expected.map((_, id) => id);
  assert.deepEqual([...ids].reverse().sort(order(scopeOf)).map((id) => rows[id].n), expected);
  assert.ok(localizedKey("a1") < localizedKey("a" + "1".repeat(300)));
  rows[0].n = "x".repeat(1025);
  assert.throws(() => [0, 1].sort(order(scopeOf)), Unsupported);
});

test("Predicates that only the service can answer are no guesses", () => {
  for (const tree of [
    { matches: [a("title"), ".*"] }, { ">": [{ "*": [a("year"), 2] }, 1] }, { "==": [a("link"), "http://x/"] },
    { "==": [a("cover"), null] }, { any: [] }, { search: "x" }, { "==": [a("added"), "yesterday"] },
    { "==": [a("title"), "a"], options: "l" }, { "==": [a("nothing"), 1] }, { "==": [a("title.name"), 1] }, "x", null,
    { "==": [a("tags.name"), "x"] }, { "==": [a("title"), a("year")] }, { ">": [{ sum: a("tags.name") }, 1] },
    { ">": [{ median: a("tags.books.year") }, 1] }, any("any", a("title"), true), { count: a("tags") },
    { "==": [{ variable: "x" }, 1] }, { "==": [{ element: [a("tags"), 0] }, 1] },
  ]) {
    assert.throws(
      () => predicateOf(tree, { entity: "Book", needs: new Needs(libraryModel) }), Unsupported, JSON.stringify(tree)
    );
  }
  const large = [{ ...books[0], title: { $length: 9_000_000 } }];
  assert.throws(() => foundIn("Book", large, { contains: [a("title"), "x"] }), Unsupported);
  // The history doesn't have the values of these rows, or their links.
  for (const tree of [{ "==": [a("text"), "x"] }, { ">": [{ count: a("tags") }, 1] }]) {
    assert.throws(() => predicateOf(tree, { entity: "Secret", needs: new Needs(libraryModel) }), Unsupported);
  }
});

test("Rows of the past are in the order of the keys, null first, and of identifiers", () => {
  const order = (...keys) => foundIn("Book", books, true, keys.map((key) => (
    { tree: a(key.replace("-", "")), descending: key[0] === "-", localized: key.endsWith("title") }
  )));
  assert.deepEqual(order("year"), [3, 1, 2]);
  assert.deepEqual(order("-year"), [2, 1, 3]);
  assert.deepEqual(order("isNew", "-price"), [1, 2, 3]);
  assert.deepEqual(order("author.name"), [2, 3, 1]);
  assert.deepEqual(order("author"), [2, 1, 3]);
  assert.deepEqual(order("link"), [2, 3, 1]);
  assert.deepEqual(order("title"), [2, 3, 1]);
  assert.deepEqual(order(), [1, 2, 3]);
  assert.throws(() => order("words"), Unsupported);
  assert.throws(() => order("tags.name"), Unsupported);
});

/** A library that keeps the history of its rows, and answers as the service does. */
class Library {
  rows = { Book: new Map(), Author: new Map(), Tag: new Map(), Loan: new Map() };
  history = [];
  next = 1;

  /** The relationship in which changes of links are recorded. */
  static sides = { tags: ["Book", "tags"], friends: ["Author", "friends"] };

  pick(entity) {
    const ids = [...this.rows[entity].keys()];
    return ids.length === 0 ? null : ids[below_(ids.length)];
  }

  #record(change) {
    this.history.push(change);
  }

  #values(entity) {
    const name = ["a", "b", "c"][below_(3)];
    switch (entity) {
      case "Book":
        return { title: name, year: below_(4) ? below_(5) : null, author: below_(4) ? this.pick("Author") : null };
      case "Loan":
        return { reader: name, book: below_(4) ? this.pick("Book") : null };
    }
    return { name };
  }

  #link(entity, name, id, target, isAdded) {
    const row = this.rows[entity].get(id);
    if (row[name].has(target) === isAdded) return;
    if (isAdded) row[name].add(target);
    else row[name].delete(target);
    this.#record({ entity, id, kind: "links", new: { [name]: { [isAdded ? "add" : "remove"]: [target] } } });
    // A relationship that is its own inverse has both directions.
    if (name === "friends" && target !== id) this.#link(entity, name, target, id, isAdded);
  }

  change() {
    const entity = ["Book", "Author", "Tag", "Loan"][below_(4)];
    const id = this.pick(entity);
    const kind = id === null ? 0 : below_(7);
    if (kind < 2) {
      const fresh = this.next++;
      const values = this.#values(entity);
      this.rows[entity].set(fresh, { $id: fresh, ...values, tags: new Set(), friends: new Set() });
      this.#record({ entity, id: fresh, kind: "insert", new: values });
    } else if (kind < 4) {
      const row = this.rows[entity].get(id);
      const changed = Object.fromEntries(
        Object.entries(this.#values(entity)).filter(([path, value]) => row[path] !== value && below_(2))
      );
      const old = Object.fromEntries(Object.keys(changed).map((path) => [path, row[path]]));
      Object.assign(row, changed);
      this.#record({ entity, id, kind: "update", old, new: changed });
    } else if (kind < 6) {
      const [holder, name, other] = below_(2) ? ["Book", "tags", "Tag"] : ["Author", "friends", "Author"];
      const [from, to] = [this.pick(holder), this.pick(other)];
      if (from !== null && to !== null) this.#link(holder, name, from, to, below_(3) > 0);
    } else {
      this.#delete(entity, id);
    }
  }

  #delete(entity, id) {
    const nullify = (holder, path) => {
      for (const row of this.rows[holder].values()) {
        if (row[path] !== id) continue;
        row[path] = null;
        this.#record({ entity: holder, id: row.$id, kind: "update", old: { [path]: id }, new: { [path]: null } });
      }
    };
    if (entity === "Author") nullify("Book", "author");
    if (entity === "Book") nullify("Loan", "book");
    for (const [name, [holder]] of Object.entries(Library.sides)) {
      for (const row of this.rows[holder].values()) {
        for (const target of [...row[name]]) {
          const isOther = entity === (name === "tags" ? "Tag" : "Author");
          if ((entity === holder && row.$id === id) || (isOther && target === id)) {
            this.#link(holder, name, row.$id, target, false);
          }
        }
      }
    }
    const { $id, tags, friends, ...old } = this.rows[entity].get(id);
    this.rows[entity].delete(id);
    this.#record({ entity, id, kind: "delete", old });
  }

  #selected(entity, row, path) {
    if (path === "books" && entity === "Tag") {
      return [...this.rows.Book.values()].filter(({ tags }) => tags.has(row.$id)).map(({ $id }) => $id);
    }
    return path === "tags" || path === "friends" ? [...row[path]] : row[path];
  }

  /** A client, between whose reads others write. */
  get client() {
    const library = this;
    const disturb = () => {
      for (let count = below_(4); count > 0; count--) library.change();
    };
    return {
      entity: (entity) => ({ async *fetch({ select, limit }) {
        disturb();
        const rows = [...library.rows[entity].values()].slice(0, limit).map((row) => ({
          $id: row.$id, ...Object.fromEntries(select.map((path) => [path, library.#selected(entity, row, path)])),
        }));
        yield* rows;
      } }),
      async *stream(_, { entity, since }) {
        disturb();
        const changes = library.history.slice(since).filter((change) => change.entity === entity);
        for (const change of changes) yield { next: [{ changes: [change] }] };
      },
    };
  }

  /** What it is now, with functions that follow relationships. */
  get snapshot() {
    const copy = Object.fromEntries(Object.entries(this.rows).map(([entity, rows]) => [
      entity, new Map([...rows].map(([id, row]) => (
        [id, { ...row, tags: [...row.tags], friends: [...row.friends] }]
      ))),
    ]));
    const all = (entity) => [...copy[entity].values()];
    return {
      books: all("Book"), authors: all("Author"), tags: all("Tag"),
      tagsOf: (book) => book.tags.map((id) => copy.Tag.get(id)),
      authorOf: (book) => copy.Author.get(book.author),
      loansOf: (book) => all("Loan").filter((loan) => loan.book === book.$id),
      booksBy: (author) => (author ? all("Book").filter((book) => book.author === author.$id) : []),
      booksWith: (tag) => all("Book").filter((book) => book.tags.includes(tag.$id)),
      friendsOf: (author) => author.friends.map((id) => copy.Author.get(id)),
    };
  }
}

/** Predicates of each entity, and what they mean. */
const QUESTIONS = [
  ["Book", any("any", a("tags.name"), { "==": [element, "a"] }),
    (book, s) => s.tagsOf(book).some((tag) => tag.name === "a")],
  ["Book", any("all", a("tags.name"), { "==": [element, "a"] }),
    (book, s) => s.tagsOf(book).every((tag) => tag.name === "a")],
  ["Book", any("none", a("tags.name"), { begins: [element, "A"], options: "c" }),
    (book, s) => !s.tagsOf(book).some((tag) => tag.name === "a")],
  ["Book", { ">": [{ count: a("tags") }, 1] }, (book, s) => s.tagsOf(book).length > 1],
  ["Book", { "==": [{ count: a("tags") }, { count: a("loans") }] },
    (book, s) => s.tagsOf(book).length === s.loansOf(book).length],
  ["Book", { "==": [{ count: any("filter", a("loans"), { "==": [member("l", "reader"), "b"] }, "l") }, 1] },
    (book, s) => s.loansOf(book).filter((loan) => loan.reader === "b").length === 1],
  ["Book", any("any", a("author.books.year"), { ">": [element, 2] }),
    (book, s) => s.booksBy(s.authorOf(book)).some(({ year }) => year !== null && year > 2)],
  ["Book", any("any", a("tags"), { "==": [member("t", "name"), a("title")] }, "t"),
    (book, s) => s.tagsOf(book).some((tag) => tag.name === book.title)],
  ["Book", any("all", a("tags"), any("any", member("t", "books.year"), { "==": [element, null] }), "t"),
    (book, s) => s.tagsOf(book).every((tag) => s.booksWith(tag).some(({ year }) => year === null))],
  ["Book",
    { not: any("any", a("tags"), any("any", member("t", "books"), { "!=": [element, { variable: "SELF" }] }), "t") },
    (book, s) => !s.tagsOf(book).some((tag) => s.booksWith(tag).some((other) => other.$id !== book.$id))],
  ["Tag", { ">": [{ sum: a("books.year") }, 3] },
    (tag, s) => s.booksWith(tag).reduce((sum, { year }) => sum + (year ?? 0), 0) > 3],
  ["Tag", { "==": [{ max: a("books.year") }, 4] },
    (tag, s) => Math.max(-1, ...s.booksWith(tag).map(({ year }) => year ?? -1)) === 4],
  ["Tag", { "==": [{ min: a("books.year") }, null] }, (tag, s) => s.booksWith(tag).every(({ year }) => year === null)],
  ["Tag", { "<": [{ average: a("books.year") }, 2] }, (tag, s) => {
    const years = s.booksWith(tag).map(({ year }) => year).filter((year) => year !== null);
    return years.length > 0 && years.reduce((sum, year) => sum + year, 0) / years.length < 2;
  }],
  ["Tag", { ">": [{ countDistinct: a("books.title") }, 1] },
    (tag, s) => new Set(s.booksWith(tag).map(({ title }) => title)).size > 1],
  ["Tag", { has: [a("books"), 3] }, (tag, s) => s.booksWith(tag).some(({ $id }) => $id === 3)],
  ["Tag", any("any", a("books.author.name"), { "==": [element, null] }),
    (tag, s) => s.booksWith(tag).some((book) => !s.authorOf(book))],
  ["Author", any("any", a("friends.books.tags.name"), { "==": [element, "c"] }), (author, s) =>
    s.friendsOf(author).flatMap(s.booksBy).flatMap(s.tagsOf).some(({ name }) => name === "c")],
  ["Author", { ">=": [{ count: a("friends") }, { count: a("books") }] },
    (author, s) => s.friendsOf(author).length >= s.booksBy(author).length],
];

test("Filters and orders over relationships find in the past what there was, whoever writes meanwhile", async () => {
  const most = { rows: 1000, changes: 1000, links: 1000 };
  for (let run = 0; run < 60; run++) {
    const library = new Library();
    for (let count = 20 + below_(60); count > 0; count--) library.change();
    const then = library.snapshot;
    const token = library.history.length;
    for (let count = below_(80); count > 0; count--) library.change();
    for (const [entity, tree, isWanted] of QUESTIONS) {
      const rows = then[{ Book: "books", Tag: "tags", Author: "authors" }[entity]];
      const needs = new Needs(libraryModel);
      const test = predicateOf(tree, { entity, needs });
      const path = entity === "Book" ? "tags" : "books";
      const order = orderOf([{ tree: { count: a(path) }, descending: true }], { entity, needs });
      needs.note(entity);
      const tables = await readTables(library.client, needs, token, { most });
      const scopeOf = (self) => ({ tables, self });
      const found = [...tables.rows.get(entity).values()].map(({ $id }) => $id)
        .filter((id) => test(scopeOf(id))).sort(order(scopeOf));
      const countOf = (row) => (
        entity === "Book" ? then.tagsOf(row) : entity === "Tag" ? then.booksWith(row) : then.booksBy(row)
      ).length;
      const wanted = rows.filter((row) => isWanted(row, then))
        .sort((one, other) => countOf(other) - countOf(one) || one.$id - other.$id).map(({ $id }) => $id);
      assert.deepEqual(found, wanted, `run ${run}: ${JSON.stringify(tree)}`);
    }
  }
});

test("Related rows of the past are read in bounded memory, with progress, and no more than needed", async () => {
  const library = new Library();
  while (library.rows.Book.size < 3 || library.rows.Tag.size < 3) library.change();
  for (let count = 0; count < 50; count++) library.change();
  const token = library.history.length;
  for (let count = 0; count < 50; count++) library.change();
  const needsOf = (tree) => {
    const needs = new Needs(libraryModel);
    predicateOf(tree, { entity: "Book", needs });
    return needs;
  };
  const read = (tree, most, say) => readTables(
    library.client, needsOf(tree), token, { most: { rows: 1000, changes: 1000, links: 1000, ...most }, say }
  );
  const tree = any("any", a("tags.name"), { "==": [element, "a"] });
  await assert.rejects(read(tree, { rows: 1 }), Unsupported);
  await assert.rejects(read(tree, { changes: 1 }), Unsupported);
  await assert.rejects(read(tree, { links: 0 }), Unsupported);
  const counts = [];
  await read(tree, {}, (count) => counts.push(count));
  assert.deepEqual(counts, [...counts].sort((one, other) => one - other));
  assert.ok(counts.length > 3);
  const paths = (tree) => [...needsOf(tree).paths].map(([entity, names]) => [entity, ...names]);
  assert.deepEqual(paths({ "==": [a("author"), 3] }), [["Book", "author"]]);
  assert.deepEqual(paths({ "==": [a("author.name"), "x"] }), [["Book", "author"], ["Author", "name"]]);
  assert.deepEqual(paths({ ">": [{ count: a("loans") }, 1] }), [["Loan", "book"]]);
  assert.deepEqual(paths(tree), [["Book", "tags"], ["Tag", "name"]]);
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

/** The unsaved edits and the calls that were sent, as plain values. */
const heldState = ({ edits, held }) => JSON.parse(JSON.stringify({
  rows: [...edits.rows].map(([name, { values, version }]) => [name, { ...values }, version ?? null]),
  calls: held.sent.map(({ call, token }) => (call === "save" ? call : `${call} ${token}`)),
}));
const pause = () => new Promise((resolve) => setTimeout(resolve));

test("A value that a property has already is no edit and no step", async () => {
  const it = heldEdits();
  it.edits.set("Book", row, "title", "a");
  assert.equal(it.edits.isEmpty, true);
  it.edits.set("Book", row, "title", "b");
  it.edits.set("Book", row, "title", "b");
  await it.edits.undo();
  assert.deepEqual(heldState(it), { rows: [], calls: [] });
  it.edits.setLoose("Book", row, "tags", { add: [], remove: [3] });
  it.edits.setLoose("Book", row, "tags", { add: [], remove: [] });
  assert.equal(it.edits.isEmpty, true);
  await it.edits.undo();
  assert.deepEqual(heldState(it).rows, [["Book/1", { tags: { add: [], remove: [3] } }, 4]]);
  assert.deepEqual(Object.keys(it.edits.args.update[0].base ?? {}), []);
});

test("Undo after an edit that was taken back by hand brings it back, and undoes no save", async () => {
  const it = heldEdits();
  it.edits.set("Book", row, "title", "b");
  void it.edits.save();
  await it.held.answer();
  const saved = { ...row, $version: 5, title: "b" };
  it.edits.set("Book", saved, "title", "c");
  it.edits.set("Book", saved, "title", "b");
  assert.equal(it.edits.isEmpty, true);
  await it.edits.undo();
  assert.deepEqual(heldState(it), { rows: [["Book/1", { title: "c" }, 5]], calls: ["save"] });
  assert.deepEqual({ ...it.edits.get("Book", 1).base }, { title: "b" });
  await it.edits.undo();
  assert.deepEqual(heldState(it), { rows: [], calls: ["save"] });
  void it.edits.undo();
  await it.held.answer();
  assert.deepEqual(heldState(it).calls, ["save", "undo 1"]);
});

test("Undo of an edit that was made while the row was inserted takes back the edit", async () => {
  const it = heldEdits();
  const created = it.edits.insert("Book");
  it.edits.set("Book", { $id: created }, "title", "new");
  void it.edits.save();
  await pause();
  it.edits.set("Book", { $id: created }, "title", "newer");
  it.edits.set("Book", { $id: created }, "year", 3);
  await it.held.answer();
  assert.deepEqual(heldState(it).rows, [["Book/7", { title: "newer", year: 3 }, 1]]);
  await it.edits.undo();
  assert.deepEqual(heldState(it).rows, [["Book/7", { title: "newer" }, 1]]);
  await it.edits.undo();
  assert.deepEqual(heldState(it), { rows: [], calls: ["save"] });
  void it.edits.undo();
  await it.held.answer();
  assert.deepEqual(heldState(it).calls, ["save", "undo 1"]);
});

test("Undo takes back an unsaved deletion with the edits that it replaced, and an unsaved new row", async () => {
  const it = heldEdits();
  it.edits.set("Book", row, "title", "b");
  void it.edits.save();
  await pause();
  it.edits.set("Book", row, "year", 2);
  it.edits.delete("Book", 1, 4);
  const created = it.edits.insert("Book");
  await it.held.answer();
  assert.deepEqual(heldState(it).rows, [[`Book/${created}`, {}, null], ["Book/1", {}, 5]]);
  await it.edits.undo();
  assert.deepEqual(heldState(it).rows, [["Book/1", {}, 5]]);
  await it.edits.undo();
  assert.deepEqual(heldState(it).rows, [["Book/1", { year: 2 }, 5]]);
  await it.edits.undo();
  assert.deepEqual(heldState(it), { rows: [], calls: ["save"] });
});

test("Steps that were discarded or dropped are never taken back", async () => {
  const it = heldEdits();
  it.edits.set("Book", row, "title", "b");
  void it.edits.save();
  await pause();
  it.edits.discard();
  it.edits.set("Book", { $id: 2, $version: 1, title: "x" }, "title", "y");
  await it.held.answer();
  await it.edits.undo();
  assert.deepEqual(heldState(it), { rows: [], calls: ["save"] });
  const created = it.edits.insert("Book");
  it.edits.set("Book", { $id: created }, "title", "z");
  it.edits.drop("Book", created);
  void it.edits.undo();
  await it.held.answer();
  assert.deepEqual(heldState(it), { rows: [], calls: ["save", "undo 1"] });
});

test("Undo takes back every unsaved step before it undoes a save", async () => {
  for (let round = 0; round < 200; round++) {
    const it = heldEdits();
    const { edits, held } = it;
    const created = [];
    for (let count = 0; count < 25; count++) {
      const known = [...edits.rows.values()];
      const open = created.filter((id) => edits.get("Book", id)).map(($id) => ({ $id }));
      const one = [...open, row, { ...row, $id: 2 }][below_(open.length + 2)];
      switch (below_(8)) {
        case 0: edits.delete("Book", below_(2) + 1, 4); break;
        case 1: if (created.length === 0) created.push(edits.insert("Book")); break;
        case 2: if (!edits.isSaving) void edits.save(); break;
        case 3: await held.answer(); break;
        case 4: if (known.length) edits.drop("Book", known[below_(known.length)].id); break;
        default: edits.set("Book", one, ["title", "year"][below_(2)], ["a", "b", "c", 1][below_(4)]);
      }
    }
    while (edits.isSaving) await held.answer();
    for (let count = 0; !edits.isEmpty; count++) {
      assert.ok(count < 100, `round ${round}`);
      await edits.undo();
    }
    assert.deepEqual(heldState(it).calls.filter((call) => call !== "save"), [], `round ${round}`);
  }
});

/** Edits of two books whose saves are answered in turn: by an error, or by undefined for one that succeeds. */
function answeredEdits(...answers) {
  const { edits } = heldEdits();
  session.model = new Model({ schema: { entities: [{
    name: "Book",
    attributes: [
      ...["title", "year", "notes"].map((name) => ({ name, type: "string", optional: true })),
      { name: "cover", type: "data", externalStorage: true, optional: true },
    ],
    relationships: [{ name: "tags", destination: "Book", toMany: true }],
  }] } });
  const sent = [];
  session.client.save = async (args) => {
    sent.push(structuredClone(args));
    const error = answers.shift();
    if (error) throw error;
    return { token: "1", inserted: 0, updated: 1, deleted: 0, ids: {}, versions: {} };
  };
  const asked = [];
  edits.ask = async (conflicts) => {
    asked.push(conflicts.map(({ id, kind }) => `${id} ${kind}`));
    settle(edits.rows, conflicts.map((conflict) => (
      { conflict, whole: "mine", choices: choicesOf(conflict).map((one) => ({ ...one, choice: "mine" })) }
    )));
    return true;
  };
  edits.set("Book", { ...row, year: "1", notes: "n", "cover.$length": null }, "title", "b");
  edits.set("Book", { ...row, $id: 2 }, "year", "2");
  return { edits, sent, asked };
}
const refusal = (...conflicts) =>
  Object.assign(new Error(), { code: "conflict.merge", details: { conflicts } });
const gone = { entity: "Book", id: 1, kind: "updateOfDeleted", storeVersion: null };

test("A row that is made again has all values that the page has read, and the others are named", async () => {
  const { edits, sent, asked } = answeredEdits(refusal(gone), refusal(gone));
  await edits.save();
  assert.deepEqual(asked, [["1 updateOfDeleted"]]);
  const { update, read, policy } = sent.at(-1);
  assert.equal(policy, "mergeByPropertyObjectTrump");
  assert.deepEqual(update[0], { entity: "Book", rows: [{ $id: 1, $version: 4, title: "b" }],
    base: [{ title: "a", year: "1", notes: "n", cover: null }] });
  assert.deepEqual(update[1].base, [{ year: 1 }]);
  assert.deepEqual(read, [{ entity: "Book", ids: [2], versions: [4] }]);
  assert.equal(edits.isEmpty, true);
  const edit = { entity: "Book", row: { title: "a", notes: { $length: 9e6 }, "cover.$length": 3 }, values: {} };
  assert.deepEqual(madeAgain(edit, session.model).unknown, ["year", "notes", "cover", "tags"]);
});

test("A large value that others changed under its editor is stored only if the person agrees", async () => {
  globalThis.HTMLElement ??= class {};
  globalThis.customElements ??= { define() {} };
  const { storeOver } = await page("large.js");
  const sent = [];
  session.client = { save: async ({ update: [{ rows: [row] }] }) => {
    sent.push(row);
    const details = { conflicts: [{ kind: "update", storeVersion: 5, changedBy: { cover: { author: "bob" } } }] };
    if (row.$version !== 5) throw Object.assign(new Error("changed"), { code: "conflict.merge", details });
  } };
  const place = { entity: "Book", id: 1, path: "cover", version: 3 };
  const asked = [];
  const answer = (agrees) => async ({ cover }) => (asked.push(cover.author), agrees);
  assert.equal(await storeOver(place, "mine", answer(false)), false);
  assert.deepEqual([sent.length, asked], [1, ["bob"]]);
  assert.equal(await storeOver(place, { $upload: "u" }, answer(true)), true);
  assert.deepEqual(sent.slice(1), [3, 5].map(($version) => ({ $id: 1, $version, cover: { $upload: "u" } })));
  session.client.save = async () => {
    throw Object.assign(new Error("deleted"), { code: "conflict.merge", details: { conflicts: [gone] } });
  };
  await assert.rejects(storeOver(place, "mine", answer(true)), /deleted/);
});

test("The answer about one row decides no conflict of another, which is asked by itself", async () => {
  const other = {
    entity: "Book", id: 2, kind: "update", storeVersion: 9, properties: ["year"], base: { year: 1 },
    store: { year: "77" }, client: { year: "2" },
  };
  const late = Object.assign(refusal({ ...other, kind: "read" }), { code: "conflict.read" });
  const { edits, sent, asked } = answeredEdits(refusal(gone), refusal(gone), late, refusal(gone, other), refusal(gone));
  await edits.save();
  assert.deepEqual(asked, [["1 updateOfDeleted"], ["2 update"]]);
  assert.deepEqual(sent.map(({ policy }) => Boolean(policy)), [false, false, true, false, false, true]);
  assert.deepEqual(sent.at(-1).read, [{ entity: "Book", ids: [2], versions: [9] }]);
  assert.deepEqual(sent.at(-1).update[1].base, [{ year: "77" }]);
  assert.equal(edits.isEmpty, true);
});
