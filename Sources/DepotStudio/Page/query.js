/** Queries: predicate, order, sections, groups, how they run, and their result as a file. */

import { isPath, withMembers } from "./address.js";
import { fillCell, showValue, widthOf } from "./cells.js";
import { errorBox, h, replace } from "./dom.js";
import { countText, durationText, formatted, isNumeric, plural } from "./format.js";
import "./grid.js";
import "./predicate.js";
import { selection } from "./schema.js";
import { session } from "./session.js";

/** As many rows are shown; a file may have all. */
const MOST = 10_000;
const FUNCTIONS = ["count", "countDistinct", "sum", "min", "max", "average", "median", "mode", "stddev"];

export class QueryView {
  title = "Query";
  name = "query";
  #run = new AbortController();

  constructor(address, page) {
    this.page = page;
    const { model } = session;
    const apply = (name) => (event) => this.page.go({ [name]: event.target.value.trim() || undefined });
    this.entities = h("select",
      {
        "aria-label": "Entity",
        onchange: () => this.page.go(
          {
            entity: this.entities.value, where: undefined, sort: [], by: undefined, of: undefined, section: undefined,
            aggregate: undefined,
          }
        ),
      },
      model.names.map((name) => h("option", {}, name)));
    this.where = h("predicate-field", { label: "Predicate", hint: "All rows" });
    this.where.addEventListener("predicate", ({ detail }) => this.page.go({ where: detail || undefined }));
    this.sort = h("input", { type: "text", "aria-label": "Order", placeholder: "title, -year", onchange: (event) =>
      this.page.go({
      sort: event.target.value.split(",").map((key) => key.trim()).filter(Boolean).map((key) =>
        key.startsWith("-") ? { path: key.slice(1).trim(), descending: true } : { path: key, descending: false }),
    }) });
    this.section = h(
      "input", { type: "text", "aria-label": "Sections by", placeholder: "path", onchange: apply("section") }
    );
    this.by = h(
      "input",
      { type: "text", "aria-label": "Groups by", placeholder: "author.name, year / 10 * 10", onchange: apply("by") },
    );
    this.functions = h("select",
      {
        "aria-label": "Aggregate", onchange: (event) => this.page.go({ aggregate: event.target.value || undefined })
      },
      h("option", { value: "" }, "rows"), FUNCTIONS.map((name) => h("option", {}, name)));
    this.of = h("input", { type: "text", "aria-label": "Of", placeholder: "of: pages", onchange: apply("of") });
    this.search = h(
      "input",
      {
        type: "search", "aria-label": "Full text", placeholder: 'quick fox, "in a row", beg*',
        onchange: apply("search"),
      },
    );
    this.columns = h(
      "input",
      {
        type: "text", "aria-label": "Columns", placeholder: "All",
        onchange: (event) => this.page.go(
          { columns: event.target.value.split(",").map((path) => path.trim()).filter(Boolean) }
        ),
      },
    );
    this.limit = h(
      "input",
      {
        type: "text", "aria-label": "Limit", inputmode: "numeric", placeholder: countText(1000),
        onchange: apply("limit"),
      },
    );
    this.searchLabel = labelled("Full text", this.search);
    this.result = h("div", { class: "query-result" });
    this.explained = h("div", { class: "explained" });
    this.state = h("span", { class: "count", role: "status" });
    this.cancel = h("button", { class: "quiet", hidden: true, onclick: () => this.#run.abort() }, "Cancel");
    const file = (format) => h(
      "button", { class: "quiet", onclick: () => void this.#save(format) }, format.toUpperCase()
    );
    this.form = h("div", { class: "query-form" },
      labelled("Entity", this.entities), labelled("Where", this.where), this.searchLabel,
      labelled("Order by", this.sort),
      labelled("Sections", this.section), labelled("Groups by", this.by),
      labelled("Value", h("span", { class: "pair" }, this.functions, this.of)),
      labelled("Columns", this.columns), labelled("Limit", this.limit));
    this.element = h("section", { class: "view query-view", "aria-label": "Query" },
      h("header", { class: "bar" }, h("h1", {}, "Query"), this.state, this.cancel, h(
        "span", { class: "space" }
      ), h("div", { class: "tools" }, h("span", { class: "dim" }, "Save as"), file("csv"), file("ndjson"),
        h("button", { class: "primary", onclick: () => void this.#start() }, "Run"))),
      h("div", { class: "query-top" }, this.form, this.explained), this.result);
    this.update(address);
  }

  close() {
    this.#run.abort();
  }

  update(address) {
    this.address = address;
    const { model } = session;
    this.entity = model.has(address.entity) ? address.entity : model.names[0];
    if (!this.entity) return replace(this.result, h("p", { class: "hint" }, "The store has no entities yet."));
    this.entities.value = this.entity;
    if (this.where.value !== (address.where ?? "")) this.where.value = address.where ?? "";
    this.where.applied = address.where ?? "";
    this.where.words = model.words(this.entity);
    this.sort.value = address.sort.map(({ path, descending }) => (descending ? `-${path}` : path)).join(", ");
    this.section.value = address.section ?? "";
    this.by.value = address.by ?? "";
    this.functions.value = address.aggregate ?? "";
    this.of.value = address.of ?? "";
    this.of.hidden = !address.aggregate;
    this.search.value = address.search ?? "";
    this.searchLabel.hidden = !model.columns(this.entity).some(({ attribute }) => attribute?.spotlight);
    this.columns.value = address.columns.join(", ");
    this.limit.value = address.limit ?? "";
    const key = JSON.stringify({ ...address, beside: undefined });
    if (key !== this.key) {
      this.key = key;
      void this.#start();
    }
  }

  /** The operation and its arguments, as the fields say. */
  get query() {
    const { where, sort, section, by, aggregate, of, search, columns, limit } = this.address;
    const text = search && `SELF MATCHES TEXT ${JSON.stringify(search)}`;
    const both = [where && text ? `(${where})` : where, text].filter(Boolean).join(" AND ") || undefined;
    const number = /^[0-9]+$/.test(limit ?? "") ? Number(limit) : undefined;
    const keys = sort.map(
      ({ path, descending }) => (
        isPath(path) ? { attribute: path, descending } : { key: path, descending }
      )
    );
    // Sections are the first order.
    if (section && keys.length && keys[0].attribute !== section) keys.unshift({ attribute: section });
    if (by || aggregate) {
      return { operation: "aggregate", args: {
        where: both, by: (by ?? "").split(",").map((one) => one.trim()).filter(Boolean)
          .map(
            (one) => (
              isPath(one) ? one : {
                name: one.replace(/[^\p{L}\p{N}_]+/gu, "_").replace(/^[_\d]+|_+$/g, "") || "group", key: one
              }
            )
          ),
        values: aggregate ? [
          {
            name: of && aggregate !== "count" ? `${aggregate}_${of.replace(/[^\p{L}\p{N}_]+/gu, "_")}` : aggregate,
            aggregate, of: of || undefined,
          }
        ] : [{ name: "rows", aggregate: "count" }],
        sort: keys, limit: number,
      } };
    }
    const known = session.model.columns(this.entity);
    const own = columns.length ? columns : undefined;
    return {
      operation: "fetch",
      args: { where: both, sort: keys, sectionBy: section, limit: number, select: own ?? selection(known) },
    };
  }

  async #start() {
    this.#run.abort();
    const run = (this.#run = new AbortController());
    const { signal } = run;
    const { operation, args } = this.query;
    this.cancel.hidden = false;
    replace(this.state, "Running…");
    this.where.showError(undefined);
    const began = performance.now();
    const explained = this.#explain(operation, args, signal);
    try {
      const rows = [];
      const entity = session.client.entity(this.entity);
      const limit = Math.min(args.limit ?? 1000, MOST);
      const calls = operation === "aggregate" ? entity.aggregate(
        { ...args, limit }, { signal }
      ) : entity.fetch({ ...args, limit }, { signal });
      for await (const row of calls) rows.push(row);
      const took = durationText((performance.now() - began) * 1000);
      replace(
        this.state,
        `${plural(rows.length, operation === "aggregate" ? "group" : "row")} in ${took}`,
        rows.length === limit && !args.limit && ", the first ones",
      );
      this.#show(rows, operation, args, calls.result?.sections);
    } catch (error) {
      if (signal.aborted) {
        if (run === this.#run) replace(this.state, "Cancelled");
      } else {
        replace(this.state);
        if (/^request\.predicate/.test(error.code) && /where/.test(error.at ?? "where")) this.where.showError(error);
        replace(this.result, errorBox(error));
      }
    } finally {
      if (run === this.#run) this.cancel.hidden = true;
    }
    await explained;
  }

  #show(rows, operation, args, sections) {
    const { model } = session;
    const names = Object.keys(rows[0] ?? {}).filter((name) => name !== "$version");
    const known = new Map(model.columns(this.entity).map((column) => [column.path, column]));
    const labels = new Set([...known.values()].map(({ label }) => label).filter(Boolean));
    const shown = operation === "aggregate" || this.address.columns.length ? names : names.filter(
      (name) => !labels.has(name)
    );
    const grid = h("studio-grid", { "aria-label": "Result" });
    grid.cell = (element, row, column) => {
      if (column.key === "$id") element.append(
        h(
          "a",
          {
            class: "row-link id",
            href: withMembers(this.page.address, { beside: { entity: row.$entity ?? this.entity, id: row.$id } }),
          },
          String(row.$id),
        )
      );
      else if (column.kind) fillCell(element, row, column, this.page.address);
      else showValue(element, row[column.key], column);
    };
    grid.source = { total: rows.length, row: (place) => rows[place] };
    replace(
      this.result, sections && sectionList(sections),
      rows.length > 0 ? grid : h("p", { class: "empty-page" }, "No rows."),
    );
    if (rows.length === 0) return;
    grid.setColumns(shown.map((name) => {
      const column = known.get(name.replace(/\.\$length$/, ""));
      const sample = rows.find((row) => row[name] !== null)?.[name];
      const isNumber = column ? isNumeric(column) : typeof sample === "number" || typeof sample === "bigint";
      return {
        ...(column ?? {}), key: name, title: name.replace(/\.\$length$/, ""),
        width: column ? widthOf(column) : name === "$id" ? 76 : Math.max(110, 8 * name.length + 24),
        isNumeric: isNumber, canSort: false,
      };
    }));
    grid.addEventListener("grid-open", ({ detail }) => {
      const row = rows[detail.row];
      if (row?.$id !== undefined) this.page.go({ beside: { entity: row.$entity ?? this.entity, id: row.$id } });
    });
  }

  // How it runs

  async #explain(operation, args, signal) {
    try {
      const told = await session.client.entity(this.entity).explain({ ...args, of: operation }, { signal });
      const run = h("button", { class: "quiet", onclick: async () => {
        run.disabled = true;
        try {
          const cost = (
            await session.client.entity(this.entity).explain(
              { ...args, of: operation, run: true }, { signal: this.#run.signal }
            )
          ).run;
          replace(
            costs,
            [
              plural(cost.rows, "row"), `${countText(cost.scanned)} scanned one after the other`,
              plural(cost.sorts, "sort"), durationText(cost.microseconds),
            ].join(" · "),
          );
        } catch (error) {
          replace(costs, error.message);
        }
        run.disabled = false;
      } }, "Measure");
      const costs = h("span", { class: "dim", role: "status" });
      replace(this.explained, h("details",
        { open: this.isOpen, ontoggle: (event) => (this.isOpen = event.target.open) },
        h("summary", {}, told.fullScan ? h("span", { class: "tag" }, "full scan") : h(
          "span", { class: "good tag" }, "index"
        ), told.uses.length ? told.uses.join(", ") : "every row is looked at",
          told.advice && h("span", { class: "advice" }, ` ${told.advice}`)),
        h("div", { class: "explain-body" },
          told.predicate && tree(told.predicate),
          h("ol", { class: "plan code" }, told.plan.map((step) => h("li", {}, step))),
          h("div", { class: "tools" }, run, costs),
          h("details", {}, h("summary", { class: "dim" }, "SQL"), h("pre", { class: "code" }, told.sql)))));
    } catch (error) {
      if (!signal.aborted) replace(this.explained);
    }
  }

  async #save(format) {
    this.#run.abort();
    const run = (this.#run = new AbortController());
    this.cancel.hidden = false;
    const { saveRows } = await import("./export.js");
    const { operation, args } = this.query;
    try {
      const { count, lengths } = await saveRows(
        this.entity, operation, args, format, run.signal,
        (rows) => replace(this.state, `${plural(rows, "row")} written…`),
      );
      const note = lengths ? `; ${plural(lengths, "value")} too large for the file, which has the length only` : "";
      replace(this.state, `${plural(count, "row")} saved${note}`);
    } catch (error) {
      replace(this.state, run.signal.aborted ? "Cancelled" : error.message);
    }
    this.cancel.hidden = true;
  }
}

const labelled = (text, field) => h("label", { class: "field" }, h("span", {}, text), field);

function sectionList(sections) {
  return h("div", {
    class: "sections", role: "list", "aria-label": "Sections"
  }, sections.slice(0, 200).map(([value, count]) =>
    h("span", { role: "listitem" }, formatted(value).text, h("span", { class: "count" }, ` ${countText(count)}`))));
}

/** Shows a predicate as a tree. */
function tree(node) {
  if (typeof node !== "object" || node === null) return h("span", { class: "constant" }, JSON.stringify(node));
  if (Array.isArray(node)) return h("ul", { class: "tree" }, node.map((one) => h("li", {}, tree(one))));
  if ("attribute" in node) return h("span", { class: "path" }, node.attribute);
  if ("variable" in node && Object.keys(node).length === 1) return h("span", { class: "path" }, `$${node.variable}`);
  if ("value" in node) return h("span", { class: "constant" }, JSON.stringify(node.value).slice(0, 200));
  const [[name, parts], ...options] = Object.entries(node);
  const list = Array.isArray(parts) ? parts : [parts];
  const isFlat = list.every(
    (part) => typeof part !== "object" || part === null || "attribute" in part || "value" in part
      || "variable" in part
  );
  const title = h(
    "span", { class: "operator" }, name, options.map(([option, value]) => ` ${option}: ${JSON.stringify(value)}`)
  );
  if (isFlat && list.length <= 2) {
    return h(
      "span", { class: "flat" },
      list.length === 2 ? [tree(list[0]), " ", title, " ", tree(list[1])] : [title, " ", list.map(tree)],
    );
  }
  return h("div", {}, title, h("ul", { class: "tree" }, list.map((part) => h("li", {}, tree(part)))));
}
