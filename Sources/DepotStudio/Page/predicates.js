/** Predicates and orders of the service, applied to rows of the past. This file knows no elements. */

import { isLarge } from "./format.js";
import { Unsupported, fold, localizedKey } from "./texts.js";

const REFERENCE = Date.UTC(2001, 0, 1);
const WHOLE = { type: "int64" };
const ORDERS = {
  "<": (sign) => sign < 0, "<=": (sign) => sign <= 0, ">": (sign) => sign > 0, ">=": (sign) => sign >= 0,
};
const MIRRORED = { "==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<=" };
const TEXTS = { contains: "includes", begins: "startsWith", ends: "endsWith" };
const QUANTIFIERS = {
  any: (list, test) => list.some(test), all: (list, test) => list.every(test),
  none: (list, test) => !list.some(test),
};

/**
 * What an expression gives for a row: values of a column, or identifiers of an entity's rows.
 *
 * `read` takes a scope: the tables, the identifier of the row as `SELF`, and the elements by their names.
 *
 * @typedef {{ column?: any, entity?: string, isMany: boolean, read: (scope: any) => any }} Operand
 * @typedef {{
 *   entity: string, needs: import("./related.js").Needs, names?: Map<string, Operand>, isOrder?: boolean,
 * }} Place
 */

/**
 * Returns a function that tests rows of an entity, and notes what it reads.
 *
 * @param {any} tree as `explain` returns it
 * @param {Place} place
 * @returns {(scope: any) => boolean}
 * @throws {Unsupported}
 */
export function predicateOf(tree, place) {
  if (typeof tree === "boolean") return () => tree;
  if (typeof tree !== "object" || tree === null || Array.isArray(tree)) throw new Unsupported();
  const { options = "", variable, ...rest } = tree;
  const entries = Object.entries(rest);
  if (entries.length !== 1 || /[^cd]/.test(options)) throw new Unsupported();
  const [[name, parts]] = entries;
  if (name === "and" || name === "or") {
    const tests = parts.map((part) => predicateOf(part, place));
    return name === "and" ? (scope) => tests.every((test) => test(scope))
      : (scope) => tests.some((test) => test(scope));
  }
  if (name === "not") {
    const test = predicateOf(parts, place);
    return (scope) => !test(scope);
  }
  if (name in QUANTIFIERS) {
    const { list, test } = elementsOf(parts, variable, place);
    const quantify = QUANTIFIERS[name];
    return (scope) => quantify(list.read(scope), (element) => test(scope, element));
  }
  if (!Array.isArray(parts)) throw new Unsupported();
  if (name in MIRRORED) return comparison(name, parts, options, place);
  const operand = operandOf(parts[0], place);
  if ((name === "contains" || name === "has") && operand.isMany) {
    const [elements, wanted] = readersOf({ ...operand, isMany: false }, parts[1], options, place);
    return (scope) => {
      const value = wanted(scope);
      return operand.read(scope).some((one) => isEqual(elements.of(one), value));
    };
  }
  if (name === "between") {
    const [[read, low], [, high]] = parts.slice(1).map((part) => readersOf(operand, part, "", place));
    return (scope) => {
      const values = [read(scope), low(scope), high(scope)];
      return !values.includes(null) && !values.some(Number.isNaN)
        && compare(values[0], values[1]) >= 0 && compare(values[0], values[2]) <= 0;
    };
  }
  if (name === "in") {
    const list = Array.isArray(parts[1]) ? parts[1] : parts[1]?.list ? parts[1].value : undefined;
    if (!Array.isArray(list)) throw new Unsupported();
    const read = readerOf(operand, options);
    const constants = list.map((one) => read.of(constantOf(one)));
    return (scope) => {
      const value = read(scope);
      return constants.some((one) => isEqual(value, one));
    };
  }
  if (name in TEXTS && operand.column?.type === "string") {
    const [read, wanted] = readersOf(operand, parts[1], options, place);
    return (scope) => {
      const [value, part] = [read(scope), wanted(scope)];
      return value !== null && part !== null && value[TEXTS[name]](part);
    };
  }
  throw new Unsupported();
}

function comparison(name, [left, right], options, place) {
  if (isConstant(left)) return comparison(MIRRORED[name], [right, left], options, place);
  const [one, other] = readersOf(operandOf(left, place), right, options, place);
  if (name === "==") return (scope) => isEqual(one(scope), other(scope));
  if (name === "!=") return (scope) => !isEqual(one(scope), other(scope));
  const test = ORDERS[name];
  return (scope) => {
    const [a, b] = [one(scope), other(scope)];
    return a !== null && b !== null && !Number.isNaN(a) && !Number.isNaN(b) && test(compare(a, b));
  };
}

/** The elements of a collection, and a test for each. */
function elementsOf([collection, predicate], variable, place) {
  const list = operandOf(collection, place);
  if (!list.isMany || typeof variable !== "string") throw new Unsupported();
  const element = { ...list, isMany: false, read: (scope) => scope.names.get(variable) };
  const test = predicateOf(predicate, { ...place, names: new Map(place.names).set(variable, element) });
  return {
    list, test: (scope, value) => test({ ...scope, names: new Map(scope.names).set(variable, value) }),
  };
}

/**
 * Returns what an expression gives, and notes what it reads.
 *
 * @param {any} tree
 * @param {Place} place
 * @returns {Operand}
 */
function operandOf(tree, place) {
  if (typeof tree !== "object" || tree === null) throw new Unsupported();
  const { variable, ...rest } = tree;
  const [[name, part] = ["variable", variable], ...others] = Object.entries(rest);
  if (others.length > 0) throw new Unsupported();
  const self = { entity: place.entity, isMany: false, read: (scope) => scope.self };
  switch (name) {
    case "attribute":
      return follow(part, self, place);
    case "variable":
      return part === "SELF" ? self : place.names?.get(part) ?? unsupported();
    case "member":
      return follow(part[1], operandOf(part[0], place), place);
    case "filter": {
      const { list, test } = elementsOf(part, variable, place);
      return { ...list, read: (scope) => list.read(scope).filter((element) => test(scope, element)) };
    }
    case "count": {
      const list = operandOf(part, place);
      return list.isMany ? { column: WHOLE, isMany: false, read: (scope) => list.read(scope).length } : unsupported();
    }
  }
  return aggregateOf(name, part, place);
}

/** An aggregate of the values of a collection that aren't null. */
function aggregateOf(name, part, place) {
  if (!["sum", "average", "min", "max", "countDistinct"].includes(name)) throw new Unsupported();
  const list = operandOf(part, place);
  if (!list.isMany || !list.column) throw new Unsupported();
  const { of } = readerOf({ ...list, isMany: false }, "");
  const known = (scope) => list.read(scope).filter((value) => value !== null && value !== undefined);
  const result = (column, read) => ({ column, isMany: false, read });
  if (name === "countDistinct") {
    return result(WHOLE, (scope) => new Set(known(scope).map((one) => String(of(one)))).size);
  }
  if (name === "min" || name === "max") {
    const sign = name === "min" ? 1 : -1;
    return result(list.column, (scope) => known(scope).reduce(
      (best, one) => (best === null || sign * compare(of(one), of(best)) < 0 ? one : best), null
    ));
  }
  // Only sums of whole numbers are exact here.
  if (!/^int/.test(list.column.type)) throw new Unsupported();
  const sum = (values) => values.reduce((total, one) => total + BigInt(one), 0n);
  if (name === "sum") return result(WHOLE, (scope) => {
    const total = sum(known(scope));
    // A sum beyond 64 bits has no result.
    return BigInt.asIntN(64, total) === total ? total : null;
  });
  return result({ type: "double" }, (scope) => {
    const values = known(scope);
    const total = Number(sum(values));
    if (!Number.isSafeInteger(total)) throw new Unsupported();
    return values.length === 0 ? null : total / values.length;
  });
}

/** Follows a path from rows. */
function follow(path, start, place) {
  const { model } = place.needs;
  let { entity, isMany, read } = start;
  for (let rest = path; ;) {
    if (entity === undefined) throw new Unsupported();
    const [holder, from] = [entity, read];
    const step = (value, isListed) => {
      // From no row there is no value, and lists follow each other.
      const one = (scope, id) => (id === null || id === undefined ? isListed ? [] : null : value(scope, id) ?? null);
      if (!isMany) return (scope) => one(scope, from(scope));
      return (scope) => from(scope)[isListed ? "flatMap" : "map"]((id) => one(scope, id));
    };
    if (rest === "$id") return { column: WHOLE, isMany, read: step((_, id) => id, false) };
    const column = model.column(holder, rest);
    if (column && column.kind !== "reference") {
      // Whether a composite is there is no value that predicates compare.
      if (column.isExternal || (column.kind === "presence" && !place.isOrder)) throw new Unsupported();
      place.needs.note(holder, rest);
      const isListed = Boolean(column.collection);
      const value = (scope, id) => {
        const found = scope.tables.row(holder, id)?.[column.path] ?? (isListed ? [] : null);
        if (isLarge(found, column)) throw new Unsupported("a value is too large");
        return found;
      };
      return { column, isMany: isMany || isListed, read: step(value, isListed) };
    }
    const [name] = rest.split(".", 1);
    const relationship = model.relationships(holder).find((one) => one.name === name);
    if (!relationship) throw new Unsupported();
    if (relationship.toMany) {
      place.needs.noteLinks(holder, relationship);
      read = step((scope, id) => scope.tables.linked(holder, name, id), true);
      isMany = true;
    } else {
      place.needs.note(holder, name);
      read = step((scope, id) => scope.tables.row(holder, id)?.[name], false);
    }
    entity = relationship.destination;
    if (rest === name) return { entity, isMany, read };
    rest = rest.slice(name.length + 1);
  }
}

/** Returns functions that read an operand and another one, or a constant, in a form that can be compared. */
function readersOf(operand, other, options, place) {
  const read = readerOf(operand, options);
  if (isConstant(other)) {
    const constant = read.of(constantOf(other));
    return [read, () => constant];
  }
  const second = readerOf(operandOf(other, place), options);
  if (second.kind !== read.kind) throw new Unsupported();
  return [read, second];
}

const isConstant = (part) =>
  typeof part !== "object" || part === null || Object.keys(part).every((name) => name === "value" || name === "type");

/** The value of a constant; an expression has none. */
function constantOf(part) {
  if (typeof part !== "object" || part === null) return part;
  return isConstant(part) && "value" in part ? part.value : unsupported();
}

function unsupported() {
  throw new Unsupported();
}

/**
 * Returns the function that reads an operand in a form that can be compared; `of` does so with a value, and values of
 * the same `kind` can be compared.
 */
function readerOf({ column, entity, isMany, read }, options, isOrder = false) {
  if (isMany) throw new Unsupported();
  const { kind, form } = entity !== undefined ? { kind: "row", form: (id) => id }
    : isOrder && column.type === "url" ? { kind: "url", form: String } : formOf(column.type, options);
  const of = (value) => (value === null || value === undefined ? null : form(value));
  return Object.assign((scope) => of(read(scope)), { of, kind });
}

function formOf(type, options) {
  switch (type) {
    case "string":
      return { kind: "text", form: (value) => fold(String(value), options) };
    case "uuid":
      return { kind: "uuid", form: (value) => String(value).toLowerCase() };
    case "bool":
      return { kind: "bool", form: (value) => value };
    case "date":
      return { kind: "date", form: secondsOf };
    case "decimal":
    case "uint64":
      return { kind: "decimal", form: (value) => {
        const text = String(value);
        if (!/^-?[0-9]*\.?[0-9]*$/.test(text) || text.replace(/[-.]/g, "").length > 15) throw new Unsupported();
        return Number(text);
      } };
    case "json":
    case "data":
    case "url":
      throw new Unsupported();
  }
  return { kind: "number", form: (value) => {
    if (typeof value !== "number" && typeof value !== "bigint") throw new Unsupported();
    return value;
  } };
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

const isEqual = (one, other) => (
  one === null || other === null ? one === other : !Number.isNaN(one) && compare(one, other) === 0
);

/** Compares two values for their order: texts by code point, NaN behind all other numbers. */
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
 * Returns a function that reads the value of an expression, and notes what it reads.
 *
 * @param {any} tree
 * @param {Place} place
 * @returns {(scope: any) => any}
 */
export function valueOf(tree, place) {
  const { isMany, read } = operandOf(tree, place);
  return isMany ? unsupported() : read;
}

/** Returns a value as it is sorted; the service may see the beginning of long texts only. */
function sortKey(value, isLocalized) {
  if (typeof value !== "string") return value;
  if (value.length > 1024 || new TextEncoder().encode(value).length > 1024) throw new Unsupported("a text is too long");
  return isLocalized ? { key: localizedKey(value), text: value } : value;
}

/**
 * Returns a function that orders identifiers of rows, null first and the identifier last, and notes what it reads.
 *
 * @param {{ tree: any, descending: boolean, localized?: boolean }[]} keys as `explain` returns expressions
 * @param {Place} place
 * @returns {(scopeOf: (id: any) => any) => (one: any, other: any) => number}
 */
export function orderOf(keys, place) {
  const own = keys.map(({ tree, descending, localized }) => {
    const value = readerOf(operandOf(tree, { ...place, isOrder: true }), "", true);
    const read = (scope) => sortKey(value(scope), localized);
    const order = localized
      ? (one, other) => compare(one.key, other.key) || compare(one.text, other.text) : compare;
    const compareKeys = (one, other) => {
      const sign = one === null || other === null ? Number(one !== null) - Number(other !== null) : order(one, other);
      return descending ? -sign : sign;
    };
    return { read, compareKeys };
  });
  return (scopeOf) => {
    const known = new Map();
    const keysOf = (id) => {
      if (!known.has(id)) known.set(id, own.map(({ read }) => read(scopeOf(id))));
      return known.get(id);
    };
    return (one, other) => {
      const [a, b] = [keysOf(one), keysOf(other)];
      for (const [index, { compareKeys }] of own.entries()) {
        const sign = compareKeys(a[index], b[index]);
        if (sign !== 0) return sign;
      }
      return compare(one, other);
    };
  };
}
