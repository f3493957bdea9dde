/** The table of an entity: rows change in place as programs save, and stay where they are. */

import { JSONText } from "/client/browser.js";

import { isPath, withMembers } from "./address.js";
import { fillCell, fittingWidth, valueOf, widthOf } from "./cells.js";
import { calmly, errorBox, h, replace } from "./dom.js";
import { conditionText, countText, cut, isNumeric, momentText, plainText, plural, whoText } from "./format.js";
import "./grid.js";
import "./predicate.js";
import { FADE, TableRows } from "./rows.js";
import { selection } from "./schema.js";
import { session } from "./session.js";

export class TableView {
  /**
   * @param {Record<string, any>} address
   * @param {{ go: (members: Record<string, any>, isReplaced?: boolean) => void, say: (text: string) => void }} page
   */
  constructor(address, page) {
    this.page = page;
    this.entity = address.entity;
    this.title = address.entity;
    this.all = session.model.columns(this.entity);
    this.grid = h("studio-grid", { "aria-label": `Rows of ${this.entity}` });
    this.filter = h(
      "predicate-field", { label: "Filter", hint: 'Filter, as in name BEGINSWITH "a"', text: address.where ?? "" }
    );
    this.filter.applied = address.where ?? "";
    this.filter.words = session.model.words(this.entity);
    this.count = h("span", { class: "count", "aria-live": "off" });
    this.news = h("button", { class: "news", hidden: true, onclick: () => this.refresh() });
    this.problem = h("div");
    this.menu = h("details", { class: "menu" });
    this.past = h("div", { class: "past-bar", hidden: true });
    const can = session.canWrite && !session.model.entities.get(this.entity).abstract;
    this.element = h("section", { class: "view table-view", "aria-label": this.entity },
      h("header", { class: "bar" },
        h("h1", {}, this.entity), this.count, this.news, h("span", { class: "space" }), this.filter,
        h("div", { class: "tools" },
          this.menu,
          h("button", { class: "quiet", title: "The table as of a moment before",
            "aria-pressed": String(Boolean(address.at)),
            onclick: () => this.page.go({ at: this.address.at ? undefined : "now" }) }, "Past"),
          h(
            "a",
            {
              class: "button quiet",
              href: withMembers({ view: "query", entity: this.entity }, { where: address.where }),
            },
            "Query",
          ),
          can && h("button", { class: "quiet", onclick: () => this.#insert() }, "New row"))),
      this.past, this.problem, this.grid);
    this.queryLink = this.element.querySelector("a.button");
    this.pastButton = this.element.querySelector("[aria-pressed]");
    this.grid.cell = (element, row, column, place) => this.#cell(element, row, column, place);
    this.grid.rowClass = (row) => this.#rowClass(row);
    this.grid.decorate = (element, row) => this.#decorate(element, row);
    this.grid.addEventListener("grid-sort", ({ detail }) => this.#sort(detail));
    this.grid.addEventListener("grid-choose", ({ detail }) => this.#choose(detail));
    this.grid.addEventListener("grid-open", ({ detail }) => this.#open(detail));
    this.grid.addEventListener("grid-edit", ({ detail }) => void this.#edit(detail));
    this.grid.addEventListener("copy", (event) => this.#copy(event));
    this.grid.addEventListener("grid-menu", ({ detail }) => void this.#cellMenu(detail));
    this.grid.addEventListener("grid-key", ({ detail }) => this.#key(detail));
    this.filter.addEventListener("predicate", ({ detail }) => this.page.go({ where: detail || undefined }));
    this.announce = calmly(700, (text) => this.page.say(text));
    this.show = calmly(40, () => this.#show());
    this.update(address);
  }

  get name() {
    return `table/${this.entity}`;
  }

  close() {
    this.rows?.close();
    this.travel?.close();
    clearInterval(this.timer);
  }

  /** Takes another address of the same entity. */
  update(address) {
    const before = this.address;
    this.address = address;
    const chosen = address.columns.map((path) => this.all.find((column) => column.path === path)).filter(Boolean);
    this.columns = chosen.length ? chosen : this.all;
    const key = (it) => it && JSON.stringify([it.where, it.sort, it.columns]);
    const isOther = key(before) !== key(address);
    if (isOther) {
      this.#open_(address);
    } else if (before.beside?.id !== address.beside?.id) {
      this.grid.renderAll();
    }
    if (this.filter.applied !== (address.where ?? "")) this.filter.value = address.where ?? "";
    this.queryLink.href = withMembers({ view: "query", entity: this.entity }, { where: address.where });
    this.pastButton.setAttribute("aria-pressed", String(Boolean(address.at)));
    this.grid.select(
      address.beside?.entity === this.entity || this.#isFamily(address.beside?.entity) ? address.beside?.id
        : undefined
    );
    if (before?.at !== address.at || (isOther && address.at)) void this.#travelTo(address.at);
  }

  #isFamily(entity) {
    return entity !== undefined && session.model.descendants(this.entity).includes(entity);
  }

  #open_(address) {
    this.rows?.close();
    const hasFamily = session.model.descendants(this.entity).length > 0;
    const select = [...(hasFamily ? ["$entity"] : []), ...selection(this.columns)];
    const known = new Map(this.all.map((column) => [column.path, column]));
    const sort = address.sort.map(({ path, descending }) => {
      if (!isPath(path)) return { key: path, descending };
      const column = known.get(path);
      const attribute = column?.label ?? path;
      return { attribute, descending, localized: isLocalized(column) || undefined };
    });
    const query = {
      entity: this.entity, where: address.where, sort, select,
      sortPaths: sort.map((key) => key.attribute).filter(Boolean)
    };
    // In another order there are as many, so that the end can be reached at once.
    const former = this.rows?.query;
    const isSame = former?.entity === query.entity && former.where === query.where;
    this.rows = new TableRows(query, isSame ? this.rows.present ?? this.rows.total : 0);
    this.grid.source = this.rows;
    this.grid.active = { row: 0, column: 0 };
    this.grid.setColumns([
      {
        key: "$id", path: "$id", title: "id", width: 92 + (hasFamily ? 30 : 0), isNumeric: !hasFamily, type: "int64",
        kind: "id", hint: "The identifier", sort: sorted(address, "$id"), hasFamily,
      },
      ...this.columns.map((column) => ({
        ...column, key: column.path, title: column.name, width: widthOf(column), isNumeric: isNumeric(column),
        hint: `${column.name}: ${column.destination ?? column.type}${column.type === "date" ? " (UTC)" : ""}`,
        sort: sorted(address, column.path),
      })),
    ]);
    delete this.grid.dataset.live;
    this.grid.goTo(0);
    let isFirst = true;
    const { rows } = this;
    rows.addEventListener("change", () => {
      // The first rows don't wait. Later changes are shown together.
      if (!isFirst || rows.row(0) === undefined) return this.show();
      isFirst = false;
      const shown = Array.from({ length: 100 }, (_, place) => rows.row(place)).filter(Boolean);
      this.grid.setColumns(this.grid.columns.map((one) => ({ ...one, width: fittingWidth(one, shown) })));
      this.#show();
      this.grid.renderNow();
    });
    this.rows.addEventListener("rows", () => this.grid.render());
    this.rows.addEventListener("row", ({ detail }) => this.#changed(detail));
    this.rows.addEventListener("following", () => (this.grid.dataset.live = ""));
    this.rows.addEventListener("who", ({ detail }) => this.grid.renderRow(detail.place));
    this.rows.need(0, 1);
    this.#menu();
    this.#show();
  }

  #show() {
    const { rows } = this;
    const { error } = rows;
    const isPredicate = error && this.address.where && /^(request|schema|limit\.predicate)/.test(error.code);
    this.filter.showError(isPredicate ? error : undefined);
    replace(this.problem, error && !isPredicate ? errorBox(error) : undefined);
    if (!this.travel) replace(this.count, rows.isKnown && !error ? plural(rows.present ?? rows.total, "row") : "");
    this.grid.setAttribute("aria-busy", String(!rows.isKnown && !error));
    const { difference, isMoved, gone } = rows.pending;
    const said = [];
    const more = difference + gone;
    if (more > 0) said.push(`${countText(more)} more`);
    else if (more < 0) said.push(`${countText(-more)} fewer`);
    if (gone > 0) said.push(`${countText(gone)} deleted`);
    if (isMoved && said.length === 0) said.push("order may have changed");
    this.news.hidden = said.length === 0 || Boolean(this.address.at);
    if (said.length) {
      replace(this.news, `${said.join(", ")} · show`);
      this.news.title = "Reads the order anew (R)";
      if (more > 0) this.announce(`${said.join(", ")} rows`);
    }
    if (!this.travel) this.grid.update();
  }

  /** Reads the order anew, and keeps the row at the top in its place. */
  async refresh() {
    const { row, hidden } = this.grid.anchor;
    const anchor = this.rows.row(row)?.$id;
    try {
      const place = await this.rows.refresh(anchor, this.grid.range);
      this.grid.update();
      if (place !== undefined) this.grid.goTo(place, hidden);
      this.grid.renderAll();
    } catch (error) {
      replace(this.problem, errorBox(error));
    }
  }

  #changed({ place, change, event }) {
    this.grid.renderRow(place);
    this.timer ??= setInterval(() => {
      if (document.visibilityState === "visible") this.#fade();
    }, 1000);
    const who = event.author ? ` by ${event.author}` : "";
    const properties = change.kind === "removed" ? "deleted" : (change.properties ?? ["changed"]).join(", ");
    this.announce(`${this.entity} ${change.id}: ${properties}${who}`);
  }

  #fade() {
    const end = Date.now() - FADE;
    for (const [id, marks] of this.rows.marks) {
      if ([...marks.values()].some(({ at }) => at > end)) continue;
      this.rows.marks.delete(id);
      const place = this.rows.placeOf(id);
      if (place !== undefined) this.grid.renderRow(place);
    }
  }

  #rowClass(row) {
    return [
      this.rows.gone.has(row.$id) && !this.travel ? "gone" : "",
      this.travel?.isChanged(row.$id) ? "was" : "",
    ].filter(Boolean).join(" ");
  }

  #decorate(element, row) {
    if (this.travel) return;
    const gone = this.rows.gone.get(row.$id);
    if (!gone) return;
    element.append(h("span", { class: "who-holder" }, h("span", { class: "who" }, `deleted by ${whoText(gone)}`)));
  }

  #cell(element, row, column, place) {
    if (column.kind === "id") {
      const entity = row.$entity ?? this.entity;
      element.append(h("a", {
        href: withMembers(this.address, { beside: { entity, id: row.$id } }), class: "row-link id", tabindex: -1,
        title: `Open ${entity}/${row.$id}`,
      }, column.hasFamily && row.$entity !== this.entity ? `${row.$entity} ${row.$id}` : String(row.$id)));
      return;
    }
    const draft = session.edits?.value(row.$entity ?? this.entity, row.$id, column.path);
    fillCell(
      element, draft ? { ...row, [column.path]: draft.value, [column.label]: undefined } : row, column, this.address
    );
    if (draft) element.classList.add("draft");
    if (this.travel) {
      if (this.travel.isChanged(row.$id, column.path)) element.classList.add("was");
      return;
    }
    const marks = this.rows.marks.get(row.$id);
    const markOf = (one) => (one.select ?? []).map((path) => marks?.get(path)).find(Boolean);
    const mark = marks && markOf(column);
    if (!mark || Date.now() - mark.at > FADE) return;
    // The first changed cell of a row says who did it; an attribute is no part of the cell's text.
    if (column === this.grid.columns.find((one) => markOf(one)?.token === mark.token)) {
      element.dataset.who = whoText(mark);
    }
    element.classList.add("changed");
    element.style.animationDelay = `${mark.at - Date.now()}ms`;
    element.title = `Changed by ${whoText(mark)} at ${momentText(mark.at)}`;
  }

  #sort({ column, isAdded }) {
    const { path } = this.grid.columns[column];
    const { collection, type, isExternal, kind } = this.grid.columns[column];
    if (collection || type === "json" || isExternal) return this.page.say(`${path} has no order`);
    if (kind === "id") return this.page.go(
      { sort: sorted(this.address, "$id") === "ascending" ? [{ path: "$id", descending: true }] : [] }
    );
    const known = this.address.sort.find((key) => key.path === path);
    const others = isAdded ? this.address.sort.filter((key) => key.path !== path) : [];
    const next = !known ? [{ path, descending: false }] : known.descending ? [] : [{ path, descending: true }];
    this.page.go({ sort: [...others, ...next] });
  }

  #choose({ row, isByKey }) {
    if (isByKey || row < 0 || !this.address.beside) return;
    const chosen = this.#source.row(row);
    if (chosen) this.page.go({ beside: { entity: chosen.$entity ?? this.entity, id: chosen.$id } }, true);
  }

  get #source() {
    return this.grid.source;
  }

  #open({ row, column }) {
    const found = this.#source.row(row);
    if (!found) return;
    const { kind, path, destination } = this.grid.columns[column];
    const isLink = kind === "reference" && found[path] !== null && found[path] !== undefined;
    this.page.go(
      {
        beside: isLink ? { entity: destination, id: found[path] } : {
          entity: found.$entity ?? this.entity, id: found.$id
        }
      }
    );
  }

  #key({ row, column, key, event }) {
    const found = this.#source.row(row);
    if (key === "f" && found) {
      const it = this.grid.columns[column];
      event.preventDefault();
      this.#filterBy(it, found);
    } else if (key === "r") {
      void this.refresh();
    } else if (key === "Delete" && found && session.canWrite && !this.travel) {
      void this.#delete(found);
    }
  }

  /** Returns a condition about the value of a cell, or undefined if the value has no constant. */
  #condition(column, row, operator) {
    const isKey = column.kind === "reference" || column.kind === "id";
    const found = isKey ? row[column.path] : valueOf(row, column);
    const value = found instanceof JSONText && typeof found.value !== "object" ? found.value : found;
    if (
      Array.isArray(value) || (typeof value === "object" && value !== null && !(value instanceof Date))
    ) return undefined;
    return conditionText(column.path, operator, value, column);
  }

  /** Adds a condition about the value of a cell. */
  #filterBy(column, row, operator = "==") {
    const condition = this.#condition(column, row, operator);
    if (condition === undefined) return this.page.say(`${column.title} can't be filtered by this value`);
    const { where } = this.address;
    this.page.go({ where: where ? `(${where}) AND ${condition}` : condition });
  }

  /** The value of a cell as exact text. */
  #textOf(row, column) {
    return plainText(column.kind === "attribute" ? valueOf(row, column) : row[column.path]);
  }

  /** Copies the active cell, unless text is selected. */
  #copy(event) {
    const { row, column } = this.grid.active;
    const found = this.#source.row(row);
    if (!found || String(getSelection()) !== "") return;
    event.clipboardData.setData("text/plain", this.#textOf(found, this.grid.columns[column]));
    event.preventDefault();
    this.page.say("Copied");
  }

  async #cellMenu({ row, column, x, y }) {
    const found = this.#source.row(row);
    if (!found) return;
    const it = this.grid.columns[column];
    const { openMenu } = await import("./menu.js");
    const items = [{ text: "Open", note: "Enter", run: () => this.#open({ row, column }) }];
    if (session.canWrite && !this.travel) items.push(
      { text: "Edit", note: "F2", run: () => void this.#edit({ row, column }) }
    );
    for (const [operator, note] of [["==", "F"], ["!=", ""], ["<=", ""], [">=", ""]]) {
      const condition = this.#condition(it, found, operator);
      const hasOrder = isNumeric(it) || it.type === "date";
      if (condition && (operator.endsWith("==") || operator === "!=" || hasOrder)) {
        items.push({ text: `Filter: ${cut(condition, 40)}`, note, run: () => this.#filterBy(it, found, operator) });
      }
    }
    const text = this.#textOf(found, it);
    items.push({ text: "Copy", run: () => void navigator.clipboard?.writeText(text).catch(() => {}) });
    if (session.canWrite && !this.travel) items.push(
      { text: "Delete the row", note: "Del", run: () => void this.#delete(found) }
    );
    openMenu(x, y, items);
  }

  #menu() {
    const shown = new Set(this.columns.map(({ path }) => path));
    const boxes = this.all.map((column) => {
      const box = h("input", { type: "checkbox", checked: shown.has(column.path), onchange: () => {
        if (box.checked) shown.add(column.path);
        else shown.delete(column.path);
        const paths = this.all.map(({ path }) => path).filter((path) => shown.has(path));
        this.page.go({ columns: paths.length === this.all.length ? [] : paths });
      } });
      return h("label", {}, box, column.name, h("span", { class: "dim" }, column.destination ?? column.type));
    });
    replace(this.menu, h(
      "summary", { class: "button quiet" },
      this.columns.length === this.all.length ? "Columns" : `Columns ${this.columns.length}/${this.all.length}`,
    ),
      h("div", { class: "popover", role: "group", "aria-label": "Columns" }, boxes));
  }

  async #edit({ row, column }) {
    const found = this.#source.row(row);
    if (!found || !session.canWrite || this.travel) return;
    const { editCell } = await import("./edit.js");
    await editCell(this, row, column, found);
  }

  async #delete(row) {
    const { deleteRow } = await import("./edit.js");
    await deleteRow(row.$entity ?? this.entity, row.$id, row.$version);
  }

  async #insert() {
    const { insertRow } = await import("./edit.js");
    insertRow(this.entity, this.page);
  }

  async #travelTo(at) {
    this.travel?.close();
    this.travel = undefined;
    this.past.hidden = !at;
    this.element.classList.toggle("in-past", Boolean(at));
    this.news.hidden ||= Boolean(at);
    if (!at) {
      this.grid.source = this.rows;
      this.grid.update();
      this.grid.renderAll();
      this.#show();
      return;
    }
    const { Travel } = await import("./past.js");
    if (this.address.at !== at) return;
    this.travel = new Travel(this, at);
  }
}

/** Whether text is sorted as people look it up; an index has another order, which is faster. */
const isLocalized = (column) =>
  (column?.type === "string" && !column.attribute.indexed && !column.attribute.unique) || column?.label !== undefined;

function sorted(address, path) {
  const key = address.sort.find((one) => one.path === path);
  if (!key) return path === "$id" && address.sort.length === 0 ? "ascending" : undefined;
  return key.descending ? "descending" : "ascending";
}
