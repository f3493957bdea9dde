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
  const old = new Map((before.entities ?? []).map((entity) => [entity.name, entity]));
  const fresh = new Map((after.entities ?? []).map((entity) => [entity.name, entity]));
  for (const name of old.keys()) if (!fresh.has(name)) say("removed", `entity ${name}`);
  for (const [name, entity] of fresh) {
    const known = old.get(name);
    if (!known) {
      say("added", `entity ${name}`);
      continue;
    }
    for (const list of ["attributes", "relationships"]) {
      const was = new Map((known[list] ?? []).map((one) => [one.name, one]));
      const is = new Map((entity[list] ?? []).map((one) => [one.name, one]));
      const noun = list.slice(0, -1);
      for (const one of was.keys()) if (!is.has(one)) say("removed", `${noun} ${name}.${one}`);
      for (const [one, member] of is) {
        if (!was.has(one)) say("added", `${noun} ${name}.${one}`);
        else for (const text of memberDifferences(was.get(one), member)) say("changed", `${name}.${one}: ${text}`);
      }
    }
    const rest = ({ attributes, relationships, ...others }) => others;
    for (const text of memberDifferences(rest(known), rest(entity))) say("changed", `${name}: ${text}`);
  }
  return found;
}

function memberDifferences(before, after) {
  const text = (value) => (value === undefined ? "none" : typeof value === "string" ? value : JSON.stringify(value));
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
    .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    .filter((name) => !(isNothing(before[name]) && isNothing(after[name])))
    .map((name) => `${name} ${text(before[name])} → ${text(after[name])}`);
}

const isNothing = (value) => value === undefined || value === false || value === null || (
  Array.isArray(value) && value.length === 0
);
