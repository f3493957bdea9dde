/** The dialog about rows that others changed meanwhile: base, theirs, mine, and a choice for each property. */

import { choicesOf, isDecided, madeAgain, settle } from "./conflict.js";
import { ask, h, replace } from "./dom.js";
import { formatted, isLength, momentText, whoText } from "./format.js";
import { DepotDate } from "/client/browser.js";

import { session } from "./session.js";

let count = 0;

function valueText(entity, path, value) {
  if (value === undefined) return h("span", { class: "dim" }, "not told");
  const column = session.model.has(entity) ? session.model.column(entity, path) : undefined;
  let shown = value;
  if (column?.type === "date" && typeof value === "string") {
    try {
      shown = DepotDate.from(value);
    } catch {
      // It is shown as it is.
    }
  }
  // A conflict has only the length of a large JSON value, too.
  const { text, look } = formatted(shown, isLength(shown) ? undefined : column);
  return h("span", { class: look }, text);
}

/** Shows the values of a conflict, without choices. */
export function conflictTable(conflict, theirs = "theirs", mine = "mine") {
  const { entity, id } = conflict;
  return h("section", { class: "conflict" }, h("h3", {}, `${entity}/${id}`, kindText(conflict)),
    h("div", { class: "scroll-x" }, h("table", {},
      h(
        "thead", {},
        h(
          "tr", {},
          [
            "property", theirs === "theirs" ? "before" : theirs, "now", mine
          ].map((text) => h("th", { scope: "col" }, text)),
        ),
      ),
      h("tbody", {}, choicesOf(conflict).map(({ path, base, theirs: now, mine: own }) => h("tr", {},
        h("th", { scope: "row" }, path),
        [base, now, own].map((value) => h("td", {}, valueText(entity, path, value)))))))));
}

const kindText = ({ kind }) => ({
  updateOfDeleted: " was deleted meanwhile", deleteOfUpdated: " was changed meanwhile",
  unique: " would have a value that another row has",
  read: " was changed meanwhile",
})[kind] ?? "";

/**
 * Asks about conflicts, and gives the edits the chosen values.
 * @returns {Promise<boolean>} whether the edits are to be saved
 */
export async function askAboutConflicts(edits, conflicts) {
  const parts = conflicts.map((conflict) => ({ conflict, choices: choicesOf(conflict), whole: undefined }));
  const save = { text: "Save my choice", value: "save", kind: "primary", disabled: true };
  const content = h("div", {}, h(
    "p", {}, "Others saved the same rows since you read them. Nothing of yours is stored yet."
  ),
    parts.map((part) => section(part, edits.get(part.conflict.entity, part.conflict.id), () => update())));
  const update = () => {
    const isDone = parts.every(
      ({ conflict, choices, whole }) => isWhole(conflict) ? whole !== undefined : isDecided(choices)
    );
    const button = content.closest("dialog")?.querySelector("button.primary");
    if (button) button.disabled = !isDone;
  };
  queueMicrotask(update);
  const answer = await ask(
    conflicts.length === 1 ? "A conflict" : `${conflicts.length} conflicts`, content,
    [{ text: "Back to my edits" }, save],
  );
  if (answer !== "save") return false;
  settle(edits.rows, parts);
  edits.dispatchEvent(new Event("change"));
  return true;
}

const isWhole = ({ kind }) => kind === "updateOfDeleted" || kind === "deleteOfUpdated";

function section(part, edit, changed) {
  const { conflict, choices } = part;
  const { entity, id, changedBy } = conflict;
  const group = `conflict${count++}`;
  if (isWhole(conflict)) {
    const who = changedBy?.$deleted;
    const [mine, theirs] = conflict.kind === "updateOfDeleted"
      ? ["Make it again with my values", "Let it be deleted"] : ["Delete it all the same", "Keep it"];
    const isUpdate = conflict.kind === "updateOfDeleted" && edit;
    const lost = isUpdate ? madeAgain(edit, session.model).unknown : [];
    return h("section", { class: "conflict" }, h(
      "h3", {}, `${entity}/${id}`, kindText(conflict), who && ` by ${whoText(who)}`
    ),
      [["theirs", theirs], ["mine", mine]].map(([value, text]) => h("label", {},
        h("input", { type: "radio", name: group, onchange: () => { part.whole = value; changed(); } }), text)),
      lost.length > 0 && h("p", { class: "dim" }, `Made again without ${lost.join(", ")}, which the page hasn't read.`));
  }
  const rows = choices.map((choice, index) => {
    const name = `${group}-${index}`;
    const pick = (value, text) => h("label", { class: "pick" }, h("input", {
      type: "radio", name, checked: choice.choice === value, "aria-label": `${choice.path}: ${text}`,
      onchange: () => { choice.choice = value; row.className = `chosen-${value}`; changed(); },
    }), valueText(entity, choice.path, value === "mine" ? choice.mine : choice.theirs));
    const row = h("tr", { class: choice.choice ? `chosen-${choice.choice}` : "" },
      h(
        "th", { scope: "row" }, choice.path,
        choice.who && h("span", { class: "dim by" }, `${whoText(choice.who)}, ${momentText(choice.who.at)}`),
      ),
      h("td", {}, valueText(entity, choice.path, choice.base)),
      h(
        "td", { class: "theirs" },
        choice.isMine && choice.isBoth ? pick("theirs", "theirs") : valueText(entity, choice.path, choice.theirs),
      ),
      h(
        "td", { class: "mine" },
        !choice.isMine ? h(
          "span", { class: "dim" }, "not changed"
        ) : choice.isBoth ? pick("mine", "mine") : valueText(entity, choice.path, choice.mine),
      ));
    return row;
  });
  const all = (value) => {
    for (const radio of box.querySelectorAll(`td.${value} input`)) radio.click();
  };
  const box = h("section", { class: "conflict" },
    h("h3", {}, `${entity}/${id}`, kindText(conflict)),
    h("div", { class: "scroll-x" }, h("table", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "property"),
      h("th", { scope: "col" }, "base"),
      h("th", { scope: "col" }, h("button", { class: "quiet", onclick: () => all("theirs") }, "theirs")),
      h(
        "th", { scope: "col" }, h("button", { class: "quiet", onclick: () => all("mine") }, "mine")
      ))), h("tbody", {}, rows))));
  return box;
}

export { replace };
