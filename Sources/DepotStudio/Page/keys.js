/** The keys, in a dialog. */

import { ask, h } from "./dom.js";

const KEYS = [
  ["Arrows, Page Up and Down, Home, End", "move in a table; with Ctrl to its ends"],
  ["Enter", "opens a row beside, or a related row; sorts at the head of a column"],
  ["F2", "edits a cell"],
  ["Delete", "deletes a row, after a question with the consequences"],
  ["Menu key, Shift F10", "opens the menu of a cell"],
  ["F", "filters by the value of the cell"],
  ["R", "shows rows that came, and the order of now"],
  ["/", "to the filter"],
  ["Escape", "closes the object beside"],
  ["Ctrl S", "saves all edits in one transaction"],
  ["Ctrl Z, Ctrl Shift Z", "takes back the last edit, or undoes the last save; does it again"],
];

export const showKeys = () =>
  ask(
    "Keys", h("dl", { class: "keys" }, KEYS.map(([key, text]) => [h("dt", {}, key), h("dd", {}, text)])),
    [{ text: "Close", kind: "primary" }],
  );
