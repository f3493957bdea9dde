/** Values that JSON hasn't, and what the types of a schema make of a row's JSON. */

import { DepotError, brokenProtocol } from "./errors.js";
import { JSONText, cellTexts, give } from "./json.js";

// Milliseconds from 1970 to 2001.
const REFERENCE = 978_307_200_000;
const RFC_3339 = new RegExp(
  "^([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\\.([0-9]{1,9}))?" +
    "(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))$",
);
// The years 1 to 9999, in seconds since 2001.
const FIRST = -63_113_904_000;
const LAST = 252_423_993_599;

/**
 * A moment as the service has it: `referenceSeconds`, a double of seconds since 2001, which says more than the
 * milliseconds of a Date.
 *
 * @implements {Pick<import("./depot.js").DepotDate, "referenceSeconds" | "toJSON">}
 */
export class DepotDate extends Date {
  /** @type {number} */
  #seconds;
  /** @type {number} */
  #milliseconds;

  /** @param {number} referenceSeconds */
  constructor(referenceSeconds) {
    super(nearestMillisecond(referenceSeconds));
    this.#seconds = referenceSeconds;
    this.#milliseconds = this.getTime();
  }

  /** The seconds since 2001-01-01T00:00:00Z. */
  get referenceSeconds() {
    // A date can be set.
    return Object.is(this.getTime(), this.#milliseconds) ? this.#seconds : secondsOf(this);
  }

  /** @returns {any} the exact form that the protocol has */
  toJSON() {
    return formOf(this.referenceSeconds);
  }

  /**
   * Reads the protocol's form of a date.
   *
   * @param {unknown} form
   * @returns {DepotDate}
   * @throws {DepotError} request.type
   */
  static from(form) {
    const seconds = readSeconds(form);
    if (seconds === undefined) {
      throw new DepotError({
        code: "request.type",
        message: `This is no date: ${String(typeof form === "string" ? form.slice(0, 100) : JSON.stringify(form))}`,
        hint: "A date is written as 2026-03-01T12:00:00Z, with up to nine digits of a second.",
      });
    }
    return new DepotDate(seconds);
  }

  /**
   * Returns the protocol's form of any date.
   *
   * @param {Date} date
   */
  static form(date) {
    if (date instanceof DepotDate) return formOf(date.referenceSeconds);
    if (Number.isNaN(date.getTime())) throw new DepotError({ code: "request.type", message: "The date is invalid." });
    return formOf(secondsOf(date));
  }
}

/** @param {number} seconds */
function nearestMillisecond(seconds) {
  const whole = Math.floor(seconds);
  return whole * 1000 + Math.round((seconds - whole) * 1000) + REFERENCE;
}

/** @param {Date} date */
function secondsOf(date) {
  const milliseconds = date.getTime() - REFERENCE;
  const whole = Math.floor(milliseconds / 1000);
  return whole + (milliseconds - whole * 1000) / 1000;
}

/**
 * @param {unknown} form
 * @returns {number | undefined}
 */
function readSeconds(form) {
  if (typeof form === "object" && form !== null) {
    const names = Object.keys(form);
    const seconds = /** @type {any} */ (form).referenceSeconds;
    if (names.length !== 1 || !("referenceSeconds" in form)) return undefined;
    if (typeof seconds === "number") return seconds;
    if (typeof seconds === "bigint") return Number(seconds);
    return seconds === "NaN" || seconds === "Infinity" || seconds === "-Infinity" ? Number(seconds) : undefined;
  }
  const found = typeof form === "string" ? RFC_3339.exec(form) : null;
  if (!found) return undefined;
  const [year, month, day, hour, minute, second] = found.slice(1, 7).map(Number);
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const fits = year > 0 && month > 0 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  if (!fits || hour > 23 || minute > 59 || second > 59) return undefined;
  date.setUTCHours(hour, minute, second);
  let whole = (date.getTime() - REFERENCE) / 1000;
  if (found[8]) {
    const [hours, minutes] = [Number(found[9]), Number(found[10])];
    if (hours > 23 || minutes > 59) return undefined;
    whole -= (found[8] === "-" ? -1 : 1) * (hours * 3600 + minutes * 60);
  }
  return whole + nanoseconds(found[7] ?? "") / 1e9;
}

/** @param {string} digits */
const nanoseconds = (digits) => Number(digits.padEnd(9, "0"));

/**
 * Returns a text with the shortest fraction that means the same double, else the exact form.
 *
 * @param {number} seconds
 * @returns {string | { referenceSeconds: number }}
 */
function formOf(seconds) {
  const whole = Math.floor(seconds);
  if (!(whole >= FIRST && whole <= LAST) || Object.is(seconds, -0)) return { referenceSeconds: seconds };
  const fraction = seconds - whole;
  const start = new Date(whole * 1000 + REFERENCE).toISOString().slice(0, 19);
  if (fraction === 0) return `${start}Z`;
  for (let count = 1; count <= 9; count++) {
    const digits = Math.round(fraction * 10 ** count);
    if (digits >= 10 ** count) continue;
    const written = String(digits).padStart(count, "0");
    if (whole + nanoseconds(written) / 1e9 === seconds) return `${start}.${written}Z`;
  }
  return { referenceSeconds: seconds };
}

/**
 * @param {Uint8Array} bytes
 * @returns {string}
 */
export function base64(bytes) {
  const { Buffer } = /** @type {any} */ (globalThis);
  if (Buffer) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
  let text = "";
  for (let start = 0; start < bytes.length; start += 0x8000) {
    text += String.fromCharCode(...bytes.subarray(start, start + 0x8000));
  }
  return btoa(text);
}

/**
 * @param {string} text
 * @returns {Uint8Array}
 */
export function bytesFrom(text) {
  const { Buffer } = /** @type {any} */ (globalThis);
  if (Buffer) return new Uint8Array(Buffer.from(text, "base64"));
  return Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
}

// No group is repeated: that would take a stack as long as the value.
const BASE_64 = /^[A-Za-z0-9+/]*={0,2}$/;
const NOT_FINITE = new Set(["NaN", "Infinity", "-Infinity"]);

/** A value that isn't of the type that the schema says, as after a change of the schema. */
export class Misfit extends Error {}

/**
 * What reads a value: it gets JSON that isn't null.
 *
 * @typedef {(value: any) => any} Decoder
 */

/** @param {any} value */
const whole = (value) => {
  if (typeof value === "number" || typeof value === "bigint") return value;
  if (typeof value !== "string" || !/^-?[0-9]{1,40}$/.test(value)) throw new Misfit();
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : BigInt(value);
};
/** @param {any} value */
const double = (value) => {
  if (typeof value === "number") return value;
  if (typeof value === "bigint" || NOT_FINITE.has(value)) return Number(value);
  throw new Misfit();
};
/** @param {any} value */
const number = (value) => (NOT_FINITE.has(value) ? Number(value) : value);
/** @param {any} value */
const date = (value) => {
  const seconds = readSeconds(value);
  if (seconds === undefined) throw new Misfit();
  return new DepotDate(seconds);
};
/** @param {any} value */
const data = (value) => {
  // The length of a value outside of the row, or a value that is in it.
  if (typeof value === "object") return value;
  if (typeof value !== "string" || value.length % 4 !== 0 || !BASE_64.test(value)) throw new Misfit();
  return bytesFrom(value);
};
/** @param {any} value */
const same = (value) => value;
/** @param {any} value */
const json = (value) => value;

/** @type {Map<string, Decoder>} */
const DECODERS = new Map([["double", double], ["float", double], ["date", date], ["data", data]]);
for (const width of [8, 16, 32, 64]) DECODERS.set(`int${width}`, whole).set(`uint${width}`, whole);

/**
 * @param {Decoder} decoder
 * @returns {Decoder}
 */
const listOf = (decoder) => {
  /** @type {Decoder} */
  const read = (value) => {
    if (!Array.isArray(value)) return decoder(value);
    return value.map((element) => (element === null ? null : read(element)));
  };
  return read;
};

/** What the attributes of a schema are. */
export class Types {
  /** @param {import("./depot.js").Schema} schema */
  constructor(schema) {
    this.entities = new Map(schema.entities.map((entity) => [entity.name, entity]));
    /** @type {Map<string, Map<string, Decoder | undefined>>} */
    this.known = new Map();
  }

  /**
   * Returns what reads the values of a path; undefined if the schema hasn't it.
   *
   * @param {string} entity
   * @param {string} path
   */
  decoder(entity, path) {
    let paths = this.known.get(entity);
    if (!paths) this.known.set(entity, (paths = new Map()));
    if (!paths.has(path)) paths.set(path, this.find(entity, path.split(".")));
    return paths.get(path);
  }

  /**
   * @param {string} entity
   * @param {string[]} steps
   * @returns {Decoder | undefined}
   */
  find(entity, steps) {
    const [name, ...rest] = steps;
    if (rest.length === 0 && (name === "$id" || name === "$version" || name === "$length")) return whole;
    if (rest.length === 0 && name === "$entity") return same;
    for (const holder of this.holders(entity)) {
      const found = this.member(holder, name, rest);
      if (found) return found;
    }
    // The column of an entity that descends from it, by its own name.
    return rest.length > 0 && this.entities.has(name) ? this.find(name, rest) : undefined;
  }

  /**
   * @param {any} holder an entity, or a composite with its properties
   * @param {string} name
   * @param {string[]} rest
   * @returns {Decoder | undefined}
   */
  member(holder, name, rest) {
    const isNamed = (/** @type {any} */ one) => one.name === name;
    const attribute = (holder.attributes ?? holder.properties ?? []).find(isNamed);
    if (attribute) {
      if (attribute.type === "composite") return rest.length ? this.member(attribute, rest[0], rest.slice(1)) : same;
      if (rest.length) return rest[0] === "$length" ? whole : undefined;
      const decoder = DECODERS.get(attribute.type) ?? same;
      return attribute.type === "json" ? json : listOf(decoder);
    }
    const relationship = (holder.relationships ?? []).find(isNamed);
    if (!relationship) return undefined;
    const decoder = rest.length ? this.find(relationship.destination, rest) : whole;
    return decoder && listOf(decoder);
  }

  /**
   * Yields the entity, its ancestors, and what descends from it.
   *
   * @param {string} name
   */
  *holders(name) {
    let ancestor = this.entities.get(name);
    for (let count = 0; ancestor && count < 100; count++) {
      yield ancestor;
      ancestor = this.entities.get(ancestor.parent ?? "");
    }
    const family = new Set([name]);
    for (let size = 0; size !== family.size; ) {
      size = family.size;
      for (const { name: one, parent } of this.entities.values()) if (parent && family.has(parent)) family.add(one);
    }
    family.delete(name);
    for (const one of family) yield /** @type {any} */ (this.entities.get(one));
  }

  /**
   * Returns rows as objects.
   *
   * @param {string} entity
   * @param {string[]} columns
   * @param {any[][]} rows
   * @param {Map<string, Decoder> | undefined} own what reads columns that aren't paths
   * @param {boolean} isFresh whether the schema was read just now; then columns that it hasn't are left as they are
   * @param {boolean} [isExact] whether JSON stays as it is written
   * @returns {Record<string, any>[]}
   * @throws {Misfit} if a value isn't what the schema says
   */
  rows(entity, columns, rows, own, isFresh, isExact) {
    const decoders = columns.map((column) => {
      const decoder = own?.get(column) ?? this.decoder(entity, column);
      if (decoder) return decoder;
      if (!isFresh) throw new Misfit();
      this.known.get(entity)?.set(column, same);
      return same;
    });
    const isOdd = columns.includes("__proto__");
    const isJSON = decoders.map((decoder) => decoder === json);
    const texts = isExact && isJSON.includes(true) ? cellTexts(rows, isJSON) : undefined;
    return rows.map((row, place) => {
      if (!Array.isArray(row) || row.length !== columns.length) {
        throw brokenProtocol("The service sends a row that doesn't fit its columns.");
      }
      /** @type {Record<string, any>} */
      const object = {};
      for (let index = 0; index < row.length; index++) {
        const text = row[index] === null ? undefined : texts?.[place][index];
        const value = text ? new JSONText(text) : row[index] === null ? null : decoders[index](row[index]);
        if (isOdd) give(object, columns[index], value);
        else object[columns[index]] = value;
      }
      return object;
    });
  }

  /**
   * Returns values by their paths, as the history has them.
   *
   * @param {string} entity
   * @param {Record<string, any> | undefined} values
   */
  values(entity, values) {
    if (typeof values !== "object" || values === null) return values;
    /** @type {Record<string, any>} */
    const object = {};
    for (const [name, value] of Object.entries(values)) {
      // The history keeps names and forms of the schema of then.
      let read = value;
      try {
        if (value !== null) read = (this.decoder(entity, name) ?? same)(value);
      } catch (error) {
        if (!(error instanceof Misfit)) throw error;
      }
      give(object, name, read);
    }
    return object;
  }

  /**
   * Returns what reads the columns of an aggregate.
   *
   * @param {string} entity
   * @param {Record<string, any>} query
   */
  ofAggregate(entity, query) {
    /** @type {Map<string, Decoder>} */
    const own = new Map();
    for (const key of query.by ?? []) if (typeof key === "object") own.set(key.name, number);
    for (const value of query.values ?? []) {
      const isValue = ["min", "max", "mode"].includes(value.aggregate) && typeof value.of === "string";
      own.set(value.name, (isValue && this.decoder(entity, value.of)) || number);
    }
    return own;
  }
}

// Deeper trees are left to what writes them, which refuses them.
const LEVELS = 64;

/**
 * Gives the constants of an expression their types, where JSON alone doesn't say them.
 *
 * @param {any} tree
 * @param {number} [depth] how many levels are left
 * @returns {any}
 */
function expression(tree, depth = LEVELS) {
  if (depth === 0) return tree;
  if (Array.isArray(tree)) return tree.map((element) => expression(element, depth - 1));
  if (typeof tree !== "object" || tree === null || typeOf(tree)) return constant(tree);
  const isOperator = [Object.prototype, null].includes(Object.getPrototypeOf(tree)) && !("value" in tree);
  if (!isOperator) return tree;
  return Object.fromEntries(Object.entries(tree).map(([name, value]) => [name, expression(value, depth - 1)]));
}

/**
 * Gives a constant, or a list of them, its type where JSON alone doesn't say it.
 *
 * @param {any} value
 * @returns {any}
 */
function constant(value) {
  const type = Array.isArray(value) ? value.map(typeOf).find((one) => one) : typeOf(value);
  if (!type) return value;
  return Array.isArray(value) ? { value, type, list: true } : { value, type };
}

/** @param {any} value */
function typeOf(value) {
  if (typeof value === "number") return Number.isFinite(value) ? undefined : "double";
  if (value instanceof Date) return "date";
  return ArrayBuffer.isView(value) ? "data" : undefined;
}

/**
 * Returns the arguments of a query, its constants with the types that JSON alone doesn't say.
 *
 * @param {Record<string, any>} query
 * @returns {Record<string, any>}
 */
export function queryArguments(query) {
  const args = { ...query };
  for (const name of ["where", "having"]) if (args[name] !== undefined) args[name] = expression(args[name]);
  for (const name of ["bind", "compute"]) {
    if (!args[name]) continue;
    const typed = name === "bind" ? constant : expression;
    args[name] = Object.fromEntries(Object.entries(args[name]).map(([key, value]) => [key, typed(value)]));
  }
  return args;
}
