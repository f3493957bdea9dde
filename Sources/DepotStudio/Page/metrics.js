/** The service's counters as rates and percentiles. This file knows no elements. */

/** The difference of two lists of counters. */
export const since = (before, after) => after.map((count, index) => count - (before?.[index] ?? 0));

/**
 * Returns an upper bound of a percentile in microseconds, of counts whose places are powers of a base.
 *
 * @param {number[]} counts how many took less than `base` to the power of the place
 */
export function percentile(counts, base, part) {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return undefined;
  let left = total * part;
  for (let place = 0; place < counts.length; place++) {
    if (counts[place] === 0) continue;
    if (left <= counts[place]) {
      // Between the bounds, in proportion.
      const low = place === 0 ? 0 : base ** (place - 1);
      return low + (base ** place - low) * Math.max(0.01, left / counts[place]);
    }
    left -= counts[place];
  }
  return base ** (counts.length - 1);
}

/** The sum of the histograms of all calls. */
export function allCalls(calls) {
  const sums = [];
  for (const { microseconds } of Object.values(calls ?? {})) (microseconds ?? []).forEach(
    (count, place) => (sums[place] = (sums[place] ?? 0) + count)
  );
  return sums;
}

/** All stores in an answer of `stats`, each with its counters and readers, and a name beside those of others. */
export function storesOf({ store, readers, containers = [] }) {
  return [
    { container: "default", name: "default", store, readers },
    ...containers.flatMap(({ name: container, stores }) => stores.map(({ name, ...one }) => (
      { ...one, container, name: stores.length > 1 ? `${container}/${name}` : container }
    ))),
  ].filter((one) => one.store);
}

/** The sum of counters, also of those in lists and in members; texts are those of the first. */
export function sumOf(one, other) {
  if (typeof one === "number" && typeof other === "number") return one + other;
  if (Array.isArray(one) && Array.isArray(other)) return one.map((value, place) => sumOf(value, other[place]));
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return one ?? other;
  return Object.fromEntries(
    [...new Set([...Object.keys(one), ...Object.keys(other)])].map((name) => [name, sumOf(one[name], other[name])])
  );
}

/** An answer of `stats` in which `store` and `readers` are the sums of a container's stores. */
export function statsOf(stats, container) {
  const own = storesOf(stats).filter((one) => one.container === container);
  if (own.length === 0) return stats;
  const [store, readers] = ["store", "readers"].map((part) => own.map((one) => one[part]).reduce(sumOf));
  return { ...stats, store, readers };
}

/**
 * Returns the figures of the plots for the time between two answers of `stats`.
 *
 * @param {{ at: number, stats: any } | undefined} before
 * @param {{ at: number, stats: any }} after
 */
export function sample(before, after) {
  const { store, calls, memory, connections } = after.stats;
  const seconds = before ? Math.max(0.001, (after.at - before.at) / 1000) : 1;
  const isSame = before && before.stats.server?.instance === after.stats.server?.instance;
  const rate = (now, then) => (isSame ? (now - then) / seconds : 0);
  const commits = isSame ? since(before.stats.store.commitMicroseconds, store.commitMicroseconds) : [];
  const all = isSame ? since(allCalls(before.stats.calls), allCalls(calls)) : [];
  const rows = ({ rowsInserted = 0, rowsUpdated = 0, rowsDeleted = 0 }) => rowsInserted + rowsUpdated + rowsDeleted;
  return {
    commits: rate(store.commits, before?.stats.store.commits ?? 0),
    rows: rate(rows(store), rows(before?.stats.store ?? {})),
    calls: all.reduce((sum, count) => sum + count, 0) / seconds,
    commit50: percentile(commits, 2, 0.5), commit99: percentile(commits, 2, 0.99),
    call50: percentile(all, 4, 0.5), call99: percentile(all, 4, 0.99),
    log: store.walBytes, memory: memory.residentBytes, connections: connections.current,
  };
}

/**
 * Returns the points of a line through values that may be missing, within a width and height.
 *
 * @param {(number | undefined)[]} values
 * @returns {string} the path of a drawing
 */
export function linePath(values, width, height, most) {
  let path = "";
  let isOpen = false;
  values.forEach((value, index) => {
    if (value === undefined) {
      isOpen = false;
      return;
    }
    const x = values.length < 2 ? width : (index / (values.length - 1)) * width;
    const y = height - (most > 0 ? Math.min(1, value / most) : 0) * height;
    path += `${isOpen ? "L" : "M"}${x.toFixed(1)},${y.toFixed(1)}`;
    isOpen = true;
  });
  return path;
}
