/** Editing in the table, deletions, and new rows. */

import { ask, h, replace, toast } from "./dom.js";
import { editorFor } from "./editors.js";
import { isLarge, plural } from "./format.js";
import { session } from "./session.js";

/** Edits a cell in its place. Values that don't fit there are edited with their object. */
export async function editCell(view, place, index, row) {
  const { grid } = view;
  const column = grid.columns[index];
  const entity = row.$entity ?? view.entity;
  const draft = session.edits.value(entity, row.$id, column.path);
  const now = draft ? draft.value : row[column.path];
  const isElsewhere = column.collection || ["data", "json"].includes(column.type) || isLarge(now, column);
  if (column.kind === "id" || isElsewhere) return view.page.go({ beside: { entity, id: row.$id } });
  if (column.isDerived) return view.page.say(`${column.name} is computed by the store`);
  const cell = grid.elementAt(place, index);
  if (!cell) return;
  const editor = editorFor(column, now, column.label && !draft ? row[column.label] ?? undefined : undefined);
  const before = editor.state();
  const problem = h("p", { class: "inline-error" });
  const box = h("div", { class: "cell-editor" }, editor.element, problem);
  const grounds = grid.getBoundingClientRect();
  const at = cell.getBoundingClientRect();
  const field = editor.field ?? editor.element;
  let isDone = false;
  const end = (isKept) => {
    if (isDone) return true;
    if (isKept && editor.state() !== before) {
      try {
        const value = editor.read();
        isDone = true;
        session.edits.set(entity, row, column.path, value);
      } catch (error) {
        replace(problem, error.message);
        return false;
      }
    }
    isDone = true;
    box.remove();
    grid.renderAll();
    return true;
  };
  box.addEventListener("keydown", (event) => {
    const isNewLine = event.key === "Enter" && event.shiftKey && editor.isLong;
    if (event.key === "Escape") end(false);
    else if (event.key === "Enter" && !isNewLine) {
      if (!end(true)) return event.preventDefault();
    } else if (event.key === "Tab") {
      if (!end(true)) return event.preventDefault();
      grid.move(place, index + (event.shiftKey ? -1 : 1));
    } else return event.stopPropagation();
    event.preventDefault();
    event.stopPropagation();
    grid.focus();
  });
  box.addEventListener("focusout", (event) => {
    if (!box.contains(event.relatedTarget)) setTimeout(() => end(true));
  });
  view.element.append(box);
  const outer = view.element.getBoundingClientRect();
  box.style.left = `${Math.max(at.left, grounds.left) - outer.left}px`;
  box.style.top = `${at.top - outer.top}px`;
  box.style.width = `${Math.max(at.width, 180)}px`;
  field.focus();
  field.select?.();
}

/** Makes a row that isn't stored before it is saved. */
export function insertRow(entity, page) {
  const concrete = session.model.concrete(entity)[0] ?? entity;
  const id = session.edits.insert(concrete);
  page.newRow(concrete, id);
}

/** The most rows that are read before a deletion is explained. */
const MOST = 2000;

/**
 * Finds the rows that a deletion takes along by the delete rules, the links that it cuts, and the rows that forbid it.
 *
 * @returns {Promise<{ goes: Map<string, number>, cut: Map<string, number>, denied: string[], isMore: boolean }>}
 */
export async function consequences(entity, id) {
  const { model, client } = session;
  const goes = new Map();
  const cut = new Map();
  const denied = new Map();
  const seen = new Set([`${root(entity)}/${id}`]);
  let queue = [{ entity, ids: [id] }];
  let isMore = false;
  const add = (map, name, count) => map.set(name, (map.get(name) ?? 0) + count);
  while (queue.length) {
    const next = [];
    for (const part of (await Promise.all(queue.map(ownEntities))).flat()) {
      for (const relation of model.relationships(part.entity)) {
        const rule = relation.deleteRule ?? "nullify";
        if (rule === "noAction") continue;
        const rows = await client.entity(part.entity).fetch({
          where: { in: [{ attribute: "$id" }, { value: part.ids, list: true }] }, select: [relation.name],
        }).toArray();
        const found = new Set(rows.flatMap((row) => row[relation.name] ?? []));
        if (found.size === 0) continue;
        const name = `${part.entity}.${relation.name}`;
        if (rule === "cascade") {
          const fresh = [...found].filter((one) => !seen.has(`${root(relation.destination)}/${one}`));
          if (seen.size + fresh.length > MOST) isMore = true;
          const taken = fresh.slice(0, Math.max(0, MOST - seen.size));
          for (const one of taken) seen.add(`${root(relation.destination)}/${one}`);
          if (taken.length) {
            add(goes, relation.destination, taken.length);
            next.push({ entity: relation.destination, ids: taken });
          }
        } else if (rule === "deny") {
          denied.set(name, [relation.destination, [...found]]);
        } else {
          add(cut, name, found.size);
        }
      }
    }
    queue = next;
  }
  const stays = [...denied].flatMap(([name, [destination, ids]]) => {
    const left = ids.filter((one) => !seen.has(`${root(destination)}/${one}`));
    return left.length ? [`${name}: ${plural(left.length, "row")} of ${destination}`] : [];
  });
  return { goes, cut, denied: stays, isMore };

  /** Rows by their own entities, whose relationships may be more. */
  async function ownEntities({ entity: name, ids }) {
    if (model.descendants(name).length === 0) return [{ entity: name, ids }];
    const rows = await client.entity(name).fetch({
      where: { in: [{ attribute: "$id" }, { value: ids, list: true }] }, select: ["$entity"],
    }).toArray();
    return [...new Set(rows.map(({ $entity }) => $entity))].map((one) => (
      { entity: one, ids: rows.filter(({ $entity }) => $entity === one).map(({ $id }) => $id) }
    ));
  }

  function root(name) {
    return model.lineage(name)[0]?.name ?? name;
  }
}

/** Shows the consequences of a deletion, and asks whether to do it now, later, or not at all. */
export async function deleteRow(entity, id, version) {
  const found = await consequences(entity, id).catch((error) => ({ error }));
  const { goes, cut, denied, isMore, error } = found;
  const lines = error ? [h("p", {}, error.message)] : [
    goes.size > 0 && h(
      "p", {}, "Deleted with it: ",
      h("strong", {}, [...goes].map(([name, count]) => `${plural(count, "row")} of ${name}`).join(", ")),
      isMore && " and more", ".",
    ),
    cut.size > 0 && h(
      "p", {}, "Will no longer lead to each other: ",
      [...cut].map(([name, count]) => `${plural(count, "row")} by ${name}`).join(", "), ".",
    ),
    denied.length > 0 && h("p", { class: "inline-error" }, "A delete rule forbids it: ", denied.join(", "), "."),
    goes.size === 0 && cut.size === 0 && denied.length === 0 && h("p", {}, "Nothing else goes with it."),
  ];
  const { edits } = session;
  const isAlone = edits.isEmpty;
  if (!isAlone) lines.push(h(
    "p", {}, edits.isSaving ? "Other edits are being saved. " : "Other edits aren't saved yet. ",
    "The deletion is added to the edits, and is done when you save them.",
  ));
  const answer = await ask(`Delete ${entity}/${id}?`, h("div", { class: "lines" }, lines), isAlone ? [
    { text: "Keep" }, { text: "Add to the edits", value: "later" }, { text: "Delete", value: "now", kind: "danger" },
  ] : [{ text: "Keep" }, { text: "Add to the edits", value: "later", kind: "danger" }]);
  if (!answer) return false;
  edits.delete(entity, id, version);
  if (answer === "now") {
    const isDone = await edits.save();
    if (!isDone && edits.error) {
      toast(edits.error.message);
      edits.drop(entity, id);
    }
  }
  return true;
}
