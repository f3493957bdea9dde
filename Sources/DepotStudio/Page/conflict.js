/** Conflicts of a save, and the edit that is left after each property has a choice. This file knows no elements. */

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
 * Returns the edit that is left: the values chosen as mine, on the version that the store has now.
 *
 * @param {any} edit with `values`, `base`, `version`
 * @param {any} conflict
 * @param {{ path: string, choice?: string }[]} choices
 */
export function resolved(edit, conflict, choices) {
  const theirs = new Set(choices.filter(({ choice }) => choice !== "mine").map(({ path }) => path));
  const values = Object.fromEntries(Object.entries(edit.values).filter(([path]) => !theirs.has(path)));
  return { ...edit, version: conflict.storeVersion, values, base: undefined };
}

function sameJSON(one, other) {
  const text = (value) => JSON.stringify(value, (_, part) => (typeof part === "bigint" ? `${part}n` : part));
  return text(one) === text(other);
}
