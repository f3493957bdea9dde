/** One connection: its handshake, the calls that are open on it, and the limits that the service announces. */

import { DepotError, brokenProtocol, cancelled, disconnected, unreachable } from "./errors.js";
import { bytesOf, readJSON, rememberRows, writeJSON } from "./json.js";

/** The operations that change something, which may have a key. */
export const WRITES = new Set([
  "schema.define", "insert", "update", "delete", "save", "blob.write", "history.delete", "history.acknowledge",
  "history.forget", "undo", "redo",
]);
/** The operations whose answers have frames before their end. */
export const STREAMS = new Set(["fetch", "aggregate", "blob.read", "watch", "history", "backup"]);
/** Others whose connection may end with their work done. */
const DOUBTFUL = new Set([
  ...WRITES, "container.open", "container.close", "migration.begin", "migration.commit", "migration.abort", "stage",
  "shutdown", "takeover", "connection.close", "backup", "compact", "copies.remove",
]);

// How long an answer may be late beyond its deadline, and a welcome at all, in milliseconds.
const GRACE = 5_000;
const WELCOME = 10_000;
const LONGEST_TIMER = 2 ** 31 - 1;
const LARGEST_ID = Number.MAX_SAFE_INTEGER;

/**
 * @typedef {import("./depot.js").Transport} Transport
 * @typedef {import("./depot.js").Channel} Channel
 * @typedef {import("./depot.js").Welcome} Welcome
 */

/** A call on one connection, from before it is sent to its end. */
export class Call {
  /** @type {any[]} */
  #frames = [];
  /** @type {DepotError | undefined} */
  #error;
  /** @type {{ resolve: (frame: any) => void, reject: (error: unknown) => void } | undefined} */
  #waiter;
  /** How many frames were used up since credit was given. */
  #used = 0;
  /** How many frames may still come. */
  #credit;

  /**
   * @param {Link} link
   * @param {string} operation
   * @param {string} body the JSON of the call behind its id
   * @param {number | undefined} credit
   */
  constructor(link, operation, body, credit) {
    this.link = link;
    this.operation = operation;
    this.body = body;
    this.id = 0;
    this.credit = credit;
    this.#credit = credit ?? (STREAMS.has(operation) ? Infinity : 0);
    /** Its place among those that wait. */
    this.place = 0;
    this.isEnded = false;
    this.isCancelled = false;
    this.isAbandoned = false;
    /** @type {number | undefined} */
    this.deadline = undefined;
    /** @type {(() => void) | undefined} */
    this.release = undefined;
  }

  /**
   * Waits for the next frame of the call; its end is a frame with `ok`, or throws.
   *
   * @returns {Promise<any>}
   */
  next() {
    if (this.#frames.length > 0) return Promise.resolve(this.#frames.shift());
    if (this.#error) return Promise.reject(this.#error);
    if (this.isAbandoned) return Promise.resolve({ ok: {} });
    return new Promise((resolve, reject) => {
      this.#waiter = { resolve, reject };
    });
  }

  /** Gives credit for another frame. */
  used() {
    if (this.credit === undefined || this.isEnded) return;
    // Half of the credit at once: half as many frames, and the service never waits.
    if (++this.#used < Math.ceil(this.credit / 2)) return;
    this.#credit += this.#used;
    this.link.send({ id: this.id, more: this.#used });
    this.#used = 0;
  }

  /** Asks the service to end the call, whose end still comes; one that wasn't sent ends here. */
  cancel() {
    if (this.isEnded || this.isCancelled) return;
    this.isCancelled = true;
    if (this.id === 0) this.link.drop(this);
    else this.link.send({ id: this.id, cancel: true });
  }

  /** Cancels a call whose end nobody waits for. */
  abandon() {
    this.cancel();
    this.#frames = [];
    this.#waiter?.resolve({ ok: {} });
    this.#waiter = undefined;
    this.isAbandoned = true;
  }

  /**
   * Takes a frame of the service.
   *
   * @param {any} frame
   */
  take(frame) {
    if ("err" in frame) return this.fail(new DepotError(membersOf(frame.err)));
    if (!("ok" in frame)) {
      if (!Array.isArray(frame.next)) return; // A form that later versions have.
      if (--this.#credit < 0) {
        throw brokenProtocol(`The service sends more frames than call ${this.id} gave credit for.`);
      }
    } else {
      if (typeof frame.ok !== "object" || frame.ok === null) {
        throw brokenProtocol("The service sends a result that is no object.");
      }
      this.isEnded = true;
    }
    if (this.isAbandoned) return;
    if (this.#waiter) {
      this.#waiter.resolve(frame);
      this.#waiter = undefined;
    } else {
      this.#frames.push(frame);
    }
  }

  /** @param {DepotError} error */
  fail(error) {
    this.isEnded = true;
    this.#error = error;
    this.#waiter?.reject(error);
    this.#waiter = undefined;
  }

  /** What became of the call if the connection ends now. */
  get effect() {
    return this.id > 0 && DOUBTFUL.has(this.operation) ? "unknown" : "none";
  }
}

/**
 * @param {any} members
 * @returns {import("./depot.js").ErrorMembers}
 */
function membersOf(members) {
  if (typeof members !== "object" || members === null || typeof members.code !== "string") {
    throw brokenProtocol("The service sends an error without a code.");
  }
  return members;
}

/** The calls that wait to be sent. */
class Queue {
  // A kind of call for which there is no room doesn't hold up the others.
  #kinds = ["call", "stream", "watch"].map(() => ({ calls: /** @type {Call[]} */ ([]), first: 0 }));
  #count = 0;

  /** @param {Call} call */
  push(call) {
    call.place = this.#count++;
    const kind = call.operation === "watch" ? 2 : STREAMS.has(call.operation) ? 1 : 0;
    this.#kinds[kind].calls.push(call);
  }

  /**
   * Removes and returns the call that has waited longest of those for which there is room.
   *
   * @param {(call: Call) => boolean} hasRoom
   * @returns {Call | undefined}
   */
  take(hasRoom) {
    let best;
    for (const kind of this.#kinds) {
      const { calls } = kind;
      while (calls[kind.first]?.isEnded) kind.first++;
      if (kind.first > 1000 || kind.first === calls.length) {
        calls.splice(0, kind.first);
        kind.first = 0;
      }
      const call = calls[kind.first];
      if (call && hasRoom(call) && !(best && best.calls[best.first].place < call.place)) best = kind;
    }
    return best?.calls[best.first++];
  }

  /** @returns {Call[]} all that wait, in their order */
  takeAll() {
    const calls = this.#kinds.flatMap((kind) => kind.calls.slice(kind.first).filter((call) => !call.isEnded));
    this.#kinds.forEach((kind) => Object.assign(kind, { calls: [], first: 0 }));
    return calls.sort((one, other) => one.place - other.place);
  }
}

export class Link {
  /** @type {Map<number, Call>} */
  #calls = new Map();
  #queue = new Queue();
  #last = 0;
  #open = { calls: 0, streams: 0, watches: 0 };
  /** @type {Channel | undefined} */
  #channel;
  /** @type {((welcome: Welcome) => void) | undefined} */
  #welcomed;
  /** @type {((error: unknown) => void) | undefined} */
  #refused;
  #hasEnded = false;
  #isSilent = false;

  /** @param {{ draining?: () => void, closed?: (error: DepotError) => void }} observer */
  constructor(observer) {
    this.observer = observer;
    /** @type {Welcome | undefined} */
    this.welcome = undefined;
    /** @type {DepotError | undefined} */
    this.error = undefined;
    this.isDraining = false;
  }

  /**
   * Connects, and waits for the service's welcome.
   *
   * @param {Transport} transport
   * @param {Record<string, unknown>} hello
   * @param {Link["observer"]} observer
   */
  static async open(transport, hello, observer) {
    const link = new Link(observer);
    const welcome = new Promise((resolve, reject) => {
      link.#welcomed = resolve;
      link.#refused = reject;
    });
    welcome.catch(() => {});
    const greeting = writeJSON({ hello });
    link.#channel = await transport.open({
      frame: (data) => link.#receive(data),
      closed: (error) => link.#end(error ?? link.#lost()),
    });
    if (link.error) {
      link.#channel.close();
      throw link.error;
    }
    link.#channel.send(bytesOf(greeting));
    const timer = setTimeout(() => link.close(unreachable(transport.address, "it says no welcome")), WELCOME);
    try {
      await welcome;
      return link;
    } catch (error) {
      throw error instanceof DepotError ? error.with({ effect: "none", hint: undefined }) : error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Whether calls are open. */
  get isBusy() {
    return this.#calls.size > 0;
  }

  get isUsable() {
    return !this.error && !this.isDraining;
  }

  /**
   * @param {string} name
   * @param {number} otherwise
   */
  limit(name, otherwise) {
    const limit = this.welcome?.limits?.[name];
    return typeof limit === "number" && limit > 0 ? limit : otherwise;
  }

  /**
   * Begins a call: it is sent at once, or when the service's limits have room for it.
   *
   * @param {string} operation
   * @param {Record<string, unknown>} args
   * @param {Record<string, unknown>} members
   * @returns {Call}
   */
  begin(operation, args, members) {
    if (this.error) throw this.error.with({ effect: "none" });
    const limits = { depth: this.limit("depth", 64), values: this.limit("values", 1_000_000) };
    const body = writeJSON({ call: operation, args, ...members }, limits).slice(1);
    const call = new Call(this, operation, body, /** @type {number | undefined} */ (members.credit));
    const size = body.length > 1_000_000 ? bytesOf(body).length : 3 * body.length;
    const limit = this.limit("frameBytes", 16 << 20);
    if (size + 24 > limit) {
      throw new DepotError({
        code: "limit.frame_bytes",
        message: `A call of ${size + 24} bytes is over the limit of ${limit}.`,
        hint: "Send fewer or smaller rows in one call.",
      });
    }
    call.deadline = /** @type {number | undefined} */ (members.deadlineMs);
    this.#queue.push(call);
    this.#pump();
    return call;
  }

  /**
   * Forgets a call that wasn't sent.
   *
   * @param {Call} call
   */
  drop(call) {
    call.fail(cancelled(undefined));
  }

  /** Sends the calls for which there is room, in their order; a stream that has to wait holds up only streams. */
  #pump() {
    while (this.welcome && this.isUsable) {
      const call = this.#queue.take((first) => this.#hasRoom(first));
      if (!call) return;
      this.#begin(call);
    }
  }

  /** @param {Call} call */
  #hasRoom(call) {
    if (call.operation === "watch") return this.#open.watches < this.limit("watches", 64);
    if (this.#open.calls >= this.limit("inFlight", 64)) return false;
    return !STREAMS.has(call.operation) || this.#open.streams < this.limit("streams", 32);
  }

  /** @param {Call} call */
  #begin(call) {
    if (this.#last >= LARGEST_ID) throw brokenProtocol("A connection has no more numbers of calls.");
    if (call.deadline !== undefined) {
      const late = () => this.close(disconnected(`The service is silent ${GRACE} ms after a deadline.`, "unknown"));
      const timer = setTimeout(late, Math.min(call.deadline + GRACE, LONGEST_TIMER));
      call.release = () => clearTimeout(timer);
    }
    call.id = ++this.#last;
    this.#calls.set(call.id, call);
    this.#count(call, 1);
    this.#channel?.send(bytesOf(`{"id":${call.id},${call.body}`));
    call.body = "";
  }

  /**
   * @param {Call} call
   * @param {1 | -1} step
   */
  #count(call, step) {
    if (call.operation === "watch") {
      this.#open.watches += step;
    } else {
      this.#open.calls += step;
      if (STREAMS.has(call.operation)) this.#open.streams += step;
    }
  }

  /** @param {Record<string, unknown>} frame */
  send(frame) {
    if (!this.error && !this.#isSilent) this.#channel?.send(bytesOf(writeJSON(frame)));
  }

  /** Ends the sending side; answers still come, but no call begins here any more. */
  endSending() {
    this.isDraining = true;
    this.#isSilent = true;
    this.#channel?.end();
  }

  /** @param {DepotError} error why nothing more comes */
  close(error) {
    this.#end(error);
    this.#channel?.close();
  }

  /** @param {Uint8Array | string} data */
  #receive(data) {
    if (this.error) return;
    try {
      const frame = readJSON(data);
      if (typeof frame !== "object" || frame === null || Array.isArray(frame)) {
        throw brokenProtocol("The service sends a frame that is no object.");
      }
      rememberRows(frame, data);
      this.#file(frame);
    } catch (error) {
      this.close(error instanceof DepotError ? error : brokenProtocol(String(error)));
    }
  }

  /** @param {any} frame */
  #file(frame) {
    if ("id" in frame) {
      // What isn't known has ended, or is of a later version.
      const call = this.#calls.get(frame.id);
      if (!call) return;
      call.take(frame);
      if (call.isEnded) {
        this.#calls.delete(call.id);
        this.#count(call, -1);
        call.release?.();
        this.#pump();
        if (this.isDraining && !this.isBusy) this.close(this.#lost());
      }
    } else if ("err" in frame) {
      // Behind it the service closes, but for a frame that it skipped: no such frame is sent, and if it were,
      // nobody could say which call waits for nothing.
      this.close(new DepotError({ ...membersOf(frame.err), effect: "unknown" }));
    } else if ("welcome" in frame) {
      const { welcome } = frame;
      if (this.welcome || typeof welcome !== "object" || welcome === null || welcome.protocol !== 1) {
        throw brokenProtocol("The service sends a wrong welcome.");
      }
      this.welcome = welcome;
      this.#welcomed?.(welcome);
    } else if ("ping" in frame) {
      this.send({ pong: frame.ping });
    } else if (frame.event === "draining") {
      this.isDraining = true;
      this.observer.draining?.();
      // What wasn't sent goes to the next service.
      for (const call of this.#queue.takeAll()) {
        const message = "The service is stopping.";
        call.fail(new DepotError({ code: "unavailable.draining", message, retry: "later" }));
      }
      if (!this.isBusy) this.close(this.#lost());
    } else if (frame.event === "ended") {
      this.#hasEnded = true;
    }
  }

  #lost() {
    return disconnected("The service closed the connection.", "unknown");
  }

  /** @param {DepotError} error */
  #end(error) {
    if (this.error) return;
    this.error = error;
    const calls = [...this.#calls.values(), ...this.#queue.takeAll()];
    this.#calls.clear();
    this.#refused?.(error);
    for (const call of calls) {
      call.release?.();
      // A service that ended in order never began what it didn't answer.
      const effect = this.#hasEnded ? "none" : call.effect;
      const hint = effect === "none" ? undefined : error.hint;
      call.fail(error.with({ effect, hint }));
    }
    if (this.welcome) this.observer.closed?.(error);
  }
}

/**
 * Sends a call, and waits for its end. A read that is aborted ends at once; a write when the service says what became
 * of it.
 *
 * @param {Link} link
 * @param {string} operation
 * @param {Record<string, unknown>} args
 * @param {Record<string, unknown>} members
 * @param {AbortSignal} [signal]
 */
export async function ended(link, operation, args, members, signal) {
  const call = link.begin(operation, args, members);
  const abort = () => (WRITES.has(operation) ? call.cancel() : call.abandon());
  signal?.addEventListener("abort", abort);
  // It may have come while a connection was waited for.
  if (signal?.aborted) abort();
  try {
    for (;;) {
      const frame = await call.next();
      if (signal?.aborted && call.isAbandoned) throw cancelled(signal);
      if ("ok" in frame) return frame.ok;
    }
  } catch (error) {
    const isAborted = signal?.aborted && error instanceof DepotError && error.code === "cancelled.by_client";
    throw isAborted ? new DepotError(error.toJSON(), { cause: signal.reason }) : error;
  } finally {
    signal?.removeEventListener("abort", abort);
  }
}
