/** The keys of writes. */

/** @type {Crypto} */
const crypto = globalThis.crypto ?? (await import(/** @type {any} */ ("node:crypto"))).webcrypto;

/** Returns a key that nobody else has. It begins with the time: the service finds such keys cheaper. */
export function newKey() {
  const random = crypto.getRandomValues(new Uint8Array(10));
  const digits = Array.from(random, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return Date.now().toString(16).padStart(12, "0") + digits;
}
