/** Rows as lines of files. This file knows no elements. */

import { jsonText, plainText } from "./format.js";

/** Returns a line of CSV by RFC 4180; a text that is empty is in quotation marks, null isn't. */
export function csvLine(values) {
  const cells = values.map((value) => {
    const text = plainText(value);
    return value === "" || /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  });
  return `${cells.join(",")}\r\n`;
}

export function ndjsonLine(columns, row) {
  return `${jsonText(Object.fromEntries(columns.map((name) => [name, row[name]])))}\n`;
}
