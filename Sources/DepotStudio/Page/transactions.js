/** Transactions as elements: who, when, and each change with old and new values. */

import { withMembers } from "./address.js";
import { h } from "./dom.js";
import { formatted, momentText, plural, whoText } from "./format.js";
import { session } from "./session.js";

const MOST_CHANGES = 50;

/** The summary of a transaction: `2 rows of Book changed, 1 row of Tag inserted`. */
export function summary(changes) {
  const counts = new Map();
  for (const { entity, kind } of changes) {
    const name = `${kind === "links" ? "update" : kind} ${entity}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  if (counts.size === 0) return "no changes of rows";
  return [...counts].slice(0, 6).map(([name, count]) => {
    const [kind, entity] = name.split(" ");
    const rows = count === 1 ? entity : `${plural(count, "row")} of ${entity}`;
    return `${rows} ${{ insert: "inserted", update: "changed", delete: "deleted" }[kind]}`;
  }).join(", ") + (counts.size > 6 ? " …" : "");
}

/**
 * Makes the item of a transaction, which keeps no more than its first changes.
 *
 * `item.more(count)` adds to the number of its changes.
 */
export function transactionItem(transaction, { page, isAlone = false, isOpen = false, isNew = false }) {
  const { token, at, author, process, origin, joined, group } = transaction;
  const shown = transaction.changes.slice(0, MOST_CHANGES);
  let left = transaction.changes.length - shown.length;
  const rest = h("p", { class: "dim" });
  const also = h("span", { class: "dim" });
  const undoes = origin?.match(/^(undo|redo):/)?.[1];
  const who = h(
    "span", { class: "who-name", title: [author, process].filter(Boolean).join(" · ") }, whoText(transaction)
  );
  const summaryText = joined
    ? Object.entries(joined.rows).map(
      ([kind, count]) =>
        `${plural(count, "row")} ${{ insert: "inserted", update: "changed", delete: "deleted", links: "linked" }[kind]}`
    ).join(", ")
    : isAlone && transaction.changes.length === 1 ? {
      insert: "inserted", update: "changed", delete: "deleted", links: "linked"
    }[shown[0].kind] : summary(transaction.changes);
  const details = h("details", { class: "transaction", open: isOpen && !joined },
    h("summary", {},
      h("time", { datetime: at, title: at }, momentText(at)), who,
      h("span", { class: "what" }, undoes && h("span", { class: "tag" }, undoes === "undo" ? "undo" : "redo"),
        origin === "schema" && h("span", { class: "tag" }, "schema"),
        summaryText, also, joined && h(
          "span", { class: "dim" }, ` in ${plural(joined.transactions, "transaction")}`
        ))),
  );
  const fill = () => {
    if (details.isFilled) return;
    details.isFilled = true;
    details.append(
      h("div", { class: "changes" }, shown.map((change) => changeBox(change, page, isAlone)), rest),
      h("div", { class: "tools" },
        h(
          "span", { class: "code dim", title: "The token of the transaction" },
          joined ? `${joined.first} … ${joined.last}` : token,
        ),
        page.address?.view === "table" && !joined && h(
          "a", { class: "button quiet", href: withMembers(page.address, { at: token, beside: undefined }) },
          "The table then",
        ),
        session.canWrite && origin !== "schema" && h("button", { class: "quiet", onclick: async (event) => {
          event.target.disabled = true;
          const { undoTransaction } = await import("./edits.js");
          await undoTransaction(
            joined ? joined.last : token, "undo", joined || group ? { whole: Boolean(joined) } : {}
          );
          event.target.disabled = false;
        } }, "Undo")));
  };
  details.addEventListener("toggle", () => details.open && fill());
  if (details.open) fill();
  const item = h("li", { class: isNew ? "changed" : "", "data-token": token }, details);
  let later = 0;
  item.more = (count) => {
    left += count;
    later += count;
    rest.textContent = left > 0 ? `and ${plural(left, "row")} more` : "";
    also.textContent = later > 0 ? ` and ${plural(later, "row")} more` : "";
  };
  item.more(0);
  return item;
}

function changeBox(change, page, isAlone) {
  const { entity, id, kind, properties, old, new: fresh } = change;
  const names = kind === "insert" ? Object.keys(fresh ?? {}) : kind === "delete" ? Object.keys(old ?? {})
    : properties ?? [];
  const shown = kind === "update" ? names : names.filter((name) => (fresh ?? old)?.[name] !== null);
  const value = (values, name) => {
    if (!values || !Object.hasOwn(values, name)) return h("span", { class: "dim" }, "not kept");
    if (kind === "links") return h("span", {}, linkText(values[name]));
    const column = session.model.has(entity) ? session.model.column(entity, name) : undefined;
    const { text, look } = formatted(values[name], column);
    return h(
      "span", { class: look },
      column?.kind === "reference" && values[name] !== null ? `${column.destination}/${text}` : text,
    );
  };
  return h("div", { class: `change ${kind}` },
    !isAlone && h("h3", {}, h(
      "a",
      {
        href: session.model.has(entity) ? withMembers(
          page.address ?? { view: "table", entity }, { beside: { entity, id } }
        ) : undefined
      },
      `${entity}/${id}`,
    ),
      h("span", { class: "dim" }, ` ${{ insert: "inserted", update: "", delete: "deleted", links: "" }[kind]}`)),
    shown.length > 0 && h("dl", {}, shown.slice(0, 60).map((name) => h("div", {}, h("dt", {}, name),
      h("dd", {}, kind === "update" && [
        h("span", { class: "old" }, value(old, name)), h("span", { class: "dim", "aria-label": "became" }, " → ")
      ],
        kind === "delete" ? h("span", { class: "old" }, value(old, name)) : value(fresh, name))))));
}

function linkText(value) {
  if (value?.order) return "another order";
  return [
    value?.add?.length && `+ ${value.add.join(", ")}`, value?.remove?.length && `− ${value.remove.join(", ")}`
  ].filter(Boolean).join("  ");
}
