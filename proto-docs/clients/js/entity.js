/** The rows of one entity: what is read of them, and changed. */

import { batchesOf } from "./batches.js";
import { DepotError, wellFormed, wrongUsage } from "./errors.js";
import { newKey } from "./keys.js";
import { queryArguments } from "./values.js";

/**
 * @typedef {import("./depot.js").CallOptions} CallOptions
 * @typedef {import("./depot.js").Query} Query
 * @typedef {import("./depot.js").Row} Row
 * @typedef {import("./depot.js").Entity} EntityType
 * @typedef {Record<string, any>} Members
 */

/**
 * What entities need of a client.
 *
 * @typedef {{
 *   client: import("./depot.js").Client,
 *   rows: (operation: "fetch" | "aggregate", query: Members, options: CallOptions) => import("./rows.js").Rows,
 *   get: (entity: string, ids: any[], args: Members, options: CallOptions) => Promise<(Row | undefined)[]>,
 * }} Source
 */

/** @implements {EntityType} */
export class Entity {
  #source;
  #client;

  /**
   * @param {string} name
   * @param {Source} source
   */
  constructor(name, source) {
    this.name = name;
    this.#source = source;
    this.#client = source.client;
  }

  /**
   * Stores rows: one transaction for as many as a call can have.
   *
   * @param {Iterable<Members>} rows
   * @param {Members} [args]
   * @param {CallOptions} [options]
   */
  async insert(rows, args = {}, options = {}) {
    const all = [...rows];
    const batches = batchesOf(all);
    if (batches.length > 1) return this.#insertMixed(batches, all.length, args, options);
    const [{ columns, rows: values }] = batches.length ? batches : [{ columns: [], rows: [] }];
    const key = options.key === undefined ? newKey() : options.key;
    const done = { inserted: 0, updated: 0, skipped: 0, ids: /** @type {any[]} */ ([]) };
    /**
     * @param {number} start
     * @param {number} end
     * @returns {Promise<void>}
     */
    const insert = async (start, end) => {
      const limit = this.#client.welcome?.limits?.rows ?? 10_000;
      if (end - start <= limit) {
        try {
          const part = { ...args, entity: this.name, columns, rows: values.slice(start, end) };
          const own = key && start > 0 ? `${key}:${start}` : key;
          const result = await this.#client.call("insert", part, { ...options, key: own });
          return await wellFormed(async () => addUp(done, result, start));
        } catch (error) {
          const isTooLarge = error instanceof DepotError && /^limit\.(frame_bytes|values)$/.test(error.code);
          if (!isTooLarge || end - start < 2) throw error;
        }
      }
      const middle = end - start > limit ? start + limit : start + ((end - start) >> 1);
      await insert(start, middle);
      await insert(middle, end);
    };
    try {
      await insert(0, values.length);
      return done;
    } catch (error) {
      if (!(error instanceof DepotError) || done.ids.length === 0) throw error;
      const effect = error.effect === "none" ? "partial" : error.effect;
      throw error.with({ effect, details: { ...error.details, done: done.ids.length, ids: done.ids } });
    }
  }

  /**
   * Stores rows that have values for different columns, in one transaction.
   *
   * @param {ReturnType<typeof batchesOf>} batches
   * @param {number} count
   * @param {Members} args
   * @param {CallOptions} options
   */
  async #insertMixed(batches, count, args, options) {
    if (args.rejects) throw wrongUsage("With rejects, all rows must have the same members.");
    const insert = batches.map(({ columns, rows, places }) => ({
      entity: this.name,
      columns: ["$id", ...columns],
      rows: rows.map((row, index) => [`#${places[index]}`, ...row]),
    }));
    const result = await this.#client.call("save", { ...args, insert }, options);
    return wellFormed(async () => {
      const { inserted, updated, token } = result;
      const ids = Array.from({ length: count }, (_, place) => result.ids[`#${place}`]);
      return { inserted, updated, skipped: count - inserted - updated, ids, token };
    });
  }

  /**
   * Returns a row, or rows, by identifier; undefined in the place of one that there isn't.
   *
   * @param {any} id
   * @param {Members} [args]
   * @param {CallOptions} [options]
   * @returns {Promise<any>}
   */
  async get(id, args = {}, options = {}) {
    const rows = await this.#source.get(this.name, Array.isArray(id) ? id : [id], args, options);
    return Array.isArray(id) ? rows : rows[0];
  }

  /**
   * @param {Query} [query]
   * @param {CallOptions} [options]
   */
  fetch(query = {}, options = {}) {
    return this.#source.rows("fetch", { ...query, entity: this.name }, options);
  }

  /**
   * @param {Members} query
   * @param {CallOptions} [options]
   */
  aggregate(query, options = {}) {
    return this.#source.rows("aggregate", { ...query, entity: this.name }, options);
  }

  /**
   * @param {Query} [query]
   * @param {CallOptions} [options]
   * @returns {Promise<number>}
   */
  async count(query = {}, options) {
    return (await this.#query("count", query, options)).count;
  }

  /**
   * @param {Query} [query]
   * @param {CallOptions} [options]
   * @returns {Promise<boolean>}
   */
  async exists(query = {}, options) {
    return (await this.#query("exists", query, options)).exists;
  }

  /**
   * Gives values to the rows that are named.
   *
   * @param {Members} change
   * @param {CallOptions} [options]
   */
  update(change, options) {
    return this.#query("update", change, options);
  }

  /**
   * Deletes the rows that are named.
   *
   * @param {Members} rows
   * @param {CallOptions} [options]
   */
  delete(rows, options) {
    return this.#query("delete", rows, options);
  }

  /**
   * @param {Query} [query]
   * @param {CallOptions} [options]
   */
  explain(query = {}, options) {
    return this.#query("explain", query, options);
  }

  /**
   * @param {Query} [query]
   * @param {CallOptions & import("./depot.js").WatchArguments} [options]
   */
  watch(query = {}, options = {}) {
    const { since, echo, onExpired, bookmarkMs, ...rest } = options;
    return this.#client.watch({ fetch: { ...query, entity: this.name }, since, echo, onExpired, bookmarkMs }, rest);
  }

  /**
   * @param {string} operation
   * @param {Members} query
   * @param {CallOptions} [options]
   */
  async #query(operation, query, options) {
    return this.#client.call(operation, queryArguments({ ...query, entity: this.name }), options);
  }
}

/**
 * @param {any} done
 * @param {any} result
 * @param {number} start
 */
function addUp(done, result, start) {
  for (const name of ["inserted", "updated", "skipped"]) done[name] += result[name];
  for (const id of result.ids) done.ids.push(id);
  if (result.token !== undefined) done.token = result.token;
  if (result.rejected) {
    const moved = result.rejected.map((/** @type {any} */ one) => ({ ...one, row: one.row + start }));
    done.rejected = [...(done.rejected ?? []), ...moved];
  }
}
