/** Comparing values. This file knows no elements. */

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
