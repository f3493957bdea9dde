import assert from "node:assert/strict";

import { DepotDate } from "depot-client";

import { dice, failure, seed } from "./helpers.js";
import { withService } from "./stores.js";

withService("Values of all types come back exactly, whatever they are", async (_, client) => {
  const random = dice(seed());
  const double = () => {
    const view = new DataView(new ArrayBuffer(8));
    view.setUint32(0, random.below(2 ** 32));
    view.setUint32(4, random.below(2 ** 32));
    return view.getFloat64(0);
  };
  const whole = () => {
    const number = BigInt.asIntN(
      1 + random.below(64), (BigInt(random.below(2 ** 32)) << 32n) | BigInt(random.below(2 ** 32)),
    );
    return Number.isSafeInteger(Number(number)) ? Number(number) : number;
  };
  const sign = () => String.fromCodePoint(
    random.one(
      [random.below(128), random.below(0xd800), 0xe000 + random.below(0x2000), 0x10000 + random.below(0x100000)],
    ),
  );
  const text = (count = random.below(20)) => Array.from({ length: count }, sign).join("");
  const bytes = () => Uint8Array.from({ length: random.below(50) }, () => random.below(256));
  const hex = (count) => Array.from({ length: count }, () => random.below(16).toString(16)).join("");
  const moment = () => new DepotDate(
    random.below(3) ? (random.next() - 0.5) * 10 ** random.below(13) : Math.round(random.next() * 1e12) / 1000,
  );
  const json = (depth) => random.one([
    () => random.one([null, true, false, 2n ** 60n + BigInt(random.below(1000)), random.next(), random.below(1000)]),
    () => text(),
    () => (depth ? Array.from({ length: random.below(4) }, () => json(depth - 1)) : []),
    () => (
      depth ? Object.fromEntries(
        Array.from({ length: random.below(4) }, () => [`a${text(2).replaceAll("\0", "")}`, json(depth - 1)]),
      ) : {}
    ),
  ])();
  const makers = {
    text, whole, flag: () => random.below(2) === 0, moment, bytes,
    real: () => random.one(
      [
        double,
        () => random.one([NaN, Infinity, -Infinity, -0, 0, 5e-324, 2 ** 60, 1e19, 1e21, Number.MAX_VALUE]),
        () => random.below(100) / 4,
      ],
    )(),
    code: () => [8, 4, 4, 4, 12].map(hex).join("-"),
    amount: () => `${random.one(["", "-"])}${1 + random.below(10 ** 9)}.${random.below(10 ** 9)}1`,
    large: () => {
      const number = BigInt.asUintN(64, BigInt(whole()));
      return Number.isSafeInteger(Number(number)) ? Number(number) : number;
    },
    link: () => `https://example.org/${random.below(1000)}?a=%20`,
    moments: () => Array.from({ length: random.below(4) }, moment),
    extra: () => json(4),
    "home.size": whole, "home.data": bytes,
  };
  const values = client.entity("Value");
  const rows = Array.from(
    { length: 500 },
    () => Object.fromEntries(Object.entries(makers).map(([name, make]) => [name, random.below(8) ? make() : null])),
  );
  for (const row of rows) row.home = true;
  const { ids } = await values.insert(rows);
  const found = await values.get(ids);
  const fetched = new Map(
    (await values.fetch({ sort: [{ attribute: "moment" }] }).toArray()).map((row) => [row.$id, row]),
  );
  rows.forEach((row, index) => {
    for (const [name, value] of Object.entries(row)) {
      assert.deepEqual(found[index][name], value, `${name} of ${index}`);
      if (value instanceof DepotDate) assert.ok(
        Object.is(found[index][name].referenceSeconds, value.referenceSeconds), name,
      );
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
