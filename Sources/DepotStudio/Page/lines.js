/** Rows as lines of files. This file knows no elements. */

import { jsonText } from "./format.js";

/** Returns a value as text, as `depot fetch -o csv` writes it. */
export function plainText(value) {
  if (value === null || value === undefined) return "";
  if (value instanceof Date) {
    const form = value.toJSON();
    return typeof form === "string" ? form : jsonText(form);
  }
  if (ArrayBuffer.isView(value)) return base64(value);
  return typeof value === "object" ? jsonText(plain(value)) : String(value);
}

/** Returns a line of CSV by RFC 4180; a text that is empty is in quotation marks, null isn't. */
export function csvLine(values) {
  const cells = values.map((value) => {
    const text = plainText(value);
    return value === "" || /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  });
  return `${cells.join(",")}\r\n`;
}

export function ndjsonLine(columns, row) {
  return `${jsonText(Object.fromEntries(columns.map((name) => [name, plain(row[name])])))}\n`;
}

/** The value as JSON has it. */
function plain(value) {
  if (ArrayBuffer.isView(value)) return base64(value);
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  if (value instanceof Date) return value.toJSON();
  if (Array.isArray(value)) return value.map(plain);
  return value;
}

function base64(bytes) {
  let text = "";
  for (let start = 0; start < bytes.length; start += 0x8000) text += String.fromCharCode(
    ...bytes.subarray(start, start + 0x8000)
  );
  return btoa(text);
}
