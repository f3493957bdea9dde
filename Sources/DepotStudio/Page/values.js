/** Comparing and joining values. This file knows no elements. */

/** Whether two values are the same, lists and dates included. */
export function isSame(one, other) {
  if (Object.is(one, other)) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (one instanceof Date && other instanceof Date) {
    return one.getTime() === other.getTime() && one.referenceSeconds === other.referenceSeconds;
  }
  if (ArrayBuffer.isView(one) && ArrayBuffer.isView(other)) {
    return one.byteLength === other.byteLength && one.every((byte, index) => byte === other[index]);
  }
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && Array.isArray(one) === Array.isArray(other) &&
    names.every((name) => isSame(one[name], other[name]));
}

/**
 * Returns an edited text, whose line ends are all LF, with those of the text before wherever it is the same.
 * New lines end as most of the others do.
 */
export function withLineEnds(before, text) {
  if (!before.includes("\r")) return text;
  const sizeAt = (place) => (before[place] === "\r" && before[place + 1] === "\n" ? 2 : 1);
  const sign = (one) => (one === "\r" ? "\n" : one);
  let start = 0;
  let first = 0;
  while (start < before.length && first < text.length && sign(before[start]) === text[first]) {
    start += sizeAt(start);
    first++;
  }
  let end = before.length;
  let last = text.length;
  while (end > start && last > first && sign(before[end - 1]) === text[last - 1]) {
    end -= end - start > 1 ? sizeAt(end - 2) : 1;
    last--;
  }
  const added = text.slice(first, last).replaceAll("\n", lineEnd(before));
  return joined(joined(before.slice(0, start), added), before.slice(end));
}

/** The most frequent line end of a text. */
function lineEnd(text) {
  const counts = new Map();
  for (const [end] of text.matchAll(/\r\n|\r|\n/g)) counts.set(end, (counts.get(end) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one)[0][0];
}

/** Joins texts so that CR before LF stays a line end of its own. */
const joined = (one, other) => (one.endsWith("\r") && other.startsWith("\n") ? `${one}\n${other}` : one + other);
