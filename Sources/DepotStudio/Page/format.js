/** How values look as text. This file knows no elements. */

import { JSONText } from "/client/browser.js";

/** The longest text that a cell shows; the rest is shown with the object. */
const LONGEST = 300;

/**
 * Returns the text of a value, and how it looks: `null`, `empty`, `number`, `text`, `data`, `date`, `bool`, or `json`.
 *
 * @param {any} value
 * @param {{ type?: string, collection?: string }} [column]
 * @returns {{ text: string, look: string }}
 */
export function formatted(value, column = {}) {
  if (value === null || value === undefined) return { text: "–", look: "null" };
  if (Array.isArray(value)) {
    if (value.length === 0) return { text: "none", look: "empty" };
    const shown = value.slice(0, 20).map((one) => formatted(one, { type: column.type }).text);
    return { text: cut(shown.join(", ") + (value.length > 20 ? ` … ${value.length} in all` : "")), look: "text" };
  }
  if (value instanceof JSONText) {
    const { value: inner, text } = value;
    if (typeof inner === "number") return { text: text.replace(/^-/, "−"), look: "number" };
    return typeof inner === "object" && inner !== null ? { text: cut(text), look: "json" } : formatted(inner, column);
  }
  if (value instanceof Date) return { text: dateText(value), look: "date" };
  if (ArrayBuffer.isView(value)) return { text: bytesText(value.byteLength), look: "data" };
  switch (typeof value) {
    case "boolean":
      return { text: value ? "yes" : "no", look: "bool" };
    case "number":
    case "bigint":
      return { text: numberText(value), look: "number" };
    case "object":
      if (isLength(value, column)) return { text: bytesText(Number(value.$length)), look: "data" };
      return { text: cut(jsonText(value)), look: "json" };
  }
  if (value === "") return { text: "empty", look: "empty" };
  return { text: cut(value), look: isNumeric(column) ? "number" : "text" };
}

/** Whether the values of a column stand at the right. */
export const isNumeric = ({ type, collection } = {}) =>
  !collection && /^(u?int(8|16|32|64)|double|float|decimal)$/.test(type ?? "");

/** Whether a row has only the length of a value, which is read in parts. JSON may look like that itself. */
export const isLength = (value, { type } = {}) =>
  type !== "json" && typeof value === "object" && value !== null && Object.hasOwn(value, "$length");

/** Whether a value is shown and edited in parts: one whose row has only its length, or none of it. */
export const isLarge = (value, column) => Boolean(column.isExternal) || isLength(value, column);

/** Minus signs are those of typography; -0 keeps its sign. */
export function numberText(value) {
  const text = Object.is(value, -0) ? "-0" : String(value);
  return text.replace(/^-/, "−").replace("Infinity", "∞");
}

/** Returns a date in UTC, without zeros at its end. */
export function dateText(date) {
  if (Number.isNaN(date.getTime())) return "no date";
  const form = typeof date.toJSON() === "string" ? date.toJSON() : date.toISOString();
  const [day, time] = form.replace("Z", "").split("T");
  const shown = time.replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");
  return shown === "00:00:00" ? day : `${day} ${shown.replace(/^(\d\d:\d\d):00$/, "$1")}`;
}

/** Returns the local time of a moment of the history, with seconds. */
export function momentText(at, now = Date.now()) {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return String(at);
  const two = (number) => String(number).padStart(2, "0");
  const time = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  const isToday = new Date(now).toDateString() === date.toDateString();
  return isToday ? time : `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${time}`;
}

export function bytesText(count) {
  if (count < 1000) return `${count} B`;
  let value = count;
  let unit = -1;
  while (value >= 999.5 && unit < 4) {
    value /= 1000;
    unit++;
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${["kB", "MB", "GB", "TB", "PB"][unit]}`;
}

/** Returns a number of rows with thin spaces between thousands. */
export const countText = (count) => String(count).replace(/\B(?=(\d{3})+(?!\d))/g, "\u2009");

export const plural = (count, one, many = `${one}s`) => `${countText(count)} ${Number(count) === 1 ? one : many}`;

/** Returns a duration of microseconds. */
export function durationText(microseconds) {
  if (microseconds < 1000) return `${Math.round(microseconds)} µs`;
  if (microseconds < 1e6) return `${(microseconds / 1000).toPrecision(microseconds < 1e4 ? 2 : 3)} ms`;
  if (microseconds < 60e6) return `${(microseconds / 1e6).toPrecision(3)} s`;
  const minutes = Math.floor(microseconds / 60e6);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Returns JSON as the service has it: integers with all digits, -0, NaN, dates, and bytes. */
export function jsonText(value, indent = "", step = "") {
  if (value === null || value === undefined) return "null";
  if (value instanceof JSONText) return step ? indented(value.text, step) : value.text;
  if (typeof value === "bigint") return String(value);
  if (Object.is(value, -0)) return "-0.0";
  if (typeof value === "number" && !Number.isFinite(value)) return `"${value}"`;
  if (value instanceof Date) return jsonText(value.toJSON());
  if (ArrayBuffer.isView(value)) return `"${base64(value)}"`;
  if (typeof value !== "object") return JSON.stringify(value);
  const inner = indent + step;
  const [begin, end] = step ? [`\n${inner}`, `\n${indent}`] : ["", ""];
  const parts = Array.isArray(value)
    ? value.map((one) => jsonText(one, inner, step))
    : Object.entries(value).map(
      ([name, one]) => `${JSON.stringify(name)}:${step ? " " : ""}${jsonText(one, inner, step)}`
    );
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return parts.length ? open + begin + parts.join(`,${begin}`) + end + close : open + close;
}

/** The words and signs of JSON. */
const tokensOf = (text) => text.match(/"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}:,]|[^\s"[\]{}:,]+/g) ?? [];

/** Returns JSON without the space between its words and signs. */
export const compact = (text) => tokensOf(text).join("");

/** Returns JSON in lines, with all words as they are. */
function indented(text, step) {
  let indent = "\n";
  let before = "";
  let result = "";
  for (const token of tokensOf(text)) {
    if (/^[\]}]$/.test(token)) {
      indent = indent.slice(0, -step.length);
      if (!/[[{]$/.test(before)) result += indent;
    } else if (/^[[{,]$/.test(before)) {
      result += indent;
    }
    result += token === ":" ? ": " : token;
    if (/^[[{]$/.test(token)) indent += step;
    before = token;
  }
  return result;
}

/** Cuts text between characters, and shows its line ends as signs. */
export function cut(text, length = LONGEST) {
  const short = text.length > length ? `${[...text.slice(0, length + 1)].slice(0, -1).join("")}…` : text;
  return short.replace(/[\r\n]+/g, " ↵ ").replace(/[\u0000-\u001f\u007f]/g, (sign) =>
    sign === "\t" ? " " : String.fromCodePoint(sign === "\u007f" ? 0x2421 : 0x2400 + sign.codePointAt(0)));
}

const RESERVED = new RegExp(`^(${[
  "AND", "OR", "NOT", "BETWEEN", "IN", "CONTAINS", "BEGINSWITH", "ENDSWITH", "LIKE", "MATCHES", "ANY", "SOME", "ALL",
  "NONE", "TRUEPREDICATE", "FALSEPREDICATE", "NULL", "NIL", "TRUE", "YES", "FALSE", "NO", "SELF",
].join("|")})(\\.|$)`, "i");

/** Returns a path of the predicate language. */
export const pathText = (path) => (RESERVED.test(path) ? `#${path}` : path);

/** Returns the condition that compares a path with a value, or undefined if there is none. */
export function conditionText(path, operator, value, column) {
  const name = pathText(path);
  // NaN is equal to nothing, itself included.
  if (Number.isNaN(value) || (value instanceof Date && Number.isNaN(secondsOf(value)))) {
    return operator === "==" ? `${name} != ${name}` : operator === "!=" ? `${name} == ${name}` : undefined;
  }
  const constant = constantText(value, column);
  return constant === undefined ? undefined : `${name} ${operator} ${constant}`;
}

const secondsOf = (date) => date.referenceSeconds ?? date.getTime();

/** Returns a constant of the predicate language. */
export function constantText(value, column = {}) {
  if (value === null || value === undefined) return "NIL";
  if (typeof value === "boolean") return value ? "TRUE" : "FALSE";
  if (typeof value === "bigint") return String(value);
  if (typeof value === "number") {
    return Number.isFinite(value) ? String(value) : `CAST("${value}", "double")`;
  }
  if (value instanceof Date) {
    const form = value.toJSON();
    if (typeof form === "string") return `CAST("${form}", "date")`;
    const seconds = secondsOf(value);
    return `CAST(${Object.is(seconds, -0) ? "-0.0" : Number.isFinite(seconds) ? seconds : `"${seconds}"`}, "date")`;
  }
  if (typeof value === "string") {
    if (column.type === "decimal" || column.type === "uint64") return `CAST(${JSON.stringify(value)}, "decimal")`;
    return JSON.stringify(value);
  }
  return undefined;
}

/** Who made a transaction, in a word. */
export const whoText = ({ author, process } = {}) => author ?? process ?? "somebody";

/** Returns a value as text, as `depot fetch -o csv` writes it. */
export function plainText(value) {
  if (value instanceof JSONText && typeof value.value === "string") return value.value;
  if (value === null || value === undefined) return "";
  if (value instanceof Date) {
    const form = value.toJSON();
    return typeof form === "string" ? form : jsonText(form);
  }
  if (ArrayBuffer.isView(value)) return base64(value);
  return typeof value === "object" || Object.is(value, -0) ? jsonText(value) : String(value);
}

export function base64(bytes) {
  let text = "";
  for (let start = 0; start < bytes.length; start += 0x8000) text += String.fromCharCode(
    ...bytes.subarray(start, start + 0x8000)
  );
  return btoa(text);
}
