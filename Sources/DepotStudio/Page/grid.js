/** A table of very many rows. Only the rows in sight are elements. The keyboard works as in the ARIA grid pattern. */

import { h, replace } from "./dom.js";
import { Scroller } from "./window.js";

const ROW = 30;
const AROUND = 6;

/**
 * `source` has `total`, `row(place)` (undefined while it isn't known), and may have `need(first, last)`.
 * `columns` have `key`, `title`, `width`, `isNumeric`, `sort` (`ascending`, `descending`, or nothing), `hint`.
 */
export class StudioGrid extends HTMLElement {
  columns = [];
  source = { total: 0, row: () => undefined };
  /** Fills a cell; is replaced by who uses the grid. */
  cell = (element, row, column) => element.append(String(row[column.key] ?? ""));
  /** Gives a row's element classes. */
  rowClass = () => "";
  active = { row: 0, column: 0 };
  selected = undefined;
  #scroller = new Scroller(ROW);
  #elements = new Map();
  #frame = 0;
  #id = `grid${StudioGrid.count++}`;
  static count = 0;

  connectedCallback() {
    this.#build();
    this.observer ??= new ResizeObserver(() => this.update());
    this.observer.observe(this);
  }

  #build() {
    if (this.head) return;
    this.setAttribute("role", "grid");
    this.tabIndex = 0;
    this.head = h("div", { class: "head", role: "row", "aria-rowindex": 1 });
    this.body = h("div", { class: "body", role: "rowgroup" });
    this.append(h("div", { class: "headgroup", role: "rowgroup" }, this.head), this.body);
    this.addEventListener("scroll", () => {
      if (this.scrollTop !== this.#scroller.scroll) this.#scroller.scrolled(this.scrollTop);
      this.render();
    }, { passive: true });
    this.addEventListener("keydown", (event) => this.#key(event));
    this.addEventListener("mousedown", (event) => this.#press(event));
    this.addEventListener("contextmenu", (event) => {
      // By the keyboard it is about the active cell, else about the one below the pointer.
      const isByKey = event.target === this;
      const place = isByKey ? { ...this.active } : this.#placeOf(event);
      if (!place || place.row < 0) return;
      event.preventDefault();
      this.active = place;
      this.#mark();
      const box = this.elementAt(place.row, place.column)?.getBoundingClientRect();
      this.#tell(
        "menu",
        {
          ...place, x: isByKey && box ? box.left + 8 : event.clientX, y: isByKey && box ? box.bottom : event.clientY
        },
      );
    });
    this.addEventListener("dblclick", (event) => {
      const place = this.#placeOf(event);
      if (place && place.row >= 0) this.#tell("edit", place);
    });
  }

  disconnectedCallback() {
    this.observer?.disconnect();
  }

  /** Takes other columns. */
  setColumns(columns) {
    this.#build();
    this.columns = columns;
    this.style.setProperty("--columns", columns.map(({ width }) => `minmax(${width}px, ${width}fr)`).join(" "));
    this.style.setProperty("--width", `${columns.reduce((sum, { width }) => sum + width, 0)}px`);
    this.setAttribute("aria-colcount", String(columns.length));
    this.#clear();
    this.#renderHead();
    this.active.column = Math.min(this.active.column, Math.max(0, columns.length - 1));
    this.update();
  }

  #renderHead() {
    replace(this.head, this.columns.map((column, index) =>
      h("div", {
        role: "columnheader", "aria-colindex": index + 1, id: `${this.#id}-h-${index}`, title: column.hint,
        class: column.isNumeric ? "number" : "",
        "aria-sort": column.canSort === false ? undefined : column.sort ?? "none",
      }, h("span", {}, column.title), column.sort && h("span", { class: "arrow", "aria-hidden": "true" },
        column.sort === "ascending" ? "↑" : "↓"))));
  }

  #clear() {
    for (const element of this.#elements.values()) element.remove();
    this.#elements.clear();
  }

  /** Takes another number of rows, or another size. */
  update() {
    if (!this.isConnected || !this.head) return;
    const { total } = this.source;
    this.setAttribute("aria-rowcount", String(total + 1));
    this.#scroller.resize(total, Math.max(0, this.clientHeight - this.head.offsetHeight));
    this.body.style.height = `${this.#scroller.height}px`;
    if (this.active.row >= total) this.active.row = Math.max(0, total - 1);
    this.render();
  }

  /** Shows all rows in sight, in the next frame. */
  render() {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.renderNow();
    });
  }

  /** Shows all rows again. */
  renderAll() {
    for (const element of this.#elements.values()) element.known = undefined;
    this.render();
  }

  /** Shows a row again. */
  renderRow(place) {
    const element = this.#elements.get(place);
    if (!element) return;
    element.known = undefined;
    this.render();
  }

  get range() {
    return this.#scroller.range();
  }

  /** The row at the top, and how much of it is hidden. */
  get anchor() {
    const { first } = this.#scroller.range();
    return { row: first, hidden: this.#scroller.top - first * ROW };
  }

  goTo(row, hidden = 0) {
    this.scrollTop = this.#scroller.goTo(row * ROW + hidden);
    this.render();
  }

  /** Shows all rows in sight, at once. */
  renderNow() {
    const { first, last } = this.#scroller.range(AROUND);
    // Also the rows around those in sight are elements, and have to be as new.
    this.source.need?.(first, last);
    for (const [place, element] of this.#elements) {
      if (place >= first && place < last) continue;
      element.remove();
      this.#elements.delete(place);
    }
    for (let place = first; place < last; place++) {
      let element = this.#elements.get(place);
      if (!element) {
        element = h("div", { role: "row", "aria-rowindex": place + 2 });
        this.#elements.set(place, element);
        this.body.append(element);
      }
      const top = this.#scroller.place(place);
      if (element.top !== top) element.style.transform = `translateY(${(element.top = top)}px)`;
      const row = this.source.row(place);
      if (element.known === row && row !== undefined) continue;
      element.known = row;
      this.#fill(element, row, place);
    }
    this.#mark();
  }

  #fill(element, row, place) {
    element.className = row === undefined ? "loading" : this.rowClass(row) ?? "";
    const isSelected = row !== undefined && this.selected !== undefined && row.$id === this.selected;
    element.setAttribute("aria-selected", String(isSelected));
    replace(element, this.columns.map((column, index) => {
      const cell = h("div", {
        role: "gridcell", "aria-colindex": index + 1, id: `${this.#id}-${place}-${index}`,
        class: column.isNumeric ? "number" : "",
      });
      cell.style.gridColumn = String(index + 1);
      if (row !== undefined) this.cell(cell, row, column, place);
      return cell;
    }));
    if (row !== undefined) this.decorate?.(element, row);
  }

  /** Marks the active cell. */
  #mark() {
    this.querySelector(".active")?.classList.remove("active");
    const { row, column } = this.active;
    const element = row < 0 ? this.head.children[column] : this.#elements.get(row)?.children[column];
    element?.classList.add("active");
    if (element) this.setAttribute("aria-activedescendant", element.id);
    else this.removeAttribute("aria-activedescendant");
  }

  /** The element of a cell, if it is in sight. */
  elementAt(place, column) {
    return this.#elements.get(place)?.children[column];
  }

  select(id) {
    if (this.selected === id) return;
    this.selected = id;
    this.renderAll();
  }

  #placeOf(event) {
    const cell = event.target.closest?.('[role="gridcell"], [role="columnheader"]');
    if (!cell) return undefined;
    const column = Number(cell.getAttribute("aria-colindex")) - 1;
    return { row: Number(cell.parentNode.getAttribute("aria-rowindex")) - 2, column: Math.max(0, column) };
  }

  #press(event) {
    const place = this.#placeOf(event);
    if (!place || event.button !== 0 || event.target.closest("a, button, input")) return;
    this.active = place;
    if (place.row < 0) this.#tell("sort", { ...place, isAdded: event.shiftKey });
    else this.#tell("choose", place);
    this.render();
  }

  move(row, column) {
    this.active = {
      row: Math.max(-1, Math.min(row, this.source.total - 1)),
      column: Math.max(0, Math.min(column, this.columns.length - 1)),
    };
    if (this.active.row >= 0) {
      const place = this.#scroller.reveal(this.active.row);
      if (place !== this.scrollTop) this.scrollTop = place;
    }
    this.renderNow();
    this.querySelector(".active")?.scrollIntoView({ block: "nearest", inline: "nearest" });
    this.#tell("choose", { ...this.active, isByKey: true });
  }

  #key(event) {
    if (event.target !== this) return;
    const { row, column } = this.active;
    const page = Math.max(1, Math.floor(this.#scroller.viewport / ROW) - 1);
    const isFar = event.ctrlKey || event.metaKey;
    if (event.altKey || (isFar && !["Home", "End"].includes(event.key))) return;
    const steps = {
      ArrowDown: [row + 1, column], ArrowUp: [row - 1, column], ArrowRight: [row, column + 1],
      ArrowLeft: [row, column - 1], PageDown: [row + page, column], PageUp: [Math.max(0, row - page), column],
      Home: [isFar ? 0 : row, 0], End: [isFar ? this.source.total - 1 : row, this.columns.length - 1],
    };
    const step = steps[event.key];
    if (step) {
      event.preventDefault();
      this.move(step[0], step[1]);
      return;
    }
    const detail = { row, column };
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      if (row < 0) this.#tell("sort", { ...detail, isAdded: event.shiftKey });
      else this.#tell(event.key === "Enter" ? "open" : "choose", detail);
    } else if (event.key === "F2") {
      event.preventDefault();
      if (row >= 0) this.#tell("edit", detail);
    } else {
      this.#tell("key", { ...detail, key: event.key, event });
    }
  }

  #tell(name, detail) {
    this.dispatchEvent(new CustomEvent(`grid-${name}`, { detail }));
  }
}

customElements.define("studio-grid", StudioGrid);
