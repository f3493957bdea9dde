/**
 * The one error of this package.
 *
 * @typedef {import("./depot.js").ErrorMembers} ErrorMembers
 * @typedef {import("./depot.js").Retry} Retry
 * @typedef {import("./depot.js").Effect} Effect
 */

/**
 * An error of the service or of the connection: act on `code`, `retry`, and `effect`; show `message` and `hint`.
 *
 * @implements {Omit<import("./depot.js").DepotError, "name">}
 */
export class DepotError extends Error {
  /**
   * @param {ErrorMembers} members as a frame has them, or `toJSON` of another error
   * @param {{ cause?: unknown }} [options]
   */
  constructor(members, options) {
    const message = String(members.message ?? "The service gives no message.");
    super(message, options?.cause === undefined ? undefined : { cause: options.cause });
    /** @type {string} */
    this.code = String(members.code ?? "internal.unknown");
    // Programs that look for aborted work look at this name.
    this.name = this.code.startsWith("cancelled.") ? "AbortError" : "DepotError";
    /** @type {string | undefined} */
    this.hint = typeof members.hint === "string" ? members.hint : undefined;
    /** @type {string | undefined} */
    this.at = members.at;
    /** @type {Retry} */
    this.retry = members.retry ?? "no";
    /** @type {Effect} */
    this.effect = members.effect ?? "none";
    /** @type {Record<string, any>} */
    this.details = members.details ?? {};
  }

  /** The class of the code, as `conflict` of `conflict.unique`. */
  get kind() {
    return this.code.split(".")[0];
  }

  /** @returns {ErrorMembers} */
  toJSON() {
    const { code, message, hint, at, retry, effect, details } = this;
    return { code, message, hint, at, retry, effect, details };
  }

  /**
   * @param {Partial<ErrorMembers>} members
   * @returns {DepotError} the error with other members
   */
  with(members) {
    return new DepotError({ ...this.toJSON(), ...members }, { cause: this.cause });
  }
}

/**
 * @param {string} message
 * @param {string} [hint]
 */
export const wrongUsage = (message, hint) => new DepotError({ code: "request.usage", message, hint });

/** @param {string} message what the service sends and the protocol has not */
export const brokenProtocol = (message) =>
  new DepotError({
    code: "protocol.frame",
    message,
    hint: "Use a client and a service of neighbouring releases.",
    effect: "unknown",
  });

/**
 * @param {string} message
 * @param {Effect} effect
 */
export const disconnected = (message, effect) =>
  new DepotError({
    code: "unavailable.disconnected",
    message,
    hint: effect === "unknown" ? "The write may be stored; send it again with the same key." : undefined,
    retry: "later",
    effect,
  });

/**
 * @param {string} address
 * @param {string} reason
 * @param {string} [hint]
 */
export const unreachable = (address, reason, hint) =>
  new DepotError({
    code: "unavailable.service",
    message: `Nothing answers at ${address}: ${reason}.`,
    hint,
    retry: "later",
  });

/**
 * @param {AbortSignal | undefined} signal
 * @param {Effect} [effect]
 */
export const cancelled = (signal, effect = "none") =>
  new DepotError(
    { code: "cancelled.by_client", message: "The client gave up.", effect },
    { cause: signal?.reason },
  );

/**
 * Does something with what the service sent. Anything that goes wrong there is the service's error.
 *
 * @template T
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function wellFormed(work) {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DepotError) throw error;
    throw brokenProtocol("The service sends an answer of another form than the protocol has.");
  }
}

/**
 * @template T
 * @param {Promise<T>} promise
 * @param {AbortSignal | undefined} signal
 * @returns {Promise<T>}
 */
export function unlessAborted(promise, signal) {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const abort = () => reject(cancelled(signal));
    signal.addEventListener("abort", abort);
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
    if (signal.aborted) abort();
  });
}
