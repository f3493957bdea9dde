/** Values of related rows as they were at a moment. This file knows no elements. */

import { Former } from "./former.js";
import { Unsupported } from "./predicates.js";

/**
 * The relationships to one row over which a path leads, and the column at its end.
 *
 * @typedef {{ hops: { name: string, entity: string }[], last: string, column: any }} Way
 */

/**
 * Returns the way of a path; undefined if it leads over several rows, or to nothing.
 *
 * @param {any} model
 * @param {string} entity
 * @param {string} path
 * @returns {Way | undefined}
 */
export function wayOf(model, entity, path) {
  const hops = [];
  let holder = entity;
  let last = path;
  for (;;) {
    const column = model.column(holder, last);
    if (column) return { hops, last, column: { ...column, path, label: undefined } };
    const [name] = last.split(".", 1);
    const hop = model.column(holder, name);
    if (hop?.kind !== "reference" || name === last) return undefined;
    hops.push({ name, entity: hop.destination });
    holder = hop.destination;
    last = last.slice(name.length + 1);
  }
}

/**
 * Reads the related rows of now, and then what they were: a row that changes in between is known by its change.
 *
 * @param {any} client
 * @param {Way[]} ways
 * @param {string} token the moment
 * @param {{ rows: number, changes: number, signal: AbortSignal }} limits how many rows and changes of an entity may
 *   be in memory
 * @returns {Promise<(row: any, way: Way) => any>} the value of then at the end of a way from a row of then
 * @throws {Unsupported} if there are more
 */
export async function readRelated(client, ways, token, { rows: mostRows, changes: mostChanges, signal }) {
  /** @type {Map<string, Set<string>>} */
  const wanted = new Map();
  for (const { hops, last } of ways) {
    hops.forEach(({ entity }, index) => {
      if (!wanted.has(entity)) wanted.set(entity, new Set());
      wanted.get(entity).add(hops[index + 1]?.name ?? last);
    });
  }
  /** @type {Map<string, { rows: Map<string, any>, former: Former }>} */
  const tables = new Map();
  for (const [name, paths] of wanted) {
    const rows = new Map();
    const read = client.entity(name).fetch({ select: [...paths], limit: mostRows + 1 }, { signal });
    for await (const row of read) rows.set(String(row.$id), row);
    if (rows.size > mostRows) throw new Unsupported();
    const former = new Former();
    for await (const frame of client.stream("history", { entity: name, since: token }, { signal })) {
      for (const { changes } of frame.next) for (const change of changes) former.take(change);
      if (former.size > mostChanges) throw new Unsupported();
    }
    tables.set(name, { rows, former });
  }
  return (row, { hops, last }) => {
    let value = row[hops[0].name];
    hops.forEach(({ entity }, index) => {
      if (value === null || value === undefined) return;
      const { rows, former } = tables.get(entity);
      const path = hops[index + 1]?.name ?? last;
      const known = former.values.get(String(value));
      value = known && Object.hasOwn(known, path) ? known[path] : rows.get(String(value))?.[path];
    });
    return value ?? null;
  };
}
