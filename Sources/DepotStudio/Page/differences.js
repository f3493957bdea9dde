/** The differences between two schemas. This file knows no elements. */

/**
 * Returns the differences between two schemas, a sentence for each.
 *
 * @param {any} before
 * @param {any} after
 * @returns {{ kind: "added" | "removed" | "changed", text: string }[]}
 */
export function differences(before, after) {
  const found = [];
  const say = (kind, text) => found.push({ kind, text });
  if (before.version !== after.version) say(
    "changed", `version ${before.version ?? "none"} → ${after.version ?? "none"}`
  );
  const { pairs, gone } = successors(before.entities ?? [], after.entities ?? []);
  for (const { name } of gone) say("removed", `entity ${name}`);
  for (const [entity, known] of pairs) {
    const { name } = entity;
    if (!known) {
      say("added", `entity ${name}`);
      continue;
    }
    for (const list of ["attributes", "relationships"]) {
      const members = successors(known[list] ?? [], entity[list] ?? []);
      const noun = list.slice(0, -1);
      for (const one of members.gone) say("removed", `${noun} ${name}.${one.name}`);
      for (const [one, was] of members.pairs) {
        if (!was) say("added", `${noun} ${name}.${one.name}`);
        else for (const text of memberDifferences(was, one)) say("changed", `${name}.${one.name}: ${text}`);
      }
    }
    const rest = ({ attributes, relationships, ...others }) => others;
    for (const text of memberDifferences(rest(known), rest(entity))) say("changed", `${name}: ${text}`);
  }
  return found;
}

/**
 * Returns each item with the one that it was before, and those that are gone. A renamed item is known by its original
 * name, which programs keep in later versions.
 */
function successors(before, after) {
  const old = new Map(before.map((one) => [one.name, one]));
  const found = new Map();
  const claim = (nameOf) => {
    for (const one of after) {
      const name = nameOf(one);
      if (found.has(one) || !old.has(name)) continue;
      found.set(one, old.get(name));
      old.delete(name);
    }
  };
  claim((one) => (one.originalName && one.originalName === old.get(one.name)?.originalName ? one.name : undefined));
  claim((one) => one.originalName);
  claim((one) => one.name);
  return { pairs: after.map((one) => [one, found.get(one)]), gone: [...old.values()] };
}

function memberDifferences(before, after) {
  const text = (value) => (value === undefined ? "none" : typeof value === "string" ? value : JSON.stringify(value));
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].sort().filter((name) => name !== "originalName")
    .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    .filter((name) => !(isNothing(before[name]) && isNothing(after[name])))
    .map((name) => `${name} ${text(before[name])} → ${text(after[name])}`);
}

const isNothing = (value) => value === undefined || value === false || value === null || (
  Array.isArray(value) && value.length === 0
);
