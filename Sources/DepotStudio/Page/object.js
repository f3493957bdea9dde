/** An object: attributes, relationships in both directions, large values, the author of each property, and history. */

import { DepotDate } from "/client/browser.js";

import { formatAddress, withMembers } from "./address.js";
import { rowLink, showValue, valueOf } from "./cells.js";
import { errorBox, h, replace, toast } from "./dom.js";
import { formatted, isLarge, momentText, pathText, plural, whoText } from "./format.js";
import { selection } from "./schema.js";
import { session } from "./session.js";
import { isSame } from "./values.js";

/** How many relationships of an object are watched, by two watches each. */
const MOST_LIVE = 5;

/** The object in the place of the main view. */
export class ObjectPage {
  constructor(address, page) {
    this.object = new ObjectView({ entity: address.entity, id: address.id }, page, {});
    this.element = h("section", { class: "view object-page", "aria-label": `${address.entity}/${address.id}` },
      h("div", { class: "scrolls" }, this.object.element));
    this.title = `${address.entity}/${address.id}`;
  }

  update() {}

  close() {
    this.object.close();
  }
}

export class ObjectView {
  #life = new AbortController();
  #related = new AbortController();
  #parts = new Map();
  #blame = {};
  #links = "";

  /**
   * @param {{ entity: string, id: any, isNew?: boolean }} named
   * @param {any} page
   * @param {{ isBeside?: boolean }} options
   */
  constructor({ entity, id, isNew }, page, { isBeside }) {
    this.entity = entity;
    this.id = id;
    this.page = page;
    this.isNew = Boolean(isNew);
    this.isBeside = isBeside;
    const isPast = isBeside && page.address.at !== undefined;
    this.heading = h("h1", {}, `${entity}/${id}`);
    this.note = h("p", { class: "dim note" });
    this.attributes = h("dl", { class: "properties" });
    this.relations = h("div", { class: "relations" });
    this.story = h("div", { class: "story" });
    this.element = h("article", { class: "object", "aria-label": `${entity}/${id}` },
      h("header", {}, h("div", { class: "heading" }, this.heading, this.note), h("div", { class: "tools" },
        this.isBeside && !isNew && h(
          "a",
          { class: "button quiet", href: formatAddress({ view: "object", entity, id }), title: "Alone on the page" },
          "Open",
        ),
        session.canWrite && !isPast && h(
          "button", { class: "quiet danger", onclick: () => void this.#delete() }, isNew ? "Discard" : "Delete"
        ),
        this.isBeside && h(
          "button", { class: "quiet", "aria-label": "Close", title: "Close (Escape)", onclick: () => this.#leave() },
          "✕",
        ))),
      this.attributes, this.relations, this.story);
    this.edited = () => this.row && this.#show();
    session.edits?.addEventListener("change", this.edited);
    if (isNew) {
      this.row = { $id: id };
      replace(this.heading, `New ${entity}`);
      this.#begin();
      this.#show();
      queueMicrotask(() => this.attributes.querySelector("input, textarea, select")?.focus());
    } else {
      const { at } = page.address;
      this.at = isBeside && at !== "now" ? at : undefined;
      void this.#open();
    }
  }

  close() {
    this.#life.abort();
    this.#related.abort();
    session.edits?.removeEventListener("change", this.edited);
  }

  #leave() {
    if (this.isNew) this.page.closeNew();
    else this.page.go({ beside: undefined });
  }

  async #open() {
    try {
      if (session.model.descendants(this.entity).length > 0) {
        const found = await session.client.entity(this.entity).get(this.id, { select: ["$entity"] });
        this.entity = found?.$entity ?? this.entity;
      }
    } catch (error) {
      replace(this.attributes, errorBox(error));
      return;
    }
    if (this.#life.signal.aborted) return;
    this.#begin();
    if (this.at) return this.#readPast();
    const where = { in: [{ attribute: "$id" }, { value: [this.id], list: true }] };
    const fetch = { entity: this.entity, where, select: this.select };
    void session.follow({ fetch }, this.#life.signal, (event, watch) => {
      const before = this.row;
      const [row] = watch.rows;
      this.isGone = !row;
      if (row) this.row = row;
      this.changed = before && row && event.kind !== "snapshot" ? { before, author: event.author } : undefined;
      this.#show();
      void this.#readBlame();
      if (event.kind === "snapshot") this.#follow();
    }, (error) => replace(this.attributes, errorBox(error)));
  }

  /** Shows the row of the moment that the table is at. */
  async #readPast() {
    try {
      const args = { entity: this.entity, id: this.id, at: this.at };
      const { row, unknown = [] } = await session.client.call("history.row", args, { signal: this.#life.signal });
      replace(this.note, row ? `${this.entity}/${this.id} · as of then` : "There was no such row then.");
      if (!row) return;
      const values = this.columns.filter(({ path }) => Object.hasOwn(row, path)).map(({ path, type, collection }) => {
        const isDate = type === "date" && !collection && row[path] !== null;
        return [path, isDate ? DepotDate.from(row[path]) : row[path]];
      });
      this.row = { $id: this.id, ...Object.fromEntries(values) };
      this.#show();
      if (unknown.length) this.note.append(` · not kept: ${unknown.join(", ")}`);
    } catch (error) {
      if (!this.#life.signal.aborted) replace(this.attributes, errorBox(error));
    }
  }

  #begin() {
    this.columns = session.model.columns(this.entity);
    this.select = selection(this.columns);
    this.label = session.model.label(this.entity);
    replace(this.attributes, this.columns.map((column) => {
      const value = h("dd", {});
      const by = h("span", { class: "by dim" });
      const part = { value, by, column, shown: {} };
      this.#parts.set(column.path, part);
      const depth = column.path.split(".").length - 1;
      return h("div", { class: "property", "data-depth": depth },
        h(
          "dt", { title: column.destination ?? column.type },
          depth ? column.path.slice(column.path.lastIndexOf(".") + 1) : column.name,
        ),
        value, by);
    }));
  }

  #show() {
    const { row } = this;
    if (!row) {
      replace(this.note, this.isGone ? "There is no such row." : "");
      if (this.isGone) void this.#readBlame();
      return;
    }
    const title = this.label && row[this.label];
    if (!this.isNew) replace(
      this.heading,
      title === null || title === undefined || title === "" ? `${this.entity}/${this.id}` : formatted(title).text,
    );
    if (!this.isGone && !this.at) replace(
      this.note, this.isNew ? "Not stored before it is saved" : `${this.entity}/${this.id} · version ${row.$version}`
    );
    this.element.classList.toggle("is-gone", Boolean(this.isGone));
    for (const [path, part] of this.#parts) this.#showProperty(path, part);
    this.changed = undefined;
    const links = JSON.stringify([this.isNew]);
    if (this.#links !== links && !this.at) {
      this.#links = links;
      this.#showRelations();
    }
  }

  #showProperty(path, part) {
    const { column, value } = part;
    const { row } = this;
    const draft = this.at ? undefined : session.edits?.value(this.entity, this.id, path);
    const now = draft ? draft.value : valueOf(row, column);
    const isChanged = this.changed && !isSame(valueOf(this.changed.before, column), valueOf(row, column));
    const key = { now, draft: Boolean(draft), label: column.label && row[column.label], isGone: this.isGone };
    const hasFocus = value.contains(document.activeElement);
    // The edit may be taken back or saved while its editor is open.
    const isOver = part.isTaken && !draft && !hasFocus;
    if (part.editor && !isChanged && !isOver) {
      value.classList.toggle("draft", Boolean(draft));
      return;
    }
    if (part.editor && isChanged && (hasFocus || part.editor.isLarge)) {
      replace(part.by, `changed meanwhile${this.changed.author ? ` by ${this.changed.author}` : ""}`);
      return;
    }
    if (!isChanged && !isOver && isSame(part.shown, key)) return;
    part.shown = key;
    part.editor = undefined;
    part.isTaken = false;
    replace(value);
    value.classList.toggle("draft", Boolean(draft));
    value.classList.remove("changed");
    if (isChanged) {
      void value.offsetWidth;
      value.classList.add("changed");
    }
    if (this.isNew && !column.isDerived && !isLarge(now, column)) return this.#edit(path, part);
    if (isLarge(now, column) && !this.at) this.#large(value, column, now);
    else if (column.kind === "reference" && now !== null && now !== undefined) {
      value.append(rowLink(column.destination, now, draft ? undefined : row[column.label], this.page.address));
    } else if (typeof now === "string" && now !== "") {
      value.append(
        h(
          "span", { class: ["uuid", "url"].includes(column.type) ? "text code" : "text" },
          now.length > 20_000 ? `${now.slice(0, 20_000)}…` : now,
        )
      );
    } else showValue(value, now, column);
    const canEdit = session.canWrite && !column.isDerived && !this.isGone && !this.isNew && !this.at;
    if (canEdit) {
      value.append(h("button", {
        class: "quiet edit-button", "aria-label": `Edit ${column.name}`, title: "Edit",
        onclick: () => this.#edit(path, part, true),
      }, "Edit"));
      value.ondblclick = (event) => !event.target.closest("a, button") && this.#edit(path, part, true);
    }
  }

  async #edit(path, part, isFocused = false) {
    const { column, value } = part;
    const { editorFor } = await import("./editors.js");
    if (part.editor) return;
    const draft = session.edits.value(this.entity, this.id, path);
    const now = draft ? draft.value : valueOf(this.row, column);
    if (isLarge(now, column)) return this.#replaceLarge(column, value, now);
    const editor = (part.editor = editorFor(column, now, draft ? undefined : this.row[column.label] ?? undefined));
    const problem = h("p", { class: "inline-error", role: "alert" });
    let before = editor.state();
    let known = this.row[path];
    let { row } = this;
    const take = (isNull) => {
      replace(problem);
      if (!isNull && editor.state() === before) return true;
      try {
        const next = isNull ? null : editor.read();
        // A value that others have changed since the person saw it is a conflict.
        if (isSame(this.row[path], known)) ({ row } = this);
        part.isTaken = true;
        session.edits.set(this.entity, row, path, next);
        before = editor.state();
        known = next;
        return true;
      } catch (error) {
        replace(problem, error.message);
        return false;
      }
    };
    const end = (isNull) => {
      if (!take(isNull) || this.isNew) return;
      part.editor = undefined;
      part.shown = {};
      this.#showProperty(path, part);
      value.querySelector(".edit-button")?.focus();
    };
    const field = editor.field ?? editor.element;
    editor.element.addEventListener(editor.isFile ? "read" : editor.isPicker ? "picked" : "change", () => take());
    replace(value, h("div", { class: "editor" }, editor.element,
      !this.isNew && h("button", { class: "quiet", onclick: () => end() }, "OK"),
      column.isOptional && !this.isNew && !editor.hasNull && h(
        "button", { class: "quiet", title: "Gives it null", onclick: () => end(true) }, "Null"
      )), problem);
    value.onkeydown = (event) => {
      if (event.key === "Escape") {
        event.stopPropagation();
        part.editor = undefined;
        part.shown = {};
        this.#showProperty(path, part);
      } else if (
        event.key === "Enter" && !event.shiftKey && event.target === field && !editor.isPicker
          && column.type !== "json" && !column.collection
      ) {
        event.preventDefault();
        end();
      }
    };
    if (isFocused) field.focus();
  }

  async #delete() {
    if (this.isNew) return session.edits.drop(this.entity, this.id);
    const { deleteRow } = await import("./edit.js");
    await deleteRow(this.entity, this.id, this.row?.$version);
  }

  // Large values

  #large(value, column, now) {
    if (now === null) {
      showValue(value, null, column);
      return;
    }
    const box = h("span", { class: "large" });
    value.append(showValue(h("span", {}), now, column), box);
    void import("./large.js").then(
      ({ showLarge }) => showLarge(box, this.entity, this.id, column, Number(now.$length), this.#life.signal)
    );
  }

  async #replaceLarge(column, value, now) {
    const { replaceLarge } = await import("./large.js");
    const part = this.#parts.get(column.path);
    // The row's changes keep the editor open.
    part.editor = { isLarge: true };
    const { entity, id, row: { $version: version } } = this;
    await replaceLarge(value, { entity, id, version }, column, now, () => {
      part.editor = undefined;
      part.shown = {};
      this.#showProperty(column.path, part);
    });
  }

  // Relationships

  #showRelations() {
    const { model } = session;
    const own = model.toMany(this.entity).map(
      (relation) => (
        { name: relation.name, relation, destination: relation.destination, ...whereOf(this.id, relation) }
      )
    );
    const line = new Set(model.lineage(this.entity).map(({ name }) => name));
    const incoming = this.isNew ? [] : [...model.entities.values()].flatMap((entity) =>
      (entity.relationships ?? []).filter((one) => !one.inverse && line.has(one.destination)).map((one) => ({
        name: `${entity.name}.${one.name}`, destination: entity.name, isIncoming: true,
        where: one.toMany ? `ANY ${pathText(one.name)}.$id == ${this.id}` : `${pathText(one.name)} == ${this.id}`,
      })));
    // A connection has a bounded number of watches: the first relationships live.
    const all = [...own, ...incoming];
    replace(this.relations, all.map((relation, place) => this.#relation(relation, place < MOST_LIVE)));
  }

  #relation({ name, destination, where, relation, isIncoming }, isLive) {
    const count = h("span", { class: "count" });
    const list = h("ul", { class: "related" });
    const section = h("section", { class: "relation", "aria-label": name }, h("h2", {},
      where && !this.isNew ? h(
        "a", { href: formatAddress({ view: "table", entity: destination, where }) }, name
      ) : name,
      h("span", { class: "dim" }, isIncoming ? " leads here" : ` → ${destination}`), count), list);
    if (this.isNew) {
      if (session.canWrite && relation) section.append(this.#adder(relation, list));
      return section;
    }
    const label = session.model.label(destination);
    const show = (rows, total) => {
      replace(count, total === undefined ? "" : ` ${plural(total, "row")}`);
      const draft = session.edits?.value(this.entity, this.id, name)?.value;
      const removed = new Set(draft?.remove ?? []);
      replace(list, rows.slice(0, 20).map((row) => h("li", { class: removed.has(row.$id) ? "gone-text" : "" },
        rowLink(row.$entity ?? destination, row.$id, label && row[label], this.page.address),
        session.canWrite && relation && h("button", {
          class: "quiet edit-button", "aria-label": `Remove ${destination}/${row.$id} from ${name}`,
          onclick: () => { this.#change(relation, (value) => toggle(value, "remove", row.$id)); show(rows, total); },
        }, removed.has(row.$id) ? "Keep" : "Remove"))),
      (draft?.add ?? []).map((id) => h("li", { class: "draft" }, `${destination}/${id}`)));
      list.querySelectorAll("a").forEach((link) => (link.tabIndex = 0));
    };
    const select = label ? [label] : [];
    if (where) {
      let total;
      let rows = [];
      const { signal } = this.#life;
      if (!isLive) {
        void this.#readRelated(destination, { where, select, limit: 20 }, show);
      } else {
        void session.follow({ count: { entity: destination, where } }, signal, (_, watch) => {
          total = Number(watch.rows[0]?.count ?? 0);
          show(rows, total);
        });
        void session.follow({ fetch: { entity: destination, where, select, limit: 20 } }, signal, (_, watch) => {
          rows = watch.rows;
          show(rows, total);
        });
      }
    } else {
      void this.#readLinks(name, destination, select, show);
    }
    if (session.canWrite && relation) section.append(this.#adder(relation, list));
    return section;
  }

  /** Reads the first related rows once. */
  async #readRelated(destination, query, show) {
    try {
      const related = session.client.entity(destination);
      const { signal } = this.#life;
      const count = related.count({ where: query.where }, { signal });
      show(await related.fetch(query, { signal }).toArray(), await count);
    } catch (error) {
      if (!this.#life.signal.aborted) toast(error.message);
    }
  }

  async #readLinks(name, destination, select, show) {
    try {
      const row = await session.client.entity(this.entity).get(this.id, { select: [name] });
      const ids = row?.[name] ?? [];
      show((await session.client.entity(destination).get(ids.slice(0, 20), { select })).filter(Boolean), ids.length);
    } catch (error) {
      toast(error.message);
    }
  }

  #change(relation, change) {
    const value = session.edits.value(this.entity, this.id, relation.name)?.value;
    const next = change(value ?? { add: [], remove: [] });
    session.edits.setLoose(this.entity, this.row, relation.name, next);
  }

  #adder(relation, list) {
    const field = h(
      "input",
      {
        type: "text", placeholder: `Add a ${relation.destination}`, "aria-label": `Add to ${relation.name}`,
        role: "combobox", "aria-expanded": "false", autocomplete: "off",
      },
    );
    const options = h("ul", { class: "options", role: "listbox", hidden: true, "aria-label": relation.destination });
    void import("./editors.js").then(({ rowPicker }) => {
      const picker = rowPicker(relation.destination, field, options, (row, text) => {
        this.#change(relation, (value) => toggle(value, "add", row.$id));
        list.append(h("li", { class: "draft" }, text));
        field.value = "";
      });
      field.addEventListener("input", () => picker.find(field.value));
    });
    return h("div", { class: "picker" }, field, options);
  }

  // Who and when

  async #readBlame() {
    if (this.isNew || session.model.history(this.entity) === "none") return;
    try {
      const told = await session.client.call(
        "history.row", { entity: this.entity, id: this.id }, { signal: this.#life.signal }
      );
      this.#blame = told.properties ?? {};
      for (const [path, { by }] of this.#parts) {
        const one = Object.hasOwn(this.#blame, path) ? this.#blame[path] : undefined;
        // That a row's own insertion gave a value says nothing more than the line below its name.
        replace(by, one && one.token !== told.inserted?.token ? `${whoText(one)} · ${momentText(one.at)}` : "");
        by.title = one?.token ?? "";
      }
      if (!this.isGone && told.inserted && this.row) {
        const { inserted } = told;
        replace(
          this.note,
          `${this.entity}/${this.id} · version ${this.row.$version} · ` +
            `inserted by ${whoText(inserted)} at ${momentText(inserted.at)}`,
        );
      }
      if (this.isGone) {
        replace(
          this.note,
          told.deletedBy ? `Deleted by ${whoText(told.deletedBy)} at ${momentText(told.deletedBy.at)}`
            : "There is no such row.",
        );
      }
    } catch (error) {
      if (this.isGone && error.code === "notfound.object") replace(this.note, "There is no such row.");
    }
  }

  /** Shows the transactions of the row, the newest first. */
  #follow() {
    if (session.model.history(this.entity) === "none" || this.isFollowing) return;
    this.isFollowing = true;
    const items = h("ol", { class: "transactions" });
    replace(
      this.story,
      h("h2", {}, h("a", { href: formatAddress({ view: "history", entity: this.entity, id: this.id }) }, "History")),
      items,
    );
    const query = { entity: this.entity, ids: [this.id] };
    void import("./transactions.js").then(async ({ transactionItem }) => {
      const { signal } = this.#life;
      try {
        // New ones are those behind this moment: a save between the page and the watch comes by both.
        const head = await session.headOf(this.entity, signal);
        const known = new Set();
        for await (
          const transaction of session.client.history({ ...query, descending: true, limit: 20 }, { signal })
        ) {
          items.append(transactionItem(transaction, { page: this.page, isAlone: true, isOpen: known.size < 3 }));
          known.add(transaction.token);
        }
        await session.follow({ history: query, since: head }, signal, (event) => {
          for (const transaction of event.transactions ?? []) {
            if (known.has(transaction.token)) continue;
            items.prepend(
              transactionItem(transaction, { page: this.page, isAlone: true, isNew: true, isOpen: true })
            );
            if (items.children.length > 40) items.lastChild.remove();
          }
        });
      } catch (error) {
        if (!signal.aborted) replace(this.story, errorBox(error));
      }
    });
  }

  update() {
    // The links lead to the address of now.
    for (const link of this.element.querySelectorAll("a.row-link")) {
      const beside = new URLSearchParams(link.hash.split("?")[1] ?? "").get("beside");
      if (!beside) continue;
      const place = beside.lastIndexOf("/");
      link.href = withMembers(
        this.page.address, { beside: { entity: beside.slice(0, place), id: beside.slice(place + 1) } }
      );
    }
  }
}

/** The predicate of the rows that a relationship leads to, if its inverse says it. */
function whereOf(id, { inverse, destination }) {
  if (!inverse) return {};
  const back = session.model.relationships(destination).find((one) => one.name === inverse);
  return { where: back?.toMany ? `ANY ${pathText(inverse)}.$id == ${id}` : `${pathText(inverse)} == ${id}` };
}

/** Adds an identifier to one of the lists of a change, or takes it out. */
function toggle(value, member, id) {
  const list = value[member] ?? [];
  const next = list.includes(id) ? list.filter((one) => one !== id) : [...list, id];
  return { ...value, [member]: next };
}
