/** The schema as the views need it: columns of an entity with its inherited ones, paths, labels. */

/**
 * A column of a table: an attribute, a part of a composite, or a to-one relationship.
 *
 * @typedef {{
 *   path: string, name: string, type: string, kind: "attribute" | "reference" | "presence",
 *   attribute?: any, relationship?: any, destination?: string, collection?: string,
 *   isExternal?: boolean, isDerived?: boolean, isOptional: boolean, select: string[], holder: string,
 * }} Column
 */

import { pathText } from "./format.js";

/** The order of names, with numbers in them by their size. */
const NAMES = new Intl.Collator("en", { numeric: true });

export class Model {
  /** @param {{ schema: any, fingerprint: string, hashes: Record<string, string> }} answer of schema.get */
  constructor({ schema, fingerprint, hashes }) {
    this.schema = schema;
    this.fingerprint = fingerprint;
    this.hashes = hashes;
    this.version = schema.version;
    /** @type {Map<string, any>} */
    this.entities = new Map(schema.entities.map((entity) => [entity.name, entity]));
    this.columnsOf = new Map();
  }

  /** The entities by name, parents before their descendants. */
  get names() {
    const children = (parent) =>
      [...this.entities.values()]
        .filter((entity) => (entity.parent ?? undefined) === parent)
        .sort((one, other) => NAMES.compare(one.name, other.name))
        .flatMap(({ name }) => [name, ...children(name)]);
    return children(undefined);
  }

  has(name) {
    return this.entities.has(name);
  }

  /** The entity's ancestors, the first one the oldest, and itself. */
  lineage(name) {
    const line = [];
    for (let entity = this.entities.get(name); entity && line.length < 40; entity = this.entities.get(entity.parent)) {
      line.unshift(entity);
    }
    return line;
  }

  depth(name) {
    return this.lineage(name).length - 1;
  }

  /** The names of the entities that descend from one. */
  descendants(name) {
    return [...this.entities.keys()].filter(
      (one) => one !== name && this.lineage(one).some((up) => up.name === name)
    );
  }

  /** The entities whose rows an entity's rows may be. */
  concrete(name) {
    return [name, ...this.descendants(name)].filter((one) => !this.entities.get(one).abstract);
  }

  /**
   * The columns of an entity in the order of the service.
   *
   * @param {string} name
   * @returns {Column[]}
   */
  columns(name) {
    const known = this.columnsOf.get(name);
    if (known) return known;
    const line = this.lineage(name);
    const columns = [
      ...line.flatMap((entity) => (entity.attributes ?? []).flatMap((one) => this.#attribute(one, "", entity.name))),
      ...line.flatMap((entity) => (entity.relationships ?? []).filter((one) => !one.toMany).map((one) => {
        const label = this.label(one.destination);
        return {
          path: one.name, name: one.name, type: "reference", kind: "reference", relationship: one,
          destination: one.destination, label: label && `${one.name}.${label}`, isOptional: Boolean(one.optional),
          select: label ? [one.name, `${one.name}.${label}`] : [one.name], holder: entity.name,
        };
      })),
    ];
    this.columnsOf.set(name, columns);
    return columns;
  }

  #attribute(attribute, before, holder) {
    if (attribute.transient || attribute.ephemeral) return [];
    const path = before + attribute.name;
    if (attribute.type === "composite") {
      const parts = attribute.properties.flatMap((one) => this.#attribute(one, `${path}.`, holder));
      if (!attribute.optional) return parts;
      return [{
        path, name: path, type: "bool", kind: "presence", attribute, isOptional: false, select: [path], holder,
      }, ...parts];
    }
    const isExternal = Boolean(attribute.externalStorage);
    return [{
      path, name: path, type: attribute.type, kind: "attribute", attribute, collection: attribute.collection,
      isExternal, isDerived: Boolean(attribute.derived), isOptional: Boolean(attribute.optional),
      select: [isExternal ? `${path}.$length` : path], holder,
    }];
  }

  column(entity, path) {
    return this.columns(entity).find((column) => column.path === path);
  }

  /** The to-many relationships of an entity. */
  toMany(name) {
    return this.lineage(name).flatMap((entity) =>
      (entity.relationships ?? []).filter((one) => one.toMany).map((one) => ({ ...one, holder: entity.name })));
  }

  relationships(name) {
    return this.lineage(name).flatMap((entity) => entity.relationships ?? []);
  }

  /** The path by which people know a row: a unique text, a name or title, or any text. */
  label(name) {
    const texts = this.lineage(name).flatMap((entity) => entity.attributes ?? []).filter((one) =>
      one.type === "string" && !one.collection && !one.externalStorage && !one.transient && !one.ephemeral);
    const best = texts.find((one) => /^(name|title|label)$/i.test(one.name)) ?? texts.find((one) => one.unique) ??
      texts.find((one) => /name|title|label/i.test(one.name)) ?? texts[0];
    return best?.name;
  }

  /** The form of an entity's history: `values`, `names`, or `none`. */
  history(name) {
    return this.lineage(name).reduce((kept, entity) => entity.history ?? kept, "values");
  }

  /** Every path and relationship that a predicate of an entity may begin with. */
  words(name) {
    return [
      ...this.columns(name).map(({ path, type }) => ({ text: pathText(path), note: type })),
      ...this.toMany(name).map((one) => ({ text: pathText(one.name), note: `to ${one.destination}` })),
      { text: "$id", note: "identifier" }, { text: "$version", note: "version" },
    ];
  }
}

/** The paths to select for columns. A composite brings its parts along. */
export function selection(columns) {
  const composites = columns.filter(({ kind }) => kind === "presence").map(({ path }) => `${path}.`);
  const paths = columns.flatMap(({ select }) => select);
  return [...new Set(paths)].filter((path) => !composites.some((composite) => path.startsWith(composite)));
}

/** The rules of an attribute or relationship, as short texts. */
export function rulesOf(one) {
  const rules = [];
  const say = (condition, text) => condition && rules.push(text);
  say(one.optional, "optional");
  say(one.unique, "unique");
  say(one.indexed, "indexed");
  say(one.min !== undefined, `≥ ${one.min}`);
  say(one.max !== undefined, `≤ ${one.max}`);
  say(one.minLength !== undefined, `at least ${one.minLength} long`);
  say(one.maxLength !== undefined, `at most ${one.maxLength} long`);
  say(one.minCount, `at least ${one.minCount}`);
  say(one.maxCount, `at most ${one.maxCount}`);
  say(one.pattern, `like /${one.pattern}/`);
  say(one.cases, `one of ${(one.cases ?? []).join(", ")}`);
  say(one.collection, one.collection);
  say(one.ordered, "ordered");
  say(one.externalStorage, "stored outside the row");
  say(one.ephemeral, "ephemeral");
  say(one.transient, "transient");
  say(one.spotlight, "searchable");
  say(one.preserveValueOnDeletion, "kept on deletion");
  say(one.derived, `= ${one.derived}`);
  say(
    one.default !== undefined && one.default !== null,
    `default ${typeof one.default === "object" ? JSON.stringify(one.default) : one.default}`,
  );
  say(one.deleteRule && one.deleteRule !== "nullify", `on delete ${one.deleteRule}`);
  say(one.originalName, `was ${one.originalName}`);
  return rules;
}

/** Returns the completions of the word at a place of a predicate. */
export function completions(words, text, place, limit = 12) {
  const start = text.slice(0, place).match(/[\p{L}\p{N}_.$#@]*$/u)?.[0] ?? "";
  const before = text.slice(0, place - start.length).trimEnd();
  const isInText = (
    before.match(/(?<!\\)"/g) ?? []
  ).length % 2 === 1 || (before.match(/(?<!\\)'/g) ?? []).length % 2 === 1;
  if (isInText) return { start: place, options: [] };
  const isAfterPath = /[\p{L}\p{N}_\])]$/u.test(before)
    && !/\b(AND|OR|NOT|ANY|ALL|NONE|IN|LIKE|CONTAINS|BEGINSWITH|ENDSWITH|MATCHES|BETWEEN)$/i.test(before);
  const isComplete = /("|'|\d|\b(TRUE|FALSE|NIL|NULL))$/i.test(before);
  const operators = isComplete ? CONNECTIVES : isAfterPath ? OPERATORS : [];
  const candidates = isComplete || isAfterPath ? operators : [...words, ...BEGINNINGS];
  const wanted = start.toLowerCase();
  const options = candidates
    .filter(({ text: word }) => word.toLowerCase().startsWith(wanted) && word !== start)
    .slice(0, limit);
  return { start: place - start.length, options };
}

const OPERATORS = [
  ["==", "equal"], ["!=", "not equal"], ["<", "less"], [">", "greater"], ["<=", "at most"], [">=", "at least"],
  ["CONTAINS[cd]", "has the text"], ["BEGINSWITH[cd]", "begins with"], ["ENDSWITH[cd]", "ends with"],
  ["LIKE[cd]", "* and ?"], ["MATCHES", "regular expression"], ["IN", "one of {…}"], ["BETWEEN", "{low, high}"],
].map(([text, note]) => ({ text, note }));
const CONNECTIVES = [{ text: "AND", note: "" }, { text: "OR", note: "" }];
const BEGINNINGS = [
  { text: "NOT", note: "" }, { text: "ANY", note: "of a relationship" }, { text: "ALL", note: "" },
  { text: "NONE", note: "" }, { text: "SELF MATCHES TEXT", note: "full text" },
];
