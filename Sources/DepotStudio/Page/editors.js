/** Editors of values by their types. Each has an `element`, and `read()` returns the value or throws a WrongValue. */

import { DepotDate, JSONText, readJSON } from "/client/browser.js";

import { calmly, h, replace } from "./dom.js";
import { compact, formatted, jsonText, pathText } from "./format.js";
import { session } from "./session.js";
import { withLineEnds } from "./values.js";

export class WrongValue extends Error {}

/**
 * Makes the editor of a column. Its `state()` is another one only if the person changed something;
 * `read()` returns the same value until then, also if the editor can't show all of it.
 */
export function editorFor(column, value, label) {
  const editor = plainEditor(column, value, label);
  const first = editor.state();
  return { ...editor, read: () => (value !== undefined && editor.state() === first ? value : editor.read()) };
}

function plainEditor(column, value, label) {
  if (column.kind === "reference") return referenceEditor(column, value, label);
  const { type, attribute, collection } = column;
  const name = { "aria-label": column.name };
  if (collection || type === "json") {
    const text = value === undefined || value === null ? "" : jsonText(value, "", "  ");
    const element = area(text, { ...name, class: "code", rows: Math.min(14, Math.max(2, text.split("\n").length)) });
    return { element, isLong: true, state: () => element.value, read: () => {
      if (element.value.trim() === "") return null;
      try {
        return type === "json" ? new JSONText(compact(new JSONText(element.value).text)) : readJSON(element.value);
      } catch (error) {
        throw new WrongValue(`This is no JSON${error.message ? `: ${error.message}` : "."}`);
      }
    } };
  }
  if (attribute?.cases) {
    const options = attribute.cases.map(String);
    // An option's own text would lose its spaces.
    const select = h(
      "select", name, column.isOptional && h("option", { value: "" }, "–"),
      options.map((one, place) => h("option", { value: String(place) }, one)),
    );
    select.value = value === null || value === undefined ? "" : String(options.indexOf(String(value)));
    return {
      element: select, state: () => select.value,
      read: () => (select.value === "" ? null : attribute.cases[Number(select.value)]),
    };
  }
  switch (type) {
    case "bool": {
      const select = h("select", name, column.isOptional && h("option", { value: "" }, "–"),
        h("option", { value: "true" }, "yes"), h("option", { value: "false" }, "no"));
      select.value = value === null || value === undefined ? (column.isOptional ? "" : "false") : String(value);
      return {
        element: select, state: () => select.value,
        read: () => (select.value === "" ? null : select.value === "true"),
      };
    }
    case "date":
      return dateEditor(value, name);
    case "uuid": {
      const field = input(
        value ?? "", { ...name, placeholder: "00000000-0000-0000-0000-000000000000", class: "code" }
      );
      const make = h("button", { type: "button", class: "quiet", onclick: () => {
        field.value = crypto.randomUUID();
        field.dispatchEvent(new Event("change", { bubbles: true }));
      } }, "New");
      return {
        element: h("span", { class: "with-button" }, field, make), field, state: () => field.value,
        read: () => emptyAsNull(field.value.trim()),
      };
    }
    case "data":
      return dataEditor(value, name);
    case "double":
    case "float": {
      const field = input(
        value === null || value === undefined ? "" : String(value), { ...name, inputmode: "decimal" }
      );
      return { element: field, state: () => field.value, read: () => {
        const text = field.value.trim();
        if (text === "") return null;
        const number = Number(text);
        if (Number.isNaN(number) && text !== "NaN") throw new WrongValue(`${text} is no number.`);
        return number;
      } };
    }
    case "decimal":
    case "uint64": {
      const field = input(value ?? "", { ...name, inputmode: "decimal" });
      return { element: field, state: () => field.value, read: () => emptyAsNull(field.value.trim()) };
    }
    case "url": {
      const field = input(value ?? "", { ...name, inputmode: "url" });
      return { element: field, state: () => field.value, read: () => emptyAsNull(field.value.trim()) };
    }
    case "string":
      return textEditor(column, value, name);
  }
  const field = input(value === null || value === undefined ? "" : String(value), { ...name, inputmode: "numeric" });
  return { element: field, state: () => field.value, read: () => {
    const text = field.value.trim();
    if (text === "") return null;
    if (!/^-?[0-9]{1,20}$/.test(text)) throw new WrongValue(`${text} is no whole number.`);
    const number = Number(text);
    return Number.isSafeInteger(number) ? number : BigInt(text);
  } };
}

const emptyAsNull = (text) => (text === "" ? null : text);
const input = (value, attributes) => h(
  "input", { type: "text", spellcheck: "false", autocomplete: "off", value, ...attributes }
);

const area = (value, attributes) => h("textarea", { spellcheck: "false", value, ...attributes });

/**
 * An editor of a text. A null one and an empty one are told apart, by a button.
 * The field has LF at the end of each line; line ends that nobody touched stay as they were.
 */
function textEditor(column, value, name) {
  let text = value ?? "";
  let isNull = column.isOptional && (value === null || value === undefined);
  const field = area(text, {
    ...name, rows: Math.min(8, text.split(/\r\n|\r|\n/).length), oninput: () => take(),
  });
  const take = () => (text = withLineEnds(text, field.value));
  const state = () => (isNull && field.value === "" ? null : field.value);
  const button = h("button", { type: "button", class: "quiet", onclick: () => {
    isNull = state() !== null;
    field.value = "";
    show();
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.dispatchEvent(new Event("change", { bubbles: true }));
  } });
  const show = () => {
    replace(button, state() === null ? "Empty" : "Null");
    field.placeholder = isNull ? "null" : "empty";
  };
  field.addEventListener("input", show);
  show();
  return {
    element: column.isOptional ? h("span", { class: "with-button" }, field, button) : field,
    field, isLong: true, hasNull: column.isOptional, state, read: () => (state() === null ? null : take()),
  };
}

/** An editor of a date, in UTC. */
function dateEditor(value, name) {
  const shown = value instanceof Date && !Number.isNaN(value.getTime())
    ? value.toISOString().slice(0, 23).replace(/\.000$/, "") : "";
  const field = h("input", { type: "datetime-local", step: "any", ...name, value: shown });
  return {
    element: h("span", { class: "with-button" }, field, h("span", { class: "dim" }, "UTC")), field,
    state: () => field.value,
    read: () => {
      if (field.value === "") return null;
      const text = field.value.length === 16 ? `${field.value}:00` : field.value;
      try {
        return DepotDate.from(`${text}Z`);
      } catch {
        throw new WrongValue("This is no date.");
      }
    },
  };
}

function dataEditor(value, name) {
  let bytes = value;
  const note = h("span", { class: "dim" }, formatted(value).text);
  const field = h("input", { type: "file", ...name, onchange: async () => {
    const [file] = field.files;
    if (!file) return;
    bytes = new Uint8Array(await file.arrayBuffer());
    replace(note, formatted(bytes).text);
    field.dispatchEvent(new Event("read", { bubbles: true }));
  } });
  return {
    element: h("span", { class: "with-button" }, field, note), field, isFile: true, state: () => bytes,
    read: () => bytes ?? null,
  };
}

/** A search for a row of another entity. */
function referenceEditor(column, value, label) {
  let id = value ?? null;
  const field = input(
    label === undefined ? id === null ? "" : String(id) : formatted(label).text,
    {
      "aria-label": column.name, role: "combobox", "aria-expanded": "false",
      placeholder: `Find a ${column.destination}`,
    },
  );
  const list = h("ul", { class: "options", role: "listbox", hidden: true, "aria-label": column.destination });
  const picker = rowPicker(column.destination, field, list, (row, text) => {
    id = row.$id;
    field.value = text;
  });
  field.addEventListener("input", () => {
    if (field.value.trim() === "") id = null;
    picker.find(field.value);
  });
  return {
    element: h("span", { class: "picker" }, field, list), field, isPicker: true, state: () => id, read: () => id
  };
}

/** Finds rows by their label or identifier. */
export function rowPicker(entity, field, list, take) {
  const label = session.model.label(entity);
  let rows = [];
  let chosen = -1;
  let turn = 0;
  const show = () => {
    list.hidden = rows.length === 0;
    field.setAttribute("aria-expanded", String(rows.length > 0));
    replace(list, rows.map((row, index) => h("li", {
      role: "option", "aria-selected": String(index === chosen),
      onmousedown: (event) => { event.preventDefault(); pick(index); },
    }, h("span", {}, textOf(row)), h("span", { class: "dim" }, `${row.$id}`))));
  };
  const textOf = (row) => (
    label && row[label] !== null && row[label] !== undefined ? formatted(row[label]).text : `${entity}/${row.$id}`
  );
  const pick = (index) => {
    const row = rows[index];
    rows = [];
    show();
    take(row, textOf(row));
    field.dispatchEvent(new Event("picked", { bubbles: true }));
  };
  const find = calmly(120, async (text) => {
    const mine = ++turn;
    const wanted = text.trim();
    const bind = { text: wanted };
    const byLabel = label ? `${pathText(label)} CONTAINS[cd] $text` : undefined;
    const where = /^[0-9]+$/.test(wanted) ? (
      byLabel ? `$id == ${wanted} OR ${byLabel}` : `$id == ${wanted}`
    ) : wanted ? byLabel : undefined;
    const query = { where, limit: 12, select: label ? [label] : [], sort: label ? [{ attribute: label }] : [] };
    if (where?.includes("$text")) query.bind = bind;
    const found = await session.client.entity(entity).fetch(query).toArray().catch(() => []);
    if (mine !== turn) return;
    rows = found;
    chosen = -1;
    show();
  });
  field.addEventListener("focus", () => find(""));
  field.addEventListener("blur", () => { rows = []; turn++; show(); });
  field.addEventListener("keydown", (event) => {
    if ((event.key === "ArrowDown" || event.key === "ArrowUp") && rows.length) {
      event.preventDefault();
      chosen = (chosen + (event.key === "ArrowDown" ? 1 : rows.length - 1)) % rows.length;
      show();
    } else if (event.key === "Enter" && rows.length) {
      event.preventDefault();
      event.stopPropagation();
      pick(Math.max(0, chosen));
    }
  });
  return { find };
}
