/** Predicates and orders of the service, applied to rows of the past. This file knows no elements. */

/** A predicate that only the service can answer. */
export class Unsupported extends Error {}

const REFERENCE = Date.UTC(2001, 0, 1);
const COMPARISONS = new Set(["==", "!=", "<", "<=", ">", ">="]);
const ORDERS = {
  "<": (sign) => sign < 0, "<=": (sign) => sign <= 0, ">": (sign) => sign > 0, ">=": (sign) => sign >= 0,
};
const TEXTS = new Set(["contains", "begins", "ends"]);

/** The attributes that a predicate reads from the row itself. */
export function attributesOf(tree) {
  if (typeof tree !== "object" || tree === null) return [];
  if (Array.isArray(tree)) return tree.flatMap(attributesOf);
  if (typeof tree.attribute === "string") return [tree.attribute];
  return Object.values(tree).flatMap(attributesOf);
}

/**
 * Returns a function that tests rows.
 *
 * @param {any} tree as `explain` returns it
 * @param {(path: string) => any} columnOf the column of a path
 * @returns {(row: Record<string, any>) => boolean}
 * @throws {Unsupported}
 */
export function predicateOf(tree, columnOf) {
  if (typeof tree === "boolean") return () => tree;
  if (typeof tree !== "object" || tree === null || Array.isArray(tree)) throw new Unsupported();
  const { options = "", ...rest } = tree;
  const entries = Object.entries(rest);
  if (entries.length !== 1 || /[^cd]/.test(options)) throw new Unsupported();
  const [[name, parts]] = entries;
  if (name === "and" || name === "or") {
    const tests = parts.map((part) => predicateOf(part, columnOf));
    return name === "and" ? (row) => tests.every((test) => test(row)) : (row) => tests.some((test) => test(row));
  }
  if (name === "not") {
    const test = predicateOf(parts, columnOf);
    return (row) => !test(row);
  }
  if (!Array.isArray(parts) || typeof parts[0]?.attribute !== "string") throw new Unsupported();
  const path = parts[0].attribute;
  const column = path === "$id" ? { type: "int64", path } : columnOf(path);
  if (!column || column.isExternal || column.type === "json" || column.type === "data") throw new Unsupported();
  const read = readerOf(column, options);
  if (COMPARISONS.has(name) && !column.collection) {
    const constant = read(constantOf(parts[1]));
    if (name === "==") return (row) => isEqual(read(row[path]), constant);
    if (name === "!=") return (row) => !isEqual(read(row[path]), constant);
    const test = ORDERS[name];
    return (row) => {
      const value = read(row[path]);
      return value !== null && constant !== null && test(compare(value, constant));
    };
  }
  if (name === "between" && !column.collection) {
    const [low, high] = parts.slice(1).map((part) => read(constantOf(part)));
    return (row) => {
      const value = read(row[path]);
      return ![value, low, high].includes(null) && compare(value, low) >= 0 && compare(value, high) <= 0;
    };
  }
  if (name === "in" && !column.collection) {
    const list = Array.isArray(parts[1]) ? parts[1] : parts[1]?.list ? parts[1].value : undefined;
    if (!Array.isArray(list)) throw new Unsupported();
    const constants = list.map((one) => read(constantOf(one)));
    return (row) => {
      const value = read(row[path]);
      return constants.some((one) => isEqual(value, one));
    };
  }
  if (name === "contains" && column.collection) {
    const constant = read(constantOf(parts[1]));
    return (row) => (row[path] ?? []).some((one) => isEqual(read(one), constant));
  }
  if (TEXTS.has(name) && column.type === "string" && !column.collection) {
    const constant = read(constantOf(parts[1]));
    const method = { contains: "includes", begins: "startsWith", ends: "endsWith" }[name];
    return (row) => {
      const value = read(row[path]);
      return value !== null && constant !== null && value[method](constant);
    };
  }
  throw new Unsupported();
}

/** The value of a constant; an expression has none. */
function constantOf(part) {
  if (typeof part !== "object" || part === null) return part;
  const isConstant = Object.keys(part).every((name) => name === "value" || name === "type");
  if (isConstant && "value" in part) return part.value;
  throw new Unsupported();
}

/** Returns the function that makes values of a column comparable. */
function readerOf({ type, kind }, options) {
  const orNull = (read) => (value) => (value === null || value === undefined ? null : read(value));
  if (kind === "reference") return orNull((value) => value);
  switch (type) {
    case "string":
      return orNull((value) => fold(String(value), options));
    case "uuid":
      return orNull((value) => String(value).toLowerCase());
    case "bool":
      return orNull((value) => value);
    case "date":
      return orNull(secondsOf);
    case "decimal":
    case "uint64":
      return orNull((value) => {
        const text = String(value);
        if (!/^-?[0-9]*\.?[0-9]*$/.test(text) || text.replace(/[-.]/g, "").length > 15) throw new Unsupported();
        return Number(text);
      });
    case "url":
      return orNull(() => {
        throw new Unsupported();
      });
  }
  return orNull((value) => {
    if (typeof value !== "number" && typeof value !== "bigint") throw new Unsupported();
    return value;
  });
}

/** Seconds since 2001, as the service has dates. */
function secondsOf(value) {
  if (value instanceof Date) return value.referenceSeconds ?? (value.getTime() - REFERENCE) / 1000;
  const isMoment = /^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d{1,3})?Z)?$/.test(String(value));
  if (typeof value !== "string" || !isMoment) throw new Unsupported();
  const milliseconds = Date.parse(value) - REFERENCE;
  const whole = Math.floor(milliseconds / 1000);
  return whole + (milliseconds - whole * 1000) / 1000;
}

function fold(text, options) {
  let folded = text;
  if (options.includes("d")) folded = folded.normalize("NFD").replace(/\p{Mn}/gu, "").normalize("NFC");
  return options.includes("c") ? folded.toLowerCase() : folded;
}

const isEqual = (one, other) => (one === null || other === null ? one === other : compare(one, other) === 0);

/** Compares two values: texts by code point, NaN behind all other numbers. */
export function compare(one, other) {
  if (typeof one === "string" && typeof other === "string") {
    if (one === other) return 0;
    const [a, b] = [[...one], [...other]];
    for (let place = 0; place < Math.min(a.length, b.length); place++) {
      if (a[place] !== b[place]) return a[place].codePointAt(0) - b[place].codePointAt(0);
    }
    return a.length - b.length;
  }
  const [isOne, isOther] = [Number.isNaN(one), Number.isNaN(other)];
  if (isOne || isOther) return Number(isOne) - Number(isOther);
  return one < other ? -1 : one > other ? 1 : 0;
}

/**
 * Returns a function that orders rows, null first and the identifier last.
 *
 * @param {{ path: string, descending: boolean }[]} keys
 * @param {(path: string) => any} columnOf
 */
export function orderOf(keys, columnOf) {
  const people = new Intl.Collator("en", { numeric: true });
  const own = keys.map(({ path, descending }) => {
    const column = path === "$id" ? { type: "int64" } : columnOf(path);
    if (!column || column.collection || ["json", "data"].includes(column.type)) throw new Unsupported();
    const isReference = column.kind === "reference";
    const read = isReference || column.type === "url" ? (value) => value ?? null : readerOf(column, "");
    const source = isReference ? column.label ?? path : path;
    return (one, other) => {
      const [a, b] = [read(one[source]), read(other[source])];
      const sign = a === null || b === null ? Number(a !== null) - Number(b !== null)
        : typeof a === "string" && typeof b === "string" ? people.compare(a, b) : compare(a, b);
      return descending ? -sign : sign;
    };
  });
  return (one, other) => {
    for (const key of own) {
      const sign = key(one, other);
      if (sign !== 0) return sign;
    }
    return compare(one.$id, other.$id);
  };
}
