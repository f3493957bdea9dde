/** The unsaved edits, which become one transaction, and the saved transactions, which can be undone. */

import { ask, errorBox, h, replace, toast } from "./dom.js";
import { plural } from "./format.js";
import { session } from "./session.js";
import { isSame } from "./values.js";

/** Values by names that may be any, also `__proto__`. */
const named = () => Object.create(null);

export class Edits extends EventTarget {
  /** @type {Map<string, any>} */
  rows = new Map();
  error = undefined;
  isSaving = false;
  #steps = [];
  #done = [];
  #undone = [];
  #newest = 0;

  get isEmpty() {
    return this.rows.size === 0;
  }

  get(entity, id) {
    return this.rows.get(`${entity}/${id}`);
  }

  /** The new value of a property, if it is edited. */
  value(entity, id, path) {
    const edit = this.get(entity, id);
    return edit && Object.hasOwn(edit.values, path) ? { value: edit.values[path] } : undefined;
  }

  /** Gives a property another value; its value of before takes the edit away. */
  set(entity, row, path, value, base = row[path]) {
    const name = `${entity}/${row.$id}`;
    const edit = this.rows.get(name) ?? {
      entity, id: row.$id, version: row.$version, values: named(), base: named()
    };
    this.#steps.push(
      { name, path, had: Object.hasOwn(edit.values, path), before: edit.values[path], base: edit.base?.[path] }
    );
    if (!edit.isNew && !Object.hasOwn(edit.values, path) && edit.base) edit.base[path] = base;
    if (!edit.isNew && edit.base && isSame(edit.base[path], value)) {
      delete edit.values[path];
      delete edit.base[path];
    } else {
      edit.values[path] = value;
    }
    if (Object.keys(edit.values).length === 0 && !edit.isNew) this.rows.delete(name);
    else this.rows.set(name, edit);
    this.#changed();
  }

  /** Gives a property of a row that has no base to compare, as a relationship to many rows. */
  setLoose(entity, row, path, value) {
    this.set(entity, row, path, value, undefined);
    const edit = this.get(entity, row.$id);
    if (edit?.base) delete edit.base[path];
  }

  insert(entity) {
    const id = `#${++this.#newest}`;
    this.rows.set(`${entity}/${id}`, { entity, id, isNew: true, values: named() });
    this.#changed();
    return id;
  }

  delete(entity, id, version) {
    this.rows.set(`${entity}/${id}`, { entity, id, version, isDeleted: true, values: named(), base: named() });
    this.#changed();
  }

  drop(entity, id) {
    this.rows.delete(`${entity}/${id}`);
    this.#changed();
  }

  discard() {
    this.rows.clear();
    this.#steps = [];
    this.error = undefined;
    this.#changed();
  }

  #changed() {
    this.error = undefined;
    this.dispatchEvent(new Event("change"));
  }

  /** The arguments of the save. */
  get args() {
    const insert = [];
    const update = [];
    const deletions = new Map();
    for (const { entity, id, version, values, base, isNew, isDeleted } of this.rows.values()) {
      if (isNew) insert.push({ entity, rows: [{ $id: id, ...values }] });
      else if (isDeleted) {
        const entry = deletions.get(entity) ?? { entity, ids: [], versions: [] };
        entry.ids.push(id);
        entry.versions.push(version);
        deletions.set(entity, entry);
      } else {
        const entry = { entity, rows: [{ $id: id, $version: version, ...values }] };
        if (base && Object.keys(base).length) entry.base = [base];
        update.push(entry);
      }
    }
    return { insert, update, delete: [...deletions.values()] };
  }

  /** Saves everything in one transaction. */
  async save(policy) {
    if (this.isEmpty || this.isSaving) return false;
    this.isSaving = true;
    this.error = undefined;
    this.dispatchEvent(new Event("change"));
    const sent = new Map(this.rows);
    try {
      const result = await session.client.save({ ...this.args, policy });
      if (result.token) this.#done.push(result.token);
      this.#undone = [];
      for (const [name, edit] of sent) if (this.rows.get(name) === edit) this.rows.delete(name);
      this.#steps = [];
      const made = result.inserted + result.updated + result.deleted;
      const note = toast(
        `Saved ${plural(made, "row")}`, h("button", { onclick: () => { note.remove(); void this.undo(); } }, "Undo")
      );
      this.dispatchEvent(new CustomEvent("saved", { detail: result }));
      return true;
    } catch (error) {
      if (error.details?.conflicts && /^conflict\.(merge|read)$/.test(error.code)) {
        this.isSaving = false;
        this.dispatchEvent(new Event("change"));
        const { askAboutConflicts } = await import("./conflicts.js");
        return await askAboutConflicts(this, error.details.conflicts);
      }
      this.error = error;
      return false;
    } finally {
      this.isSaving = false;
      this.dispatchEvent(new Event("change"));
    }
  }

  /** Takes back the last unsaved step, or undoes the last transaction of this page. */
  async undo() {
    const step = this.#steps.pop();
    if (step && this.rows.has(step.name)) {
      const edit = this.rows.get(step.name);
      if (step.had) {
        edit.values[step.path] = step.before;
        if (edit.base) edit.base[step.path] ??= step.base;
      } else {
        delete edit.values[step.path];
        if (edit.base) delete edit.base[step.path];
      }
      if (Object.keys(edit.values).length === 0 && !edit.isNew) this.rows.delete(step.name);
      this.#changed();
      return;
    }
    const token = this.#done[this.#done.length - 1];
    if (!token) return void toast("Nothing was saved here that could be undone.");
    const result = await undoTransaction(token);
    if (!result) return;
    this.#done.pop();
    if (result.token) this.#undone.push(result.token);
  }

  async redo() {
    const token = this.#undone[this.#undone.length - 1];
    if (!token) return void toast("Nothing was undone here.");
    const result = await undoTransaction(token, "redo");
    if (!result) return;
    this.#undone.pop();
    if (result.token) this.#done.push(result.token);
  }
}

/** Undoes a transaction, and asks if others have changed the same rows since. */
export async function undoTransaction(token, operation = "undo", args = {}) {
  for (let policy; ;) {
    try {
      const result = await session.client.call(operation, { token, policy, ...args });
      toast(operation === "undo" ? "Undone" : "Done again");
      return result;
    } catch (error) {
      if (error.code !== "conflict.merge" || policy) {
        await ask(
          operation === "undo" ? "It wasn't undone" : "It wasn't done again", errorBox(error),
          [{ text: "Close", kind: "primary" }],
        );
        return undefined;
      }
      const { conflictTable } = await import("./conflicts.js");
      const { conflicts } = error.details;
      policy = await ask("Others changed this since", h("div", {},
        h(
          "p", {},
          `${plural(conflicts.length + (error.details.more ?? 0), "row")} of the transaction changed since.`,
        ),
        conflicts.slice(0, 20).map((conflict) => conflictTable(conflict, "written by it", "undone"))), [
        { text: "Undo all of it", value: "mergeByPropertyObjectTrump", kind: "danger" },
        { text: "Undo the rest only", value: "mergeByPropertyStoreTrump" },
        { text: "Undo nothing", kind: "primary" },
      ]);
      if (!policy) return undefined;
    }
  }
}

/** The bar at the bottom that says how much isn't saved. */
export class EditBar {
  constructor(element, edits) {
    this.element = element;
    this.edits = edits;
    this.text = h("strong", {});
    this.problem = h("div", { class: "inline-error", role: "alert" });
    // The buttons stay: a press of one may first end an edit, which shows the bar again before the click.
    this.button = h("button", { class: "primary", onclick: () => void edits.save() });
    replace(element, this.text, h("span", { class: "dim" }, "not saved"), h("span", { class: "space" }), this.problem,
      h("button", { class: "quiet", onclick: () => void this.#discard() }, "Discard"), this.button);
    edits.addEventListener("change", () => this.show());
    this.show();
  }

  show() {
    const { edits } = this;
    this.element.hidden = edits.isEmpty;
    const all = [...edits.rows.values()];
    const texts = [
      [all.filter(({ isNew }) => isNew).length, "new row"],
      [all.filter(({ isDeleted }) => isDeleted).length, "deletion"],
      [all.filter(({ isNew, isDeleted }) => !isNew && !isDeleted).length, "changed row"],
    ].filter(([count]) => count > 0).map(([count, text]) => plural(count, text));
    replace(this.text, texts.join(", "));
    replace(this.problem, edits.error && problemText(edits.error));
    this.button.disabled = edits.isSaving;
    replace(this.button, edits.isSaving ? "Saving…" : "Save");
  }

  async #discard() {
    const answer = await ask("Discard the edits?", h("p", {}, "Unsaved edits are lost."),
      [{ text: "Keep" }, { text: "Discard", value: true, kind: "danger" }]);
    if (answer) this.edits.discard();
  }
}

function problemText(error) {
  const { violations } = error.details ?? {};
  const texts = violations ? violations.slice(0, 5).map(({ message }) => message) : [error.message];
  return [h("span", {}, texts.join(" ")), error.hint && h("span", { class: "hint" }, ` ${error.hint}`)];
}
