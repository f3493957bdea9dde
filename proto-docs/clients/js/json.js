/** Frames: JSON whose whole numbers are exact, and the lengths in front of it. */

import { DepotError, brokenProtocol, wrongUsage } from "./errors.js";
import { DepotDate, base64 } from "./values.js";

/** The longest frame that is read, in bytes, whatever a service announces. */
export const FRAME_LIMIT = 64 << 20;
const DEPTH = 64;
const VALUES = 1_000_000;
const LONGEST_INTEGER = 10_000;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
// JSON.parse is exact for fractions, and for whole numbers of up to 15 digits.
const LONG_NUMBER = /(?:^|[^0-9.])[0-9]{16}/;
const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y;
const SPACE = /[ \t\n\r]*/y;
const HALF_PAIR = /\p{Surrogate}/u;

/**
 * Writes a value as JSON: dates, bytes, big integers, NaN, and -0 in their forms, members that are undefined left out.
 *
 * A service closes the connection for JSON that it doesn't take, with the calls of everybody who uses it; so what it
 * wouldn't take throws here.
 *
 * @param {unknown} value
 * @param {{ depth?: number, values?: number }} [limits]
 * @returns {string}
 */
export function writeJSON(value, limits = {}) {
  return write(value, limits.depth ?? DEPTH, { values: limits.values ?? VALUES });
}

/**
 * @param {any} value
 * @param {number} depth how many levels are left
 * @param {{ values: number }} left
 * @returns {string}
 */
function write(value, depth, left) {
  if (--left.values < 0) {
    throw new DepotError({
      code: "limit.values",
      message: "A call has more values than a frame may have.",
      hint: "Send several calls.",
    });
  }
  switch (typeof value) {
    case "string":
      return text(value);
    case "number":
      if (Object.is(value, -0)) return "-0.0";
      if (!Number.isFinite(value)) return `"${value}"`;
      // Beyond 2^53, the digits that JavaScript writes aren't all the number's own.
      if (Number.isSafeInteger(value) || !Number.isInteger(value) || Math.abs(value) >= 1e21) return String(value);
      return `${BigInt(value)}.0`;
    case "boolean":
      return value ? "true" : "false";
    case "bigint":
      return String(value);
    case "object":
      break;
    default:
      throw new DepotError({
        code: "request.type",
        message: `A value of the type ${typeof value} has no JSON form.`,
        hint: value === undefined ? "Null is a value; a member that is undefined is left out." : undefined,
      });
  }
  if (value === null) return "null";
  if (value instanceof JSONText) {
    // What the service wouldn't take throws by the value.
    write(value.value, depth, left);
    return value.text;
  }
  if (value instanceof Date) return write(DepotDate.form(value), depth, left);
  if (ArrayBuffer.isView(value)) {
    return `"${base64(new Uint8Array(value.buffer, value.byteOffset, value.byteLength))}"`;
  }
  if (value instanceof ArrayBuffer) return `"${base64(new Uint8Array(value))}"`;
  if (depth <= 0) {
    throw new DepotError({ code: "limit.depth", message: "A call has values nested too deeply, or in a circle." });
  }
  if (Array.isArray(value) || value instanceof Set) {
    const parts = [];
    for (const element of value) parts.push(write(element, depth - 1, left));
    return `[${parts.join(",")}]`;
  }
  if (typeof value.toJSON === "function") return write(value.toJSON(), depth - 1, left);
  if (value instanceof Map) throw wrongUsage("A Map has no JSON form.", "Give an object.");
  const parts = [];
  for (const name of Object.keys(value)) {
    const member = value[name];
    if (member === undefined) continue;
    if (name.includes("\0")) throw wrongUsage("The name of a member has the character U+0000.");
    left.values -= 1;
    parts.push(`${text(name)}:${write(member, depth - 1, left)}`);
  }
  return `{${parts.join(",")}}`;
}

/** @param {string} value */
function text(value) {
  if (HALF_PAIR.test(value)) {
    const message = "A text has half of a surrogate pair, which is no character.";
    throw new DepotError({ code: "request.type", message });
  }
  return JSON.stringify(value);
}

/**
 * Reads a frame's JSON. Whole numbers beyond 2^53 are big integers.
 *
 * The depth and the number of values are looked at before anything is made of them.
 *
 * @param {Uint8Array | string} data
 * @returns {any}
 * @throws {DepotError} protocol.frame if it isn't acceptable
 */
export function readJSON(data) {
  /** @type {string} */
  let source;
  try {
    source = typeof data === "string" ? data : decoder.decode(data);
  } catch {
    throw brokenProtocol("The service sends text that isn't UTF-8.");
  }
  bound(source);
  try {
    // Half of a pair can only come as an escape.
    const isPlain = !LONG_NUMBER.test(source) && !source.includes("\\u");
    return isPlain ? JSON.parse(source) : new Reader(source).document();
  } catch (error) {
    if (error instanceof DepotError) throw error;
    throw brokenProtocol("The service sends a frame that isn't acceptable JSON.");
  }
}

/**
 * Throws if a text has more levels or values than a frame may have.
 *
 * @param {string} source
 */
function bound(source) {
  let depth = 0;
  let values = 0;
  for (let place = 0; place < source.length; place++) {
    switch (source.charCodeAt(place)) {
      case 0x22: {
        // Behind the string: a quote with an even number of backslashes in front.
        let end = place;
        do {
          end = source.indexOf('"', end + 1);
          if (end < 0) return; // The grammar says no.
        } while (isEscaped(source, end, place));
        place = end;
        break;
      }
      case 0x5b:
      case 0x7b:
        if (++depth > DEPTH) throw brokenProtocol("The service sends values nested too deeply.");
        values++;
        break;
      case 0x5d:
      case 0x7d:
        depth--;
        break;
      case 0x2c:
      case 0x3a:
        values++;
    }
    if (values > 2 * VALUES) throw brokenProtocol("The service sends a frame of too many values.");
  }
}

/**
 * @param {string} source
 * @param {number} quote
 * @param {number} start
 */
function isEscaped(source, quote, start) {
  let before = quote - 1;
  while (before > start && source.charCodeAt(before) === 0x5c) before--;
  return (quote - before) % 2 === 0;
}

/** Reads JSON whose numbers need more than a double. */
class Reader {
  /**
   * @param {string} source
   * @param {boolean} [isStrict] whether no member may be there twice
   */
  constructor(source, isStrict = false) {
    this.source = source;
    this.isStrict = isStrict;
    this.place = 0;
  }

  document() {
    const value = this.value();
    if (this.place !== this.source.length) throw new SyntaxError();
    return value;
  }

  space() {
    SPACE.lastIndex = this.place;
    SPACE.test(this.source);
    this.place = SPACE.lastIndex;
  }

  /**
   * Reads a value and the space around it.
   *
   * @returns {any}
   */
  value() {
    this.space();
    const value = this.bare();
    this.space();
    return value;
  }

  /** @returns {any} */
  bare() {
    const { source } = this;
    switch (source[this.place]) {
      case "{":
        return this.object();
      case "[":
        return this.array();
      case '"':
        return this.string();
      case "t":
        return this.word("true", true);
      case "f":
        return this.word("false", false);
      case "n":
        return this.word("null", null);
    }
    NUMBER.lastIndex = this.place;
    const found = NUMBER.exec(source);
    if (!found) throw new SyntaxError();
    this.place = NUMBER.lastIndex;
    const number = Number(found[0]);
    if (found[1] !== undefined || found[2] !== undefined || Number.isSafeInteger(number)) return number;
    // The time that a big integer takes grows with the square of its digits.
    if (found[0].length > LONGEST_INTEGER) {
      throw brokenProtocol(`The service sends a number of ${found[0].length} digits.`);
    }
    return BigInt(found[0]);
  }

  /**
   * @param {string} word
   * @param {boolean | null} value
   */
  word(word, value) {
    if (!this.source.startsWith(word, this.place)) throw new SyntaxError();
    this.place += word.length;
    return value;
  }

  /** @returns {string} */
  string() {
    const start = this.place;
    let end = start;
    do {
      end = this.source.indexOf('"', end + 1);
      if (end < 0) throw new SyntaxError();
    } while (isEscaped(this.source, end, start));
    this.place = end + 1;
    const value = JSON.parse(this.source.slice(start, end + 1));
    if (HALF_PAIR.test(value)) throw new SyntaxError();
    return value;
  }

  /** @returns {any[]} */
  array() {
    /** @type {any[]} */
    const values = [];
    this.place++;
    this.space();
    if (this.source[this.place] === "]") {
      this.place++;
      return values;
    }
    for (;;) {
      values.push(this.value());
      const sign = this.source[this.place++];
      if (sign === "]") return values;
      if (sign !== ",") throw new SyntaxError();
    }
  }

  /** @returns {Record<string, any>} */
  object() {
    /** @type {Record<string, any>} */
    const object = {};
    this.place++;
    this.space();
    if (this.source[this.place] === "}") {
      this.place++;
      return object;
    }
    for (;;) {
      this.space();
      if (this.source[this.place] !== '"') throw new SyntaxError();
      const name = this.string();
      this.space();
      if (this.source[this.place++] !== ":") throw new SyntaxError();
      if (this.isStrict && Object.hasOwn(object, name)) throw new SyntaxError(`"${name}" is there twice.`);
      give(object, name, this.value());
      const sign = this.source[this.place++];
      if (sign === "}") return object;
      if (sign !== ",") throw new SyntaxError();
    }
  }
}

/** JSON as it is written: with the order of its members, the digits of its numbers, and its escapes. */
export class JSONText {
  /**
   * @param {string} text
   * @throws {SyntaxError | DepotError} if it isn't JSON that a service takes
   */
  constructor(text) {
    this.text = text;
    void this.value;
  }

  /** What JavaScript makes of it. */
  get value() {
    bound(this.text);
    return new Reader(this.text, true).document();
  }

  toJSON() {
    return this.value;
  }
}

/** @type {WeakMap<any[], { data: Uint8Array | string, path: string[] }>} the frames of rows */
const frames = new WeakMap();

/**
 * Remembers of which frame its rows are.
 *
 * @param {any} frame
 * @param {Uint8Array | string} data
 */
export function rememberRows(frame, data) {
  if (Array.isArray(frame.next)) frames.set(frame.next, { data, path: ["next"] });
  else if (Array.isArray(frame.ok?.rows)) frames.set(frame.ok.rows, { data, path: ["ok", "rows"] });
}

/**
 * Returns the texts of some columns of a frame's rows; undefined if the frame isn't known.
 *
 * @param {any[]} rows
 * @param {boolean[]} isWanted
 * @returns {(string | undefined)[][] | undefined}
 */
export function cellTexts(rows, isWanted) {
  const frame = frames.get(rows);
  if (!frame) return undefined;
  const text = typeof frame.data === "string" ? frame.data : decoder.decode(frame.data);
  let start = spaced(text, 0);
  for (const step of frame.path) {
    for (const [name, begin] of partsOf(text, start)) if (name === step) start = begin;
  }
  return Array.from(partsOf(text, start), ([, row]) =>
    Array.from(partsOf(text, row), ([, begin, end], index) => (isWanted[index] ? text.slice(begin, end) : undefined)));
}

/**
 * Yields the parts of an array or object at a place: their names, starts, and ends.
 *
 * @param {string} text JSON that was read
 * @param {number} start
 * @returns {Generator<[name: string | undefined, begin: number, end: number]>}
 */
function* partsOf(text, start) {
  let place = spaced(text, start + 1);
  if (text[place] === "}" || text[place] === "]") return;
  for (;;) {
    let name;
    if (text[start] === "{") {
      const end = endOf(text, place);
      name = JSON.parse(text.slice(place, end));
      place = spaced(text, spaced(text, end) + 1);
    }
    const end = endOf(text, place);
    yield [name, place, end];
    place = spaced(text, end);
    if (text[place] !== ",") return;
    place = spaced(text, place + 1);
  }
}

/**
 * @param {string} text
 * @param {number} place
 */
function spaced(text, place) {
  SPACE.lastIndex = place;
  SPACE.test(text);
  return SPACE.lastIndex;
}

const BETWEEN = /[^"{}[\]]+/y;
const BARE = /[^,\]} \t\n\r]*/y;

/**
 * Returns the place behind a value.
 *
 * @param {string} text
 * @param {number} start
 */
function endOf(text, start) {
  let depth = 0;
  for (let place = start; ;) {
    const sign = text[place];
    if (sign === '"') {
      const quote = place;
      do place = text.indexOf('"', place + 1);
      while (isEscaped(text, place, quote));
      place++;
    } else if (sign === "{" || sign === "[") {
      depth++;
      place++;
    } else if (sign === "}" || sign === "]") {
      depth--;
      place++;
    } else {
      const rest = depth === 0 ? BARE : BETWEEN;
      rest.lastIndex = place;
      rest.test(text);
      place = rest.lastIndex;
    }
    if (depth === 0) return place;
  }
}

/**
 * Gives an object a member, whatever its name is.
 *
 * @param {Record<string, any>} object
 * @param {string} name
 * @param {any} value
 */
export function give(object, name, value) {
  if (name === "__proto__") {
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  } else {
    object[name] = value;
  }
}

/**
 * Returns the bytes of a frame, without a length.
 *
 * @param {string} json
 */
export const bytesOf = (json) => encoder.encode(json);

/**
 * Puts the length in front of a frame.
 *
 * @param {Uint8Array} frame
 */
export function withLength(frame) {
  const bytes = new Uint8Array(4 + frame.length);
  new DataView(bytes.buffer).setUint32(0, frame.length);
  bytes.set(frame, 4);
  return bytes;
}

/** Cuts bytes into frames, however they arrive. It keeps no more than has arrived. */
export class FrameReader {
  constructor() {
    /** @type {Uint8Array[]} */
    this.pieces = [];
    this.size = 0;
    this.wanted = -1;
  }

  /**
   * Takes bytes; yields the frames that are whole.
   *
   * @param {Uint8Array} bytes
   * @returns {Generator<Uint8Array>}
   */
  *take(bytes) {
    if (bytes.length === 0) return;
    this.pieces.push(bytes);
    this.size += bytes.length;
    for (;;) {
      if (this.wanted < 0) {
        if (this.size < 4) return;
        const head = this.cut(4);
        this.wanted = new DataView(head.buffer, head.byteOffset, 4).getUint32(0);
        if (this.wanted === 0 || this.wanted > FRAME_LIMIT) {
          throw brokenProtocol(`The service sends a frame of ${this.wanted} bytes.`);
        }
      }
      if (this.size < this.wanted) return;
      const frame = this.cut(this.wanted);
      this.wanted = -1;
      yield frame;
    }
  }

  /** @param {number} count */
  cut(count) {
    this.size -= count;
    const first = this.pieces[0];
    if (first.length > count) {
      this.pieces[0] = first.subarray(count);
      return first.subarray(0, count);
    }
    if (first.length === count) {
      this.pieces.shift();
      return first;
    }
    const bytes = new Uint8Array(count);
    let filled = 0;
    let used = 0;
    while (filled < count) {
      const piece = this.pieces[used];
      const part = Math.min(piece.length, count - filled);
      bytes.set(piece.subarray(0, part), filled);
      filled += part;
      if (part < piece.length) this.pieces[used] = piece.subarray(part);
      else used++;
    }
    this.pieces.splice(0, used);
    return bytes;
  }
}
