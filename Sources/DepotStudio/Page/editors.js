/** Editors of values by their types. Each has an `element`, and `read()` returns the value or throws a WrongValue. */

import { DepotDate, readJSON } from "/client/browser.js";

import { calmly, h, replace } from "./dom.js";
import { formatted, jsonText } from "./format.js";
import { session } from "./session.js";

export class WrongValue extends Error {}

/** Makes the editor of a column. */
export function editorFor(column, value, label) {
  if (column.kind === "reference") return referenceEditor(column, value, label);
  const { type, attribute, collection } = column;
  const name = { "aria-label": column.name };
  if (collection || type === "json") {
    return area(value === undefined || value === null ? "" : jsonText(value, "", "  "), name, (text) => {
      if (text.trim() === "") return null;
      try {
        return readJSON(text);
      } catch (error) {
        throw new WrongValue(`This is no JSON: ${error.message}`);
      }
    }, "code");
  }
  if (attribute?.cases) {
    const options = attribute.cases.map(String);
    const select = h(
      "select", name, column.isOptional && h("option", { value: "" }, "–"), options.map((one) => h("option", {}, one))
    );
    select.value = value === null || value === undefined ? "" : String(value);
    return {
      element: select,
      read: () => (select.value === "" && column.isOptional ? null : attribute.cases[options.indexOf(select.value)]),
    };
  }
  switch (type) {
    case "bool": {
      const select = h("select", name, column.isOptional && h("option", { value: "" }, "–"),
        h("option", { value: "true" }, "yes"), h("option", { value: "false" }, "no"));
      select.value = value === null || value === undefined ? (column.isOptional ? "" : "false") : String(value);
      return { element: select, read: () => (select.value === "" ? null : select.value === "true") };
    }
    case "date":
      return dateEditor(value, name);
    case "uuid": {
      const field = input(
        value ?? "", { ...name, placeholder: "00000000-0000-0000-0000-000000000000", class: "code" }
      );
      const make = h(
        "button", { type: "button", class: "quiet", onclick: () => (field.value = crypto.randomUUID()) }, "New"
      );
      return {
        element: h("span", { class: "with-button" }, field, make), field, read: () => emptyAsNull(field.value.trim())
      };
    }
    case "data":
      return dataEditor(value, name);
    case "double":
    case "float": {
      const field = input(
        value === null || value === undefined ? "" : String(value), { ...name, inputmode: "decimal" }
      );
      return { element: field, read: () => {
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
      return { element: field, read: () => emptyAsNull(field.value.trim()) };
    }
    case "url":
      return {
        element: input(value ?? "", { ...name, inputmode: "url" }),
        read() { return emptyAsNull(this.element.value.trim()); },
      };
    case "string":
      return area(
        value ?? "", { ...name, rows: Math.min(8, String(value ?? "").split("\n").length) }, (text) => text, "",
        value ?? "",
      );
  }
  const field = input(value === null || value === undefined ? "" : String(value), { ...name, inputmode: "numeric" });
  return { element: field, read: () => {
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

function area(text, attributes, read, kind) {
  const element = h("textarea", { rows: 1, spellcheck: "false", class: kind, ...attributes });
  element.value = text;
  if (kind === "code") element.rows = Math.min(14, Math.max(2, text.split("\n").length));
  return { element, isLong: true, read: () => read(element.value) };
}

/** An editor of a date, in UTC. A fraction that the field can't show stays unless the field changes. */
function dateEditor(value, name) {
  const shown = value instanceof Date && !Number.isNaN(value.getTime())
    ? value.toISOString().slice(0, 23).replace(/\.000$/, "") : "";
  const field = h("input", { type: "datetime-local", step: "any", ...name, value: shown });
  const before = field.value;
  return {
    element: h("span", { class: "with-button" }, field, h("span", { class: "dim" }, "UTC")), field,
    read: () => {
      if (field.value === before) return value ?? null;
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
    element: h("span", { class: "with-button" }, field, note), field, isFile: true, read: () => bytes ?? null
  };
}

/** A search for a row of another entity. */
function referenceEditor(column, value, label) {
  let id = value ?? null;
  const field = input(
    label ?? (id === null ? "" : String(id)),
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
  return { element: h("span", { class: "picker" }, field, list), field, isPicker: true, read: () => id };
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
    const byLabel = label ? `${label} CONTAINS[cd] $text` : undefined;
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
