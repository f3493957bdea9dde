/** The arithmetic of a window over very many rows. This file knows no elements. */

/** Browsers lay out no element that is much higher. */
export const HIGHEST = 8_000_000;

/**
 * Where the rows of a scrolled table are. Rows that are higher together than a browser allows share the scroll bar in
 * proportion; small steps are exact all the same.
 */
export class Scroller {
  /** @param {number} rowHeight */
  constructor(rowHeight) {
    this.rowHeight = rowHeight;
    this.total = 0;
    this.viewport = 0;
    /** How far the first row is above the viewport, in pixels of rows. */
    this.top = 0;
    /** The place of the scroll bar. */
    this.scroll = 0;
  }

  get height() {
    return Math.min(this.total * this.rowHeight, HIGHEST);
  }

  get bottom() {
    return Math.max(0, this.total * this.rowHeight - this.viewport);
  }

  get lastScroll() {
    return Math.max(0, this.height - this.viewport);
  }

  get isExact() {
    return this.total * this.rowHeight <= HIGHEST;
  }

  /** Sets how many rows there are, and how many pixels are seen of them. */
  resize(total, viewport) {
    this.total = total;
    this.viewport = viewport;
    this.top = Math.min(this.top, this.bottom);
  }

  /** Takes the scroll bar's new place. */
  scrolled(to) {
    const step = to - this.scroll;
    this.scroll = to;
    if (this.isExact) this.top = to;
    else if (to <= 0) this.top = 0;
    else if (to >= this.lastScroll) this.top = this.bottom;
    else if (Math.abs(step) <= 2 * this.viewport) this.top += step;
    else this.top = (to / this.lastScroll) * this.bottom;
    this.top = Math.max(0, Math.min(this.top, this.bottom));
  }

  /**
   * Moves so that a row is in sight.
   *
   * @param {number} row
   * @param {number} [header] pixels above the rows that hide them
   * @returns {number} the place that the scroll bar has to get
   */
  reveal(row) {
    const start = row * this.rowHeight;
    let top = this.top;
    if (start < top) top = start;
    else if (start + this.rowHeight > top + this.viewport) top = start + this.rowHeight - this.viewport;
    return this.goTo(top);
  }

  /** Moves to a distance from the first row; returns the place that the scroll bar has to get. */
  goTo(top) {
    this.top = Math.max(0, Math.min(top, this.bottom));
    this.scroll = this.isExact || this.bottom === 0 ? this.top : (this.top / this.bottom) * this.lastScroll;
    return this.scroll;
  }

  /** The rows in sight, and some around them: from the first one to before the last one. */
  range(around = 0) {
    const first = Math.max(0, Math.floor(this.top / this.rowHeight) - around);
    const last = Math.min(this.total, Math.ceil((this.top + this.viewport) / this.rowHeight) + around);
    return { first, last: Math.max(first, last) };
  }

  /** Where a row stands in the element that scrolls. */
  place(row) {
    return this.scroll + row * this.rowHeight - this.top;
  }
}

/** The pages that a range of rows needs. */
export function pagesOf(first, last, size) {
  const pages = [];
  for (let page = Math.floor(first / size); page * size < last; page++) pages.push(page);
  return pages;
}

/** The pages to forget so that at most so many are kept: those farthest from the ones in sight. */
export function surplus(kept, center, most) {
  if (kept.length <= most) return [];
  return [...kept].sort(
    (one, other) => Math.abs(other - center) - Math.abs(one - center)
  ).slice(0, kept.length - most);
}
