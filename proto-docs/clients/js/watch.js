/** Queries and histories that are watched, over as many connections as it takes. */

import { cancelled, wellFormed, wrongUsage } from "./errors.js";
import { LiveRows, Pauses, isWorthAnother, joined, relate } from "./rows.js";

/**
 * @typedef {import("./depot.js").CallOptions} CallOptions
 * @typedef {import("./depot.js").Row} Row
 * @typedef {import("./depot.js").Watch} WatchType
 * @typedef {Record<string, any>} Members
 */

/**
 * A query that is kept up to date, over as many connections as it takes.
 *
 * @implements {WatchType}
 */
export class Watch {
  #query;
  #options;
  #patience;
  #source;
  #controller = new AbortController();
  #live = new LiveRows();
  #isIterated = false;
  /** @type {Map<string, any>} */
  related = new Map();

  /**
   * @param {Members} query
   * @param {CallOptions} options
   * @param {number} patience
   * @param {{
   *   frames: (since: string | undefined, signal: AbortSignal) => AsyncGenerator<any, any, void>,
   *   read: (entity: string, columns: string[], rows: any[][]) => Promise<Row[]>,
   *   typed: (transactions: any[]) => Promise<any[]>,
   *   limit: () => number,
   * }} source
   */
  constructor(query, options, patience, source) {
    this.#query = query;
    this.#options = options;
    this.#patience = patience;
    this.#source = source;
  }

  /** The rows as of `token`; another array after each event. */
  get rows() {
    return this.#live.rows;
  }

  /** The moment up to which everything is known. */
  get token() {
    return this.#live.token;
  }

  /** Ends the watch: the loop over it ends. */
  close = () => this.#controller.abort();

  [Symbol.asyncIterator]() {
    if (this.#isIterated) throw wrongUsage("A watch is iterated once.", "Watch again.");
    this.#isIterated = true;
    return this.#events();
  }

  /** @returns {AsyncGenerator<any, void, void>} */
  async *#events() {
    const { signal } = this.#options;
    const abort = () => this.#controller.abort();
    signal?.addEventListener("abort", abort);
    if (signal?.aborted) abort();
    const take = this.#query.history ? this.#transactions() : this.#changes();
    /** @type {Pauses | undefined} */
    let pauses;
    try {
      for (;;) {
        try {
          for await (const frame of this.#source.frames(this.token, this.#controller.signal)) {
            pauses = undefined;
            const event = await wellFormed(() => take(frame));
            if (event) yield event;
          }
          return;
        } catch (error) {
          if (signal?.aborted) throw cancelled(signal);
          if (this.#controller.signal.aborted) return;
          if (!isWorthAnother(error)) throw error;
          // What came only in part is gone, and so is the call.
          this.#live.forgetParts();
          pauses ??= new Pauses(this.#patience);
          if (!(await pauses.next(this.#controller.signal))) {
            if (signal?.aborted) throw cancelled(signal);
            if (this.#controller.signal.aborted) return;
            throw error;
          }
        }
      }
    } finally {
      signal?.removeEventListener("abort", abort);
      this.#controller.abort();
    }
  }

  /** Returns what makes events of the frames of a query. */
  #changes() {
    const { entity } = this.#query.fetch ?? this.#query.count ?? this.#query.aggregate ?? {};
    /** @type {string[]} */
    let columns = ["count"];
    return async (/** @type {any} */ frame) => {
      this.#live.limit = this.#source.limit();
      columns = frame.columns ?? columns;
      const hasRows = Array.isArray(frame.next) && frame.next.length > 0;
      const isKnown = ["snapshot", "change", "resume"].includes(frame.kind);
      const next = isKnown && hasRows ? await this.#source.read(entity, columns, frame.next) : [];
      if (frame.kind === "gap") this.related.clear();
      await relate(this.related, frame.related, this.#source.read);
      return this.#live.take({ ...frame, next });
    };
  }

  /** Returns what makes events of the frames of a history. */
  #transactions() {
    const live = this.#live;
    return async (/** @type {any} */ frame) => {
      if (frame.kind === "change" && this.#options.parts) {
        // Who resumes within a transaction gets all of it again, so the token is the one before until it is whole.
        const transactions = await this.#source.typed(joined(frame.next));
        if (!frame.more) live.token = frame.token;
        return { kind: "transactions", token: frame.token, more: frame.more === true, transactions };
      }
      if (frame.kind === "change") {
        for (const part of frame.next) live.parts.push(part);
        if (frame.more) return undefined;
        const transactions = await this.#source.typed(joined(live.parts));
        live.forgetParts();
        live.token = frame.token;
        return { kind: "transactions", token: frame.token, transactions };
      }
      if (frame.kind === "gap") {
        live.forgetParts();
        live.token = frame.to;
        return { kind: "gap", from: frame.from, to: frame.to };
      }
      if (frame.kind === "live" || frame.kind === "mark") {
        live.token = frame.token;
        return { kind: frame.kind, token: frame.token };
      }
      return undefined;
    };
  }
}
