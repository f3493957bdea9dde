/** The rows of a moment and their links, as far as a filter or an order reads them. This file knows no elements. */

import { Former } from "./former.js";
import { Unsupported } from "./texts.js";

/** What a filter or an order reads: paths of entities, and relationships to many rows. */
export class Needs {
  /** @type {Map<string, Set<string>>} the paths to read, by entity */
  paths = new Map();
  /** @type {Map<string, { entity: string, relationship: any }>} */
  links = new Map();

  /** @param {any} model */
  constructor(model) {
    this.model = model;
  }

  /**
   * Notes a path of an entity; without one its rows are read, and no more.
   *
   * @param {string} entity
   * @param {string} [path]
   * @throws {Unsupported} if the history doesn't keep the entity's values
   */
  note(entity, path) {
    if (this.model.history(entity) !== "values") throw new Unsupported();
    if (!this.paths.has(entity)) this.paths.set(entity, new Set());
    if (path !== undefined) this.paths.get(entity).add(path);
  }

  /** Notes a relationship to many rows. */
  noteLinks(entity, relationship) {
    this.links.set(`${entity}.${relationship.name}`, { entity, relationship });
    const { destination } = relationship;
    const inverse = this.inverse(relationship);
    if (inverse && !inverse.toMany) return this.note(destination, inverse.name);
    // Either side's history may have the changes.
    this.note(entity, relationship.name);
    this.note(destination);
  }

  inverse({ destination, inverse }) {
    return this.model.relationships(destination).find(({ name }) => name === inverse);
  }
}

/** The rows of a moment, by entity and identifier, with their links. */
export class Tables {
  /** @type {Map<string, Map<string, any>>} */
  rows = new Map();
  /** @type {Map<string, Map<string, any[]>>} the identifiers of linked rows, by relationship and identifier */
  links = new Map();

  row(entity, id) {
    return this.rows.get(entity).get(String(id));
  }

  linked(entity, name, id) {
    return this.links.get(`${entity}.${name}`).get(String(id)) ?? [];
  }
}

/**
 * Reads the rows of now, and then what they were: a row that changes in between is known by its change.
 *
 * @param {any} client
 * @param {Needs} needs
 * @param {string} token the moment
 * @param {{ most: { rows: number, changes: number, links: number }, signal?: AbortSignal,
 *   say?: (count: number) => void }} options how many rows, changes, and links of an entity may be in memory, and what
 *   is called with the number of rows and changes that are read
 * @returns {Promise<Tables>}
 * @throws {Unsupported} if there are more
 */
export async function readTables(client, needs, token, { most, signal, say = () => {} }) {
  const tables = new Tables();
  /** @type {Map<string, any[]>} the rows of now */
  const present = new Map();
  /** @type {Map<string, Map<string, Map<string, any>>>} the links of now, by relationship and identifiers */
  const joined = new Map();
  let count = 0;
  for (const [entity, paths] of needs.paths) {
    const many = needs.model.toMany(entity).map(({ name }) => name).filter((name) => paths.has(name));
    for (const name of many) joined.set(`${entity}.${name}`, new Map());
    // A composite brings its parts along.
    const select = [...paths].filter((path) => ![...paths].some((other) => path.startsWith(`${other}.`) && (
      needs.model.column(entity, other)?.kind === "presence"
    )));
    const rows = [];
    let links = 0;
    for await (const row of client.entity(entity).fetch({ select, limit: most.rows + 1 }, { signal })) {
      rows.push(row);
      for (const name of many) {
        links += row[name].length;
        joined.get(`${entity}.${name}`).set(String(row.$id), new Map(row[name].map((id) => [String(id), id])));
        delete row[name];
      }
      if (rows.length > most.rows || links > most.links) throw new Unsupported("there are too many rows");
      say(++count);
    }
    present.set(entity, rows);
  }
  // All changes are read after all rows and links, so that none is missed.
  /** @type {Map<string, Former>} */
  const formers = new Map();
  for (const entity of needs.paths.keys()) {
    const former = new Former({ keepsLinks: true });
    for await (const frame of client.stream("history", { entity, since: token }, { signal })) {
      for (const { changes } of frame.next) {
        for (const change of changes) former.take(change);
        say((count += changes.length));
      }
      if (former.size > most.changes || former.linkCount > most.links) throw new Unsupported("too much has changed");
    }
    formers.set(entity, former);
    const rows = new Map(former.deletedSorted.map((row) => [String(row.$id), row]));
    for (const row of present.get(entity)) {
      if (!former.isLater(row.$id)) rows.set(String(row.$id), former.row(row));
    }
    present.delete(entity);
    tables.rows.set(entity, rows);
  }
  for (const [key, { entity, relationship }] of needs.links) {
    const { name, destination } = relationship;
    const inverse = needs.inverse(relationship);
    const found = new Map();
    if (inverse && !inverse.toMany) {
      for (const row of tables.rows.get(destination).values()) {
        const id = row[inverse.name];
        if (id === null || id === undefined) continue;
        if (!found.has(String(id))) found.set(String(id), []);
        found.get(String(id)).push(row.$id);
      }
    } else {
      const pairs = joined.get(key);
      undo(pairs, formers.get(entity), name, false);
      if (inverse) undo(pairs, formers.get(destination), inverse.name, true);
      for (const [id, targets] of pairs) found.set(id, [...targets.values()]);
    }
    tables.links.set(key, found);
  }
  return tables;
}

/** Takes the changes of links back. */
function undo(pairs, former, name, isReversed) {
  for (const { id, target, was } of former.links(name)) {
    const [from, to] = isReversed ? [target, id] : [id, target];
    if (!pairs.has(String(from))) pairs.set(String(from), new Map());
    if (was) pairs.get(String(from)).set(String(to), to);
    else pairs.get(String(from)).delete(String(to));
  }
}
