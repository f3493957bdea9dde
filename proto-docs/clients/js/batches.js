/** Rows that programs give as objects, in the form of the protocol: columns once, and values in their order. */

import { wrongUsage } from "./errors.js";

/**
 * Returns rows by the members that they have, in the order in which they come.
 *
 * @param {Iterable<Record<string, any>>} rows
 * @param {Record<string, any>[]} [bases] what the rows were when they were read
 * @returns {{ columns: string[], rows: any[][], places: number[], base?: { columns: string[], rows: any[][] } }[]}
 */
export function batchesOf(rows, bases) {
  /** @type {Map<string, ReturnType<typeof batchesOf>[number]>} */
  const batches = new Map();
  let place = 0;
  for (const row of rows) {
    if (typeof row !== "object" || row === null || Array.isArray(row)) {
      throw wrongUsage("A row is an object with a member for each column.");
    }
    const columns = columnsOf(row);
    const base = bases?.[place];
    const baseColumns = base && columnsOf(base);
    const form = JSON.stringify([columns, baseColumns]);
    let batch = batches.get(form);
    if (!batch) {
      batch = { columns, rows: [], places: [] };
      if (baseColumns) batch.base = { columns: baseColumns, rows: [] };
      batches.set(form, batch);
    }
    batch.rows.push(columns.map((column) => row[column]));
    if (base && batch.base) batch.base.rows.push(batch.base.columns.map((column) => base[column]));
    batch.places.push(place++);
  }
  return [...batches.values()];
}

/** @param {Record<string, any>} row */
const columnsOf = (row) =>
  Object.keys(row)
    .filter((name) => row[name] !== undefined)
    .sort((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1));

/**
 * Identifier and version come first.
 *
 * @param {string} name
 */
const rank = (name) => (name === "$id" ? 0 : name === "$version" ? 1 : 2);

/**
 * Returns the arguments of a save whose rows may be objects.
 *
 * @param {Record<string, any>} args
 */
export function saveArguments(args) {
  const result = { ...args };
  for (const name of ["insert", "update"]) {
    if (!Array.isArray(args[name])) continue;
    result[name] = args[name].flatMap((/** @type {any} */ entry) => {
      if ("columns" in entry) return [entry];
      const { rows, base, ...rest } = entry;
      return batchesOf(rows, base).map(({ places, ...batch }) => ({ ...rest, ...batch }));
    });
  }
  return result;
}
