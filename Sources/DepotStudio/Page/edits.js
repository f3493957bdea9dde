/** The unsaved edits, which become one transaction, and the saved transactions, which can be undone. */

import { ask, errorBox, h, replace, toast } from "./dom.js";
import { plural } from "./format.js";
import { session } from "./session.js";
import { isSame } from "./values.js";

/** Values by names that may be any, also `__proto__`. */
const named = () => Object.create(null);

/** An edit of its own: a save that is on its way keeps the one that it sent. */
const copied = (edit) => edit && {
  ...edit, values: Object.assign(named(), edit.values), base: edit.base && Object.assign(named(), edit.base)
};

export class Edits extends EventTarget {
  /** @type {Map<string, any>} */
  rows = new Map();
  error = undefined;
  isSaving = false;
  #steps = [];
  #done = [];
  #undone = [];
  #newest = 0;
  /** The end of the last save, undo or redo. */
  #last = Promise.resolve();

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
    const edit = copied(this.rows.get(name)) ?? {
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

  /** Runs saves, undos and redos one after the other: Ctrl Z behind a save means that save. */
  #inOrder(work) {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  /** Saves everything in one transaction. */
  async save() {
    if (this.isEmpty || this.isSaving) return false;
    this.isSaving = true;
    this.dispatchEvent(new Event("change"));
    return await this.#inOrder(() => this.#save());
  }

  async #save(policy) {
    this.isSaving = true;
    this.error = undefined;
    this.dispatchEvent(new Event("change"));
    const sent = new Map(this.rows);
    const steps = this.#steps.length;
    try {
      const result = await session.client.save({ ...this.args, policy });
      if (result.token) this.#done.push(result.token);
      this.#undone = [];
      this.#settle(sent, result);
      this.#steps.splice(0, steps);
      const made = result.inserted + result.updated + result.deleted;
      const note = toast(
        `Saved ${plural(made, "row")}`, result.token && h("button", {
          onclick: () => { note.remove(); void this.#inOrder(() => this.#undoSaved(result.token)); },
        }, "Undo"),
      );
      this.dispatchEvent(new CustomEvent("saved", { detail: result }));
      return true;
    } catch (error) {
      if (error.details?.conflicts && /^conflict\.(merge|read)$/.test(error.code)) {
        this.isSaving = false;
        this.dispatchEvent(new Event("change"));
        const { askAboutConflicts } = await import("./conflicts.js");
        const answer = await askAboutConflicts(this, error.details.conflicts);
        return answer ? this.isEmpty || await this.#save(answer.policy) : false;
      }
      this.error = error;
      return false;
    } finally {
      this.isSaving = false;
      this.dispatchEvent(new Event("change"));
    }
  }

  /** Leaves of the edits what came while the save was on its way. */
  #settle(sent, { ids = {}, versions = {} }) {
    for (const [name, stored] of sent) {
      const edit = this.rows.get(name);
      this.rows.delete(name);
      if (!edit || edit === stored || edit.isDeleted && stored.isDeleted) continue;
      const { entity } = edit;
      const id = edit.isNew ? ids[edit.id] : edit.id;
      const version = versions[entity]?.find(([one]) => String(one) === String(id))?.[1] ?? edit.version;
      const left = { ...edit, isNew: false, id, version, values: named(), base: edit.isNew ? named() : edit.base };
      for (const [path, value] of Object.entries(edit.values)) {
        const isStored = Object.hasOwn(stored.values, path);
        if (isStored && isSame(stored.values[path], value)) {
          if (left.base) delete left.base[path];
          continue;
        }
        left.values[path] = value;
        if (isStored && left.base) left.base[path] = stored.values[path];
      }
      if (left.isDeleted || Object.keys(left.values).length > 0) this.rows.set(`${entity}/${id}`, left);
    }
  }

  /** Takes back the last unsaved step, or undoes the last transaction of this page. */
  undo() {
    return this.#inOrder(() => this.#undo());
  }

  redo() {
    return this.#inOrder(() => this.#redo());
  }

  async #undo() {
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
    await this.#undoSaved(token);
  }

  async #undoSaved(token) {
    const result = await undoTransaction(token);
    if (!result) return;
    this.#done = this.#done.filter((one) => one !== token);
    if (result.token) this.#undone.push(result.token);
  }

  async #redo() {
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
