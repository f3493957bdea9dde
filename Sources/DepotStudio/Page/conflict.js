/** Conflicts of a save, and the edit that is left after each property has a choice. This file knows no elements. */

import { JSONText } from "/client/browser.js";

import { isLength } from "./format.js";

/**
 * Returns the properties of a conflict with their values before, in the store, and in the page.
 *
 * @param {any} conflict in the form of the service
 * @returns {{
 *   path: string, base: any, theirs: any, mine: any, isBoth: boolean, isMine: boolean, who: any,
 *   choice: "theirs" | "mine" | undefined,
 * }[]}
 */
export function choicesOf(conflict) {
  const { base = {}, store = {}, client = {}, properties = [], changedBy = {} } = conflict;
  const both = new Set(properties);
  const known = (values, path) => (values && Object.hasOwn(values, path) ? values[path] : undefined);
  return [...new Set([...properties, ...Object.keys(client ?? {}), ...Object.keys(store ?? {})])].map((path) => {
    const isMine = Object.hasOwn(client ?? {}, path);
    return {
      path, base: known(base, path), theirs: known(store, path), mine: isMine ? client[path] : undefined,
      isBoth: both.has(path), isMine, who: known(changedBy, path),
      choice: isMine && !both.has(path) ? "mine" : isMine ? undefined : "theirs",
    };
  }).filter((one) => one.isMine || !sameJSON(one.base, one.theirs));
}

/** Whether everything that both sides changed was chosen. */
export const isDecided = (choices) => choices.every(({ choice }) => choice !== undefined);

/**
 * Returns the edit that is left: the values chosen as mine, on the version and the values that the store has now.
 *
 * @param {any} edit with `values`, `base`, `version`, `row`
 * @param {any} conflict
 * @param {{ path: string, choice?: string }[]} choices
 */
export function resolved(edit, conflict, choices) {
  const { store, storeVersion: version } = conflict;
  const theirs = new Set(choices.filter(({ choice }) => choice !== "mine").map(({ path }) => path));
  const values = Object.fromEntries(Object.entries(edit.values).filter(([path]) => !theirs.has(path)));
  const base = Object.fromEntries(Object.entries(store ?? {}).filter(([path]) => Object.hasOwn(values, path)));
  return { ...edit, version, values, base, row: { ...edit.row, ...store }, isAgain: false };
}

/** Gives edits, by their names, the answers about their conflicts. */
export function settle(rows, answers) {
  for (const { conflict, choices, whole } of answers) {
    const name = `${conflict.entity}/${conflict.id}`;
    const edit = rows.get(name);
    if (!edit) continue;
    if (whole === "theirs") rows.delete(name);
    else if (conflict.kind === "updateOfDeleted") rows.set(name, { ...edit, isAgain: true });
    else if (conflict.kind === "deleteOfUpdated") rows.set(name, { ...edit, version: conflict.storeVersion });
    else {
      const left = resolved(edit, conflict, choices);
      if (Object.keys(left.values).length === 0) rows.delete(name);
      else rows.set(name, left);
    }
  }
}

/**
 * Returns the values with which a deleted row is made again, and the names of those that the page hasn't read.
 *
 * @param {any} edit
 * @param {import("./schema.js").Model} model
 * @returns {{ base: Record<string, any>, unknown: string[] }}
 */
export function madeAgain({ entity, row = {}, values }, model) {
  const base = Object.create(null);
  const unknown = [];
  for (const column of model.columns(entity)) {
    const { path, type, isExternal, isDerived } = column;
    const value = isExternal && row[`${path}.$length`] === null ? null : row[path];
    // The JSON of a conflict may have lost digits.
    const isKnown = value === null || value instanceof JSONText || type !== "json";
    if (value !== undefined && isKnown && !isLength(value, column)) base[path] = value;
    else if (!isDerived && !Object.hasOwn(values, path)) unknown.push(path);
  }
  // Others' rows no longer lead to it.
  unknown.push(...model.toMany(entity).map(({ name }) => name).filter((name) => !Object.hasOwn(values, name)));
  return { base, unknown };
}

function sameJSON(one, other) {
  const text = (value) => JSON.stringify(value, (_, part) => (typeof part === "bigint" ? `${part}n` : part));
  return text(one) === text(other);
}
