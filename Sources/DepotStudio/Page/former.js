/** Rows of a moment in the past, made of the rows of now and the changes between. This file knows no elements. */

export class Former {
  /** What links were, by relationship, identifier, and the linked row's identifier; undefined if nobody asks. */
  #links = undefined;
  /** How many links are known. */
  linkCount = 0;
  /** The values of then by identifier, and in them by path. */
  values = new Map();
  /** The identifiers of rows that there weren't. */
  inserted = new Set();
  /** The identifiers of rows that came and went since. */
  passed = new Set();
  /** The rows that are gone by now. */
  gone = new Map();
  /** The rows that are gone by now and were there then. */
  deletedOnly = new Map();
  #sorted = undefined;

  /** @param {{ keepsLinks?: boolean }} [options] */
  constructor({ keepsLinks = false } = {}) {
    if (keepsLinks) this.#links = new Map();
  }

  get size() {
    return this.values.size + this.inserted.size;
  }

  /** Takes a change. Changes come in the order of their transactions, and the first one of a row has its old values. */
  take({ entity, id, kind, old, new: fresh }) {
    const name = String(id);
    if (kind === "insert") {
      if (this.deletedOnly.has(name)) {
        // It was made again.
        this.deletedOnly.delete(name);
        this.#sorted = undefined;
      } else if (!this.values.has(name)) {
        this.inserted.add(name);
      }
      return;
    }
    if (kind === "links") {
      if (this.#links) for (const [path, edit] of Object.entries(fresh ?? {})) this.#takeLinks(path, id, edit);
      return;
    }
    if (this.inserted.has(name)) {
      if (kind === "delete") {
        this.inserted.delete(name);
        this.passed.add(name);
      }
      return;
    }
    const known = this.values.get(name) ?? Object.create(null);
    for (const [path, value] of Object.entries(old ?? {})) if (!Object.hasOwn(known, path)) known[path] = value;
    this.values.set(name, known);
    if (kind === "delete") {
      this.deletedOnly.set(name, { $entity: entity, ...known, $id: id });
      this.#sorted = undefined;
    }
  }

  /** The first change of a link says whether there was one. */
  #takeLinks(path, id, { add = [], remove = [] }) {
    if (!this.#links.has(path)) this.#links.set(path, new Map());
    const known = this.#links.get(path);
    for (const [targets, was] of [[add, false], [remove, true]]) {
      for (const target of targets) {
        const name = `${id} ${target}`;
        if (known.has(name)) continue;
        known.set(name, { id, target, was });
        this.linkCount++;
      }
    }
  }

  /** The links of a relationship that changed, and whether there was each. */
  links(path) {
    return [...(this.#links?.get(path)?.values() ?? [])];
  }

  /** The rows that are gone, by their identifiers. */
  get deletedSorted() {
    this.#sorted ??= [...this.deletedOnly.values()].sort((one, other) => (one.$id < other.$id ? -1 : 1));
    return this.#sorted;
  }

  /** Whether a row that was read came only since. */
  isLater(id) {
    const name = String(id);
    return this.inserted.has(name) || this.passed.has(name);
  }

  /** The row of then, of one that there is. */
  row(row) {
    const known = this.values.get(String(row.$id));
    if (!known) return row;
    const then = { ...row };
    for (const [path, value] of Object.entries(known)) {
      if (path in then || `${path}.$length` in then) give(then, path, value);
      if (`${path}.$length` in then) then[`${path}.$length`] = value?.$length ?? null;
      // The label of a related row is another one then.
      for (const name of Object.keys(then)) if (
        name.startsWith(`${path}.`) && !Object.hasOwn(known, name) && !name.endsWith(".$length")
      ) delete then[name];
    }
    return then;
  }

  isChanged(id, path) {
    const name = String(id);
    const known = this.values.get(name);
    if (!known) return false;
    return path === undefined ? this.deletedOnly.has(name) : Object.hasOwn(known, path);
  }
}

/**
 * Finds where the row at a place of then is among the rows of now.
 *
 * @param {Former} former
 * @param {number} place
 * @param {number} now how many rows there are now
 * @param {(offset: number) => Promise<any>} idAt the identifier at a place of now
 * @returns {Promise<{ offset: number, id: any, before: any[], nextGone: number }>}
 */
export async function placeThen(former, place, now, idAt) {
  const inserted = [...former.inserted].map(BigInt).sort((one, other) => (one < other ? -1 : 1));
  const gone = former.deletedSorted.map(({ $id }) => BigInt($id));
  /** How many rows of then are before an identifier that is at an offset now. */
  const rank = (offset, id) => offset - below(inserted, id) + below(gone, id);
  let low = Math.max(0, place - gone.length);
  let high = Math.min(now, place + inserted.length);
  // The rank grows with the offset: the first offset whose rank is at least the place is wanted.
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const id = await idAt(middle);
    if (id !== undefined && rank(middle, BigInt(id)) < place) low = middle + 1;
    else high = middle;
  }
  const id = low < now ? await idAt(low) : undefined;
  const end = id === undefined ? undefined : BigInt(id);
  const reached = end === undefined ? low - inserted.length + gone.length : rank(low, end);
  // Rows that are gone may lie between the place and the row that was found.
  const goneBefore = end === undefined ? gone.length : below(gone, end);
  const missing = Math.max(0, Math.min(goneBefore, reached - place));
  return {
    offset: low, id, before: former.deletedSorted.slice(goneBefore - missing, goneBefore), nextGone: goneBefore
  };
}

/** Gives an object a member of any name, also `__proto__`. */
function give(object, name, value) {
  Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
}

/** How many of sorted numbers are less than another one. */
export function below(numbers, one) {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] < one) low = middle + 1;
    else high = middle;
  }
  return low;
}
