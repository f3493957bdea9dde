/** What streams give: rows, transactions, and the rows of queries that are kept up to date. */

import { DepotError, brokenProtocol } from "./errors.js";

/**
 * @typedef {import("./depot.js").Row} Row
 * @typedef {{ rows: Map<number | bigint, Row>, links: Map<number | bigint, (number | bigint)[]> }} Related
 */

/**
 * Pauses that double from 20 ms to 2 s, with some randomness, until the patience is used up.
 */
export class Pauses {
  /** @param {number} patience in milliseconds */
  constructor(patience) {
    this.end = Date.now() + patience;
    this.pause = 20;
  }

  /**
   * Waits; returns false if there was enough of it, or the signal is aborted.
   *
   * @param {AbortSignal} [signal]
   * @returns {Promise<boolean>}
   */
  next(signal) {
    const left = this.end - Date.now();
    if (!(left > 0) || signal?.aborted) return Promise.resolve(false);
    const length = Math.min(left, this.pause * (0.5 + Math.random() / 2));
    this.pause = Math.min(2 * this.pause, 2_000);
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", done);
        resolve(!signal?.aborted);
      };
      const timer = setTimeout(done, length);
      signal?.addEventListener("abort", done);
    });
  }
}

/**
 * What can be iterated any number of times; each time is a call of its own.
 *
 * @template T
 */
export class Stream {
  #iterate;

  /** @param {() => AsyncGenerator<T, any, void>} iterate */
  constructor(iterate) {
    this.#iterate = iterate;
  }

  [Symbol.asyncIterator]() {
    return this.#iterate();
  }

  /** @returns {Promise<T[]>} */
  async toArray() {
    const all = [];
    for await (const one of this) all.push(one);
    return all;
  }

  /** @returns {Promise<T | undefined>} the first one, if there is any; the rest isn't read */
  async first() {
    for await (const one of this) return one;
    return undefined;
  }
}

/**
 * The rows of a fetch or an aggregate.
 *
 * @extends {Stream<Row>}
 */
export class Rows extends Stream {
  /** @param {(rows: Rows) => AsyncGenerator<Row, any, void>} iterate */
  constructor(iterate) {
    super(() => iterate(this));
    /** @type {Map<string, Related>} the prefetched rows that came so far, by path */
    this.related = new Map();
    /** @type {Record<string, any> | undefined} the totals, at the end */
    this.result = undefined;
  }
}

/**
 * Adds the related rows of a frame.
 *
 * @param {Map<string, Related>} related
 * @param {any[] | undefined} blocks
 * @param {(entity: string, columns: string[], rows: any[][]) => Promise<Row[]>} read
 */
export async function relate(related, blocks, read) {
  for (const block of blocks ?? []) {
    const known = related.get(block.path) ?? { rows: new Map(), links: new Map() };
    for (const row of await read(block.entity, block.columns, block.rows)) known.rows.set(row.$id, row);
    for (const [id, ids] of block.links ?? []) known.links.set(id, ids);
    related.set(block.path, known);
  }
}

/**
 * Joins the parts of transactions that were too large for a frame.
 *
 * @param {any[]} transactions
 * @returns {any[]}
 */
export function joined(transactions) {
  /** @type {any[]} */
  const whole = [];
  for (const part of transactions) {
    const last = whole[whole.length - 1];
    if (last?.more && last.token === part.token) {
      last.changes.push(...part.changes);
      if (!part.more) delete last.more;
    } else {
      whole.push({ ...part, changes: [...(part.changes ?? [])] });
    }
  }
  return whole;
}

/** The rows of a watched query, and what its frames make of them; it knows nothing of connections. */
export class LiveRows {
  /** @param {number} [limit] how many rows there may be */
  constructor(limit = 1_000_000) {
    this.limit = limit;
    /** @type {Row[]} */
    this.rows = [];
    /** @type {string | undefined} the moment of the rows */
    this.token = undefined;
    /** @type {Row[] | undefined} */
    this.snapshot = undefined;
    /** @type {any[]} the frames of a change that isn't whole yet */
    this.parts = [];
    this.size = 0;
  }

  /** Drops what came only in part. */
  forgetParts() {
    this.snapshot = undefined;
    this.parts = [];
    this.size = 0;
  }

  /**
   * Takes a frame whose `next` has rows as objects; returns the event that it ends, if it does.
   *
   * @param {any} frame
   * @returns {any}
   * @throws {DepotError} protocol.frame if it doesn't fit the rows
   */
  take(frame) {
    if (["snapshot", "change", "resume"].includes(frame.kind)) this.size += frame.next.length;
    if (this.size > this.limit) throw brokenProtocol("The service sends more rows of a watch than it may have.");
    switch (frame.kind) {
      case "snapshot":
        this.snapshot ??= [];
        for (const row of frame.next) this.snapshot.push(row);
        return undefined;
      case "live": {
        const isNew = this.snapshot !== undefined || this.token === undefined;
        if (isNew) this.rows = this.snapshot ?? [];
        this.forgetParts();
        this.token = frame.token;
        return isNew ? { kind: "snapshot", token: this.token } : undefined;
      }
      case "gap":
        // The rows stay those of their token until others are whole.
        this.forgetParts();
        return { kind: "gap", from: frame.from, to: frame.to };
      case "mark":
        this.token = frame.token;
        return { kind: "mark", token: this.token };
      case "change":
      case "resume": {
        this.parts.push(frame);
        if (frame.more) return undefined;
        const parts = this.parts;
        this.forgetParts();
        const changes = frame.kind === "resume" ? this.resume(parts) : this.change(parts);
        this.token = frame.token;
        /** @type {any} */
        const event = { kind: frame.kind, token: this.token, changes };
        if (typeof frame.author === "string") event.author = frame.author;
        return event;
      }
    }
    return undefined;
  }

  /** @param {any[]} parts */
  change(parts) {
    if (!parts.some((part) => "changes" in part || "removed" in part)) {
      // A count or an aggregate brings all its rows.
      this.rows = parts.flatMap((part) => part.next);
      return [];
    }
    const removed = parts.flatMap((part) => part.removed ?? []);
    const entries = parts.flatMap((part) => {
      const changes = part.changes ?? [];
      if (changes.length !== part.next.length) throw misfit();
      return part.next.map((/** @type {Row} */ row, /** @type {number} */ index) => ({ ...changes[index], row }));
    });
    /** @type {Set<number>} */
    const gone = new Set();
    const moved = entries.filter((entry) => "from" in entry);
    const leaving = [...removed, ...moved.map((entry) => ({ id: entry.row.$id, from: entry.from }))];
    for (const { id, from } of leaving) {
      if (gone.has(from) || this.rows[from]?.$id !== id) throw misfit();
      gone.add(from);
    }
    const kept = gone.size > 0 ? this.rows.filter((_, place) => !gone.has(place)) : this.rows;
    entries.sort((one, other) => one.at - other.at);
    /** @type {Row[]} */
    const rows = [];
    let next = 0;
    for (const { at, row } of entries) {
      while (rows.length < at && next < kept.length) rows.push(kept[next++]);
      if (rows.length !== at) throw misfit();
      rows.push(row);
    }
    while (next < kept.length) rows.push(kept[next++]);
    const before = this.rows;
    this.rows = rows;
    return [
      ...removed.map(({ id, from }) => ({ kind: "removed", id, from, row: before[from] })),
      ...entries.map((entry) => ({ ...entry, id: entry.row.$id })),
    ];
  }

  /** @param {any[]} parts */
  resume(parts) {
    const before = new Map(this.rows.map((row, place) => [row.$id, place]));
    /** @type {Map<number | bigint, Row>} */
    const fresh = new Map(parts.flatMap((part) => part.next).map((row) => [row.$id, row]));
    /** @type {(number | bigint)[]} */
    const order = parts.flatMap((part) => part.order ?? []);
    const rows = order.map((id) => {
      const row = fresh.get(id) ?? this.rows[before.get(id) ?? -1];
      if (!row) throw misfit();
      return row;
    });
    const stays = new Set(order);
    /** @type {any[]} */
    const changes = [];
    for (const [id, from] of before) {
      if (!stays.has(id)) changes.push({ kind: "removed", id, from, row: this.rows[from] });
    }
    order.forEach((id, at) => {
      if (!fresh.has(id)) return;
      const from = before.get(id);
      const isNew = from === undefined;
      changes.push({ kind: isNew ? "inserted" : "updated", id, at, row: rows[at], ...(isNew ? {} : { from }) });
    });
    this.rows = rows;
    return changes;
  }
}

const misfit = () => brokenProtocol("A change of a watch doesn't fit the rows that came before.");

/**
 * Whether a request may be sent again by itself, after a pause.
 *
 * @param {unknown} error
 * @returns {error is DepotError}
 */
export const isWorthAnother = (error) => error instanceof DepotError && error.retry === "later";

/**
 * Returns the error of a stream that ended in its middle.
 *
 * @param {DepotError} error
 * @param {number} count
 */
export function afterRows(error, count) {
  return error.with({
    message: `${error.message} ${count} ${count === 1 ? "row" : "rows"} came before it.`,
    details: { ...error.details, rows: count },
  });
}
