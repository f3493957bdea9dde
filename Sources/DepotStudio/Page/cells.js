/** Values as elements: of cells, of objects, of the history. */

import { withMembers } from "./address.js";
import { h } from "./dom.js";
import { formatted, isLength } from "./format.js";

/**
 * Puts a value into an element.
 *
 * @param {HTMLElement} element
 * @param {any} value
 * @param {any} column
 */
export function showValue(element, value, column) {
  const { text, look } = formatted(value, column);
  if (look === "text" || look === "number" || look === "date") element.append(text);
  else element.append(h("span", { class: look, "aria-label": look === "null" ? "null" : undefined }, text));
  if (look === "text" && typeof value === "string" && value.length > 40) element.title = value.slice(0, 1000);
  return element;
}

/** Makes the link to a related row, which opens beside. */
export function rowLink(entity, id, label, address) {
  const text = label === null || label === undefined || label === "" ? `${entity}/${id}` : formatted(label).text;
  return h("a", {
    href: withMembers(address, { beside: { entity, id } }), class: "row-link", tabindex: -1, title: `${entity}/${id}`,
  }, text);
}

/** Fills a cell of a row. */
export function fillCell(element, row, column, address) {
  if (column.kind === "reference") {
    const id = row[column.path];
    if (id === null || id === undefined) showValue(element, null, column);
    else element.append(rowLink(column.destination, id, column.label && row[column.label], address));
    return;
  }
  showValue(element, valueOf(row, column), column);
}

/** The value of a column; of an external value its length. */
export function valueOf(row, column) {
  if (!column.isExternal) return row[column.path];
  const length = row[`${column.path}.$length`] ?? row[column.path];
  return length === null || length === undefined ? null : isLength(length) ? length : { $length: length };
}

/**
 * How wide a column is for most of some rows, in pixels: long texts are cut, and short ones leave room for others.
 *
 * @param {any} column with the `width` of its type
 * @param {any[]} rows
 */
export function fittingWidth(column, rows) {
  const isFixed = column.isExternal || column.collection || ["bool", "date", "data", "json"].includes(column.type);
  if (isFixed || column.kind === "id") return column.width;
  const lengths = rows
    .map((row) => (column.kind === "reference" ? row[column.label] ?? row[column.path] : valueOf(row, column)))
    .map((value) => formatted(value, column).text.length)
    .sort((one, other) => one - other);
  const most = lengths[Math.floor(0.9 * (lengths.length - 1))] ?? 0;
  const ofTitle = 40 + 7.2 * column.title.length;
  return Math.round(Math.max(Math.min(ofTitle, 200), 64, Math.min(26 + 7.2 * most, 330)));
}

/** How wide a column of a type is. */
export function widthOf(column) {
  if (column.collection) return 160;
  const widths = {
    bool: 76, date: 156, uuid: 180, data: 90, reference: 170, double: 92, float: 92, decimal: 100, json: 180, url: 190
  };
  const width = column.isExternal ? 90 : widths[column.type] ?? (column.type === "string" ? 200 : 88);
  return Math.max(width, Math.min(200, 26 + 7.2 * column.name.length));
}
