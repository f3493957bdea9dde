/** The client: calls, rows, and live queries over any transport. `node.js` and `browser.js` have the transports. */

import { saveArguments } from "./batches.js";
import { Entity } from "./entity.js";
import { DepotError, brokenProtocol, cancelled, disconnected, wrongUsage } from "./errors.js";
import { unlessAborted, wellFormed } from "./errors.js";
import { newKey } from "./keys.js";
import { Link, STREAMS, WRITES, ended } from "./link.js";
import { Pauses, Rows, Stream, afterRows, isWorthAnother, joined, relate } from "./rows.js";
import { Misfit, Types, queryArguments } from "./values.js";
import { Watch } from "./watch.js";

export { DepotError } from "./errors.js";
export { FrameReader, JSONText, readJSON, withLength, writeJSON } from "./json.js";
export { newKey } from "./keys.js";
export { LiveRows, Rows, Stream } from "./rows.js";
export { DepotDate } from "./values.js";

/**
 * @typedef {import("./depot.js").CallOptions} CallOptions
 * @typedef {import("./depot.js").ClientOptions} ClientOptions
 * @typedef {import("./depot.js").Row} Row
 * @typedef {import("./depot.js").Transport} Transport
 * @typedef {import("./depot.js").Client} ClientType
 * @typedef {Record<string, any>} Members
 */

/**
 * Connects by a transport.
 *
 * @param {Transport} transport
 * @param {ClientOptions} [options]
 * @returns {Promise<Client>}
 */
export function open(transport, options = {}) {
  return Client.open(transport, options);
}

// What an error of a write that is sent again says only of this sending.
const OF_ONE_SENDING =
  /^(deadline\.|cancelled\.|limit\.|permission\.|unavailable\.|storage\.|notfound\.(container|staged)$)/;
// Errors of the connection, for which there is another one.
const OF_CONNECTION = new Set(["unavailable.disconnected", "unavailable.draining", "unavailable.service"]);

/** @implements {ClientType} */
class Client {
  #transport;
  #options;
  #hello;
  /** @type {Link | undefined} */
  #link;
  /** @type {Set<Link>} links of services that stop, whose calls go on */
  #former = new Set();
  /** @type {Promise<Link> | undefined} */
  #connecting;
  #wasConnected = false;
  #isClosed = false;
  /** @type {Map<string, Promise<Types>>} by container */
  #types = new Map();
  /** @type {string | undefined} */
  #fingerprint;

  /**
   * @param {Transport} transport
   * @param {ClientOptions} options
   */
  constructor(transport, options) {
    const { name = "javascript", version = "1", author, process, container, access } = options;
    this.#transport = transport;
    this.#options = { credit: 8, patience: 10_000, onState: () => {}, ...options };
    this.#hello = {
      protocol: [1, 1],
      client: { name, version, language: "javascript" },
      want: ["credit"],
      author,
      process,
      container,
      access,
    };
  }

  /**
   * @param {Transport} transport
   * @param {ClientOptions} options
   */
  static async open(transport, options) {
    const client = new Client(transport, options);
    await client.#connected();
    return client;
  }

  /** What the service said of itself; undefined while there is no connection. */
  get welcome() {
    return this.#link?.isUsable ? this.#link.welcome : undefined;
  }

  // Connections

  /**
   * Waits for a connection; a service that was there may be about to come back.
   *
   * @returns {Promise<Link>}
   */
  #connected() {
    if (this.#isClosed) return Promise.reject(closed("none"));
    if (this.#link?.isUsable) return Promise.resolve(this.#link);
    this.#connecting ??= this.#connect().finally(() => (this.#connecting = undefined));
    return this.#connecting;
  }

  async #connect() {
    const pauses = new Pauses(this.#wasConnected ? this.#options.patience : 0);
    for (;;) {
      try {
        return await this.#openLink();
      } catch (error) {
        if (!isWorthAnother(error) || this.#isClosed || !(await pauses.next())) throw error;
      }
    }
  }

  async #openLink() {
    /** @type {Link} */
    const link = await Link.open(this.#transport, this.#hello, {
      draining: () => this.#tell("draining"),
      closed: (error) => {
        this.#former.delete(link);
        if (!this.#isClosed && this.#link === link) this.#tell("disconnected", error);
      },
    });
    if (this.#isClosed) {
      link.close(closed("none"));
      throw closed("none");
    }
    if (this.#link && !this.#link.error) this.#former.add(this.#link);
    this.#link = link;
    this.#wasConnected = true;
    // The schema is read again if it may be another one.
    const fingerprint = link.welcome?.store?.schema;
    if (fingerprint === undefined || fingerprint !== this.#fingerprint) this.#types.clear();
    for (const container of this.#types.keys()) if (container) this.#types.delete(container);
    this.#fingerprint = fingerprint;
    this.#tell("connected");
    return link;
  }

  /**
   * @param {import("./depot.js").State} state
   * @param {DepotError} [error]
   */
  #tell(state, error) {
    // What an observer throws is the observer's: it isn't an error of the connection.
    queueMicrotask(() => this.#options.onState(state, error));
  }

  /**
   * Closes the connection: what isn't committed is cancelled, and what is open ends with an error.
   *
   * It can be handed on alone, and as a member that can't be cloned it keeps the client in its thread.
   */
  close = () => {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const link of [...this.#former, this.#link]) link?.close(closed("unknown"));
    this.#tell("closed");
  };

  /** Tells the service that nothing more is sent; answers to what was sent before still come. */
  async endSending() {
    (await this.#connected()).endSending();
  }

  // Calls

  /**
   * @param {string} operation
   * @param {CallOptions} options
   * @returns {Members}
   */
  #members(operation, options) {
    const { deadline, author, group, pin, container } = options;
    const key = WRITES.has(operation) && options.key !== null ? (options.key ?? newKey()) : options.key ?? undefined;
    return { deadlineMs: deadline, key, author, group, pin, container };
  }

  /**
   * Calls an operation, and returns its result.
   *
   * @param {string} operation
   * @param {Members} [args]
   * @param {CallOptions} [options]
   * @returns {Promise<any>}
   */
  async call(operation, args = {}, options = {}) {
    if (STREAMS.has(operation)) throw wrongUsage(`"${operation}" answers with many frames.`, "Use stream().");
    const { signal } = options;
    const members = this.#members(operation, options);
    const pauses = new Pauses(this.#options.patience);
    let isInDoubt = false;
    let losses = 0;
    for (;;) {
      try {
        if (signal?.aborted) throw cancelled(signal);
        const link = await unlessAborted(this.#connected(), signal);
        const sent = isInDoubt ? { ...members, deadlineMs: undefined } : members;
        // A write in doubt isn't cancelled: that would leave the doubt.
        const result = isInDoubt
          ? await unlessAborted(ended(link, operation, args, sent), signal)
          : await ended(link, operation, args, sent, signal);
        if (CHANGES_SCHEMA.test(operation)) this.#types.clear();
        return result;
      } catch (error) {
        if (!(error instanceof DepotError)) throw error;
        const isLost = OF_CONNECTION.has(error.code);
        const isUndone = error.effect === "none" && error.code !== "unavailable.disconnected";
        const mayRepeat = members.key !== undefined || isUndone;
        if (members.key !== undefined && error.effect === "unknown") isInDoubt = true;
        const isLast = error.code === "unavailable.service" || !isWorthAnother(error) || !mayRepeat || this.#isClosed;
        // Behind the first loss everybody waits for the same connection, and the calls keep their order.
        if (!isLast && ((isLost && losses++ === 0) || (await pauses.next(signal)))) continue;
        if (!isLast && signal?.aborted) throw cancelled(signal, isInDoubt ? "unknown" : error.effect);
        const isOnlyOfThisSending = isInDoubt && OF_ONE_SENDING.test(error.code);
        // Made here, the error knows who called.
        throw error.with(isOnlyOfThisSending ? { effect: "unknown" } : {});
      }
    }
  }

  /**
   * Yields the frames of a call, with credit for another one when a frame was used up.
   *
   * @param {string} operation
   * @param {Members} args
   * @param {CallOptions} options
   * @returns {AsyncGenerator<any, any, void>}
   */
  async *#frames(operation, args, options) {
    const { signal } = options;
    const members = { ...this.#members(operation, options), credit: options.credit ?? this.#options.credit };
    const pauses = new Pauses(this.#options.patience);
    let count = 0;
    for (;;) {
      /** @type {import("./link.js").Call | undefined} */
      let call;
      const abandon = () => call?.abandon();
      try {
        if (signal?.aborted) throw cancelled(signal);
        const link = await unlessAborted(this.#connected(), signal);
        call = link.begin(operation, args, members);
        signal?.addEventListener("abort", abandon);
        if (signal?.aborted) abandon();
        for (;;) {
          const frame = await call.next();
          if (signal?.aborted) throw cancelled(signal);
          if ("ok" in frame) return frame.ok;
          count++;
          yield frame;
          call.used();
        }
      } catch (error) {
        const mayRepeat = count === 0 && isWorthAnother(error) && error.code === "unavailable.draining";
        if (!mayRepeat || !(await pauses.next(signal))) throw error instanceof DepotError ? error.with({}) : error;
      } finally {
        signal?.removeEventListener("abort", abandon);
        abandon();
      }
    }
  }

  /**
   * The frames of any operation that streams, as the protocol has them.
   *
   * @param {string} operation
   * @param {Members} [args]
   * @param {CallOptions} [options]
   */
  stream(operation, args = {}, options = {}) {
    if (!STREAMS.has(operation)) throw wrongUsage(`"${operation}" answers with one frame.`, "Use call().");
    return new Stream(() => this.#frames(operation, args, options));
  }

  /** @param {CallOptions} [options] */
  async ping(options) {
    await this.call("ping", {}, options);
  }

  // Schemas

  /**
   * Returns the schema, whose types the client reads rows by from then on.
   *
   * @param {CallOptions} [options]
   */
  async schema(options = {}) {
    const result = await this.call("schema.get", {}, options);
    const types = await wellFormed(async () => new Types(result.schema));
    this.#types.set(options.container ?? "", Promise.resolve(types));
    return result;
  }

  /**
   * @param {import("./depot.js").Schema} schema
   * @param {Members} [args]
   * @param {CallOptions} [options]
   */
  define(schema, args, options) {
    return this.call("schema.define", { ...args, schema }, options);
  }

  /**
   * @param {CallOptions} options
   * @param {boolean} isFresh
   * @returns {Promise<Types>}
   */
  async #typesOf(options, isFresh) {
    const container = options.container ?? "";
    const known = this.#types.get(container);
    if (known && !isFresh) return known;
    // Others may wait for the same answer, so it has no signal.
    const read = this.call("schema.get", {}, { container: options.container });
    const types = wellFormed(async () => new Types((await read).schema));
    this.#types.set(container, types);
    types.catch(() => this.#types.get(container) === types && this.#types.delete(container));
    return types;
  }

  /**
   * Reads rows by the types of the schema, which may have changed since it was read.
   *
   * @param {CallOptions} options
   * @param {string} entity
   * @param {string[]} columns
   * @param {any[][]} rows
   * @param {Members} [aggregate]
   * @returns {Promise<Row[]>}
   */
  async #read(options, entity, columns, rows, aggregate) {
    const isFine = Array.isArray(columns) && Array.isArray(rows) && columns.every((name) => typeof name === "string");
    if (!isFine) throw brokenProtocol("The service sends rows without columns.");
    for (const isFresh of [false, true]) {
      const types = await this.#typesOf(options, isFresh);
      try {
        const own = aggregate && types.ofAggregate(entity, aggregate);
        return /** @type {Row[]} */ (types.rows(entity, columns, rows, own, isFresh, this.#options.exactJSON));
      } catch (error) {
        if (error instanceof DepotError) throw error;
        if (!(error instanceof Misfit)) break;
      }
    }
    throw brokenProtocol(`The service sends a row of ${entity} whose values aren't of the schema's types.`);
  }

  /**
   * Rows by identifier; undefined in the place of one that there isn't.
   *
   * @param {string} entity
   * @param {any[]} ids
   * @param {Members} args
   * @param {CallOptions} options
   * @returns {Promise<(Row | undefined)[]>}
   */
  async #get(entity, ids, args, options) {
    const found = await this.call("get", { ...args, entity, ids, partial: true, columns: undefined }, options);
    const rows = await this.#read(options, entity, found.columns, found.rows);
    const byId = new Map(rows.map((row) => [row.$id, row]));
    return ids.map((id) => byId.get(typeof id === "bigint" && Number.isSafeInteger(Number(id)) ? Number(id) : id));
  }

  /**
   * The rows of a fetch or an aggregate.
   *
   * @param {"fetch" | "aggregate"} operation
   * @param {Members} query with its entity
   * @param {CallOptions} options
   * @returns {Rows}
   */
  #rows(operation, query, options) {
    const frames = () => this.#frames(operation, { ...queryArguments(query), columns: undefined }, options);
    const read = (/** @type {string} */ entity, /** @type {string[]} */ columns, /** @type {any[][]} */ rows) =>
      this.#read(options, entity, columns, rows, operation === "aggregate" ? query : undefined);
    return new Rows(async function* (rows) {
      /** @type {string[]} */
      let columns = [];
      let count = 0;
      const stream = frames();
      try {
        for (;;) {
          const { done, value: frame } = await stream.next();
          if (done) {
            rows.result = frame;
            return;
          }
          columns = frame.columns ?? columns;
          const found = await read(query.entity, columns, frame.next);
          await wellFormed(() => relate(rows.related, frame.related, read));
          for (const row of found) {
            count++;
            yield row;
          }
        }
      } catch (error) {
        throw error instanceof DepotError && count > 0 ? afterRows(error, count) : error;
      } finally {
        await stream.return(undefined);
      }
    });
  }

  // Whole stores

  /**
   * @param {string} name
   * @returns {any} whose type is that of its rows
   */
  entity(name) {
    return new Entity(name, {
      client: this,
      rows: (...query) => this.#rows(...query),
      get: (...query) => this.#get(...query),
    });
  }

  /**
   * Inserts, changes, and deletes rows of several entities in one transaction.
   *
   * @param {Members} changes
   * @param {CallOptions} [options]
   */
  async save(changes, options) {
    return this.call("save", saveArguments(changes), options);
  }

  /**
   * The transactions of the history; with `parts`, a large one in several parts, all but the last with `more`.
   *
   * @param {Members} [args]
   * @param {CallOptions} [options]
   */
  history(args = {}, options = {}) {
    const frames = () => this.#frames("history", args, options);
    const typed = (/** @type {any[]} */ parts) => wellFormed(() => this.#typed(joined(parts), options));
    const isWhole = !options.parts;
    return new Stream(async function* () {
      /** @type {any[]} */
      let parts = [];
      for await (const frame of frames()) {
        for (const part of frame.next) parts.push(part);
        if (isWhole && parts[parts.length - 1]?.more) continue;
        const whole = await typed(parts);
        parts = [];
        yield* whole;
      }
    });
  }

  /**
   * Reads the values of transactions.
   *
   * @param {any[]} transactions
   * @param {CallOptions} options
   */
  async #typed(transactions, options) {
    const types = await this.#typesOf(options, false);
    for (const { changes } of transactions) {
      for (const change of changes) {
        for (const name of ["old", "new"]) {
          if (name in change && change.kind !== "links") change[name] = types.values(change.entity, change[name]);
        }
      }
    }
    return transactions;
  }

  /**
   * Watches one of `fetch`, `count`, `aggregate`, and `history`.
   *
   * @param {Members} query
   * @param {CallOptions} [options]
   * @returns {Watch}
   */
  watch(query, options = {}) {
    const args = { ...query };
    for (const name of ["fetch", "count", "aggregate"]) if (args[name]) args[name] = queryArguments(args[name]);
    return new Watch(query, options, this.#options.patience, {
      frames: (since, signal) => this.#frames("watch", { ...args, since: since ?? args.since }, { ...options, signal }),
      read: (entity, columns, rows) => this.#read(options, entity, columns, rows, query.aggregate),
      typed: (transactions) => this.#typed(transactions, options),
      limit: () => this.#link?.limit("watchRows", 1_000_000) ?? 1_000_000,
    });
  }
}

const CHANGES_SCHEMA = /^(schema\.define|migration\.commit|container\.(open|close))$/;

/** @param {import("./depot.js").Effect} effect */
const closed = (effect) => disconnected("The client was closed.", effect).with({ retry: "no", hint: undefined });
