/** The unsaved edits, which become one transaction, and the saved transactions, which can be undone. */

import { madeAgain } from "./conflict.js";
import { ask, errorBox, h, replace, toast } from "./dom.js";
import { plural } from "./format.js";
import { session } from "./session.js";
import { isSame } from "./values.js";

/** Values by names that may be any, also `__proto__`. */
const named = () => Object.create(null);

const nameOf = ({ entity, id }) => `${entity}/${id}`;

/** An edit of its own: a save that is on its way keeps the one that it sent. */
const copied = (edit) => edit && {
  ...edit, values: Object.assign(named(), edit.values), base: edit.base && Object.assign(named(), edit.base)
};

/** Whether the person wants the row again that others deleted. */
const isAnswered = (rows, conflict) => conflict.kind === "updateOfDeleted" && rows.get(nameOf(conflict))?.isAgain;

/** Whether an edit only adds and removes related rows, which conflicts with nothing. */
const isLoose = ({ entity, values, isDeleted }) =>
  !isDeleted && !Object.keys(values).some((path) => session.model.column(entity, path));

/** The part of an edit that a save of the same row didn't store, or undefined if there is none. */
function leftOf(edit, stored, row) {
  const left = {
    ...edit, ...row, row: { ...edit.row, ...stored.values }, values: named(),
    base: edit.isNew ? named() : copied(edit).base,
  };
  for (const [path, value] of Object.entries(edit.values)) {
    const isStored = Object.hasOwn(stored.values, path);
    if (isStored && isSame(stored.values[path], value)) {
      if (left.base) delete left.base[path];
      continue;
    }
    left.values[path] = value;
    if (isStored && left.base) left.base[path] = stored.values[path];
  }
  return left.isDeleted || Object.keys(left.values).length > 0 ? left : undefined;
}

export class Edits extends EventTarget {
  /** @type {Map<string, any>} */
  rows = new Map();
  error = undefined;
  isSaving = false;
  /** Asks about the conflicts of a save, and says whether the edits are to be saved again. */
  ask = async (conflicts) => (await import("./conflicts.js")).askAboutConflicts(this, conflicts);
  /** The unsaved steps, oldest first, each with what it takes to go back. */
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
  set(entity, row, path, value) {
    this.#set(entity, row, path, { value }, { value: row[path] });
  }

  /** Gives a property without a base another change: the rows to add to a relationship, and those to remove. */
  setLoose(entity, row, path, change) {
    const isEmpty = !change.add?.length && !change.remove?.length;
    this.#set(entity, row, path, isEmpty ? undefined : { value: change }, undefined);
  }

  #set(entity, row, path, next, stored) {
    const edit = this.get(entity, row.$id);
    const before = this.value(entity, row.$id, path);
    const base = edit?.isNew ? undefined : !before ? stored
      : edit.base && Object.hasOwn(edit.base, path) ? { value: edit.base[path] } : undefined;
    if (isSame(before ?? base, next)) return;
    const step = {
      entity, id: row.$id, version: edit ? edit.version : row.$version, isNew: edit?.isNew,
      row: edit ? edit.row : row, path, before, base,
    };
    this.#steps.push(step);
    this.#put(step, next);
    this.#changed();
  }

  /** Gives a step's property a value, or takes its edit away; an edit without values is none. */
  #put(step, next) {
    const { entity, id, version, row, path, base } = step;
    const edit = copied(this.get(entity, id)) ?? { entity, id, version, row, values: named(), base: named() };
    if (!next || base && isSame(base.value, next.value)) {
      delete edit.values[path];
      if (edit.base) delete edit.base[path];
    } else {
      edit.values[path] = next.value;
      if (edit.base && base) edit.base[path] = base.value;
    }
    const isEdit = edit.isNew || edit.isDeleted || Object.keys(edit.values).length > 0;
    if (isEdit) this.rows.set(nameOf(step), edit);
    else this.rows.delete(nameOf(step));
  }

  insert(entity) {
    const id = `#${++this.#newest}`;
    this.rows.set(`${entity}/${id}`, { entity, id, isNew: true, values: named() });
    this.#steps.push({ entity, id, isNew: true, whole: undefined });
    this.#changed();
    return id;
  }

  delete(entity, id, version) {
    const whole = this.get(entity, id);
    if (whole?.isDeleted) return;
    this.rows.set(`${entity}/${id}`, { entity, id, version, isDeleted: true, values: named(), base: named() });
    this.#steps.push({ entity, id, whole });
    this.#changed();
  }

  /** Takes back all unsaved steps of a row. */
  drop(entity, id) {
    this.rows.delete(`${entity}/${id}`);
    this.#forget((step) => nameOf(step) === `${entity}/${id}`);
    this.#changed();
  }

  #forget(isOver) {
    this.#steps = this.#steps.filter((step) => !isOver(step));
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
    return this.#argsOf(this.rows);
  }

  #argsOf(rows) {
    const insert = [];
    const update = [];
    const deletions = new Map();
    for (const edit of rows.values()) {
      const { entity, id, version, values, isNew, isDeleted } = edit;
      if (isNew) insert.push({ entity, rows: [{ $id: id, ...values }] });
      else if (isDeleted) {
        const entry = deletions.get(entity) ?? { entity, ids: [], versions: [] };
        entry.ids.push(id);
        entry.versions.push(version);
        deletions.set(entity, entry);
      } else {
        const entry = { entity, rows: [{ $id: id, $version: version, ...values }] };
        const base = edit.isAgain ? { ...madeAgain(edit, session.model).base, ...edit.base } : edit.base;
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

  /**
   * Saves rows of edits. Those that others deleted, and that the person wants again, need a policy, which then is the
   * whole save's: all other rows must be as they were read.
   */
  async #send(rows) {
    const args = this.#argsOf(rows);
    for (let tries = 0; ; tries++) {
      try {
        return await session.client.save(args);
      } catch (error) {
        const { conflicts = [], more } = error.details ?? {};
        const isSettled = conflicts.length > 0 && !more && conflicts.every((one) => isAnswered(rows, one));
        if (!isSettled || tries > 3) throw error;
      }
      const read = [...rows.values()].filter((edit) => !edit.isNew && !edit.isAgain && !isLoose(edit))
        .map(({ entity, id, version }) => ({ entity, ids: [id], versions: [version] }));
      try {
        return await session.client.save({ ...args, read, policy: "mergeByPropertyObjectTrump", onConflict: "error" });
      } catch (error) {
        // The save without a policy tells all conflicts.
        if (error.code !== "conflict.read") throw error;
      }
    }
  }

  async #save() {
    this.isSaving = true;
    this.error = undefined;
    this.dispatchEvent(new Event("change"));
    const sent = new Map(this.rows);
    const steps = new Set(this.#steps);
    try {
      const result = await this.#send(sent);
      if (result.token) this.#done.push(result.token);
      this.#undone = [];
      this.#forget((step) => steps.has(step));
      this.#settle(sent, result);
      const made = result.inserted + result.updated + result.deleted;
      const note = toast(
        `Saved ${plural(made, "row")}`, result.token && h("button", {
          onclick: () => { note.remove(); void this.#inOrder(() => this.#undoSaved(result.token)); },
        }, "Undo"),
      );
      return true;
    } catch (error) {
      if (error.details?.conflicts && /^conflict\.(merge|read)$/.test(error.code)) {
        this.isSaving = false;
        this.dispatchEvent(new Event("change"));
        const { conflicts } = error.details;
        const open = conflicts.filter((one) => !isAnswered(this.rows, one));
        const isSettled = await this.ask(open.length > 0 ? open : conflicts);
        if (isSettled) {
          // A step of a value that was given up would bring it back.
          this.#forget(({ entity, id, path }) => (
            path === undefined ? !this.get(entity, id) : !this.value(entity, id, path)
          ));
        }
        return isSettled ? this.isEmpty || await this.#save() : false;
      }
      this.error = error;
      return false;
    } finally {
      this.isSaving = false;
      this.dispatchEvent(new Event("change"));
    }
  }

  /** Leaves of the edits, and of their steps, what came while the save was on its way. */
  #settle(sent, { ids = {}, versions = {} }) {
    for (const [name, stored] of sent) {
      const edit = this.rows.get(name);
      this.rows.delete(name);
      const { entity } = stored;
      const steps = this.#steps.filter((step) => nameOf(step) === name);
      if (stored.isDeleted) {
        if (edit && !edit.isDeleted) this.rows.set(name, edit);
        else this.#forget((step) => steps.includes(step));
        continue;
      }
      const id = stored.isNew ? ids[stored.id] : stored.id;
      const version = versions[entity]?.find(([one]) => String(one) === String(id))?.[1] ?? stored.version;
      const row = { id, version, isNew: false, isAgain: false };
      for (const step of steps) {
        Object.assign(step, row, { row: { ...step.row, ...stored.values } });
        if (step.whole) step.whole = leftOf(step.whole, stored, row);
        else if (Object.hasOwn(stored.values, step.path)) step.base = { value: stored.values[step.path] };
      }
      const left = edit && edit !== stored ? leftOf(edit, stored, row) : undefined;
      if (left) this.rows.set(`${entity}/${id}`, left);
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
    if (step) {
      if (step.path !== undefined) this.#put(step, step.before);
      else if (step.whole) this.rows.set(nameOf(step), step.whole);
      else this.rows.delete(nameOf(step));
      return this.#changed();
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
