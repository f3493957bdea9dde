/** The page of all entities. */

import { formatAddress } from "./address.js";
import { h } from "./dom.js";
import { countText, plural } from "./format.js";
import { session } from "./session.js";

export class Overview {
  title = "Entities";
  #counts = new Map();
  #shown = () => this.#show();

  constructor() {
    const { model } = session;
    const names = model.names;
    this.element = h("section", { class: "view overview", "aria-label": "Entities" },
      h(
        "header", { class: "bar" }, h("h1", {}, "Entities"),
        h("span", { class: "count" }, plural(names.length, "entity", "entities")),
      ),
      names.length === 0
        ? h(
          "div", { class: "empty-page" }, h("p", {}, "The store has no schema yet."),
          h("p", { class: "hint code" }, "depot schema apply FILE"),
        )
        : h("ul", { class: "cards" }, names.map((name) => h("li", {}, h("a",
          { href: formatAddress({ view: "table", entity: name }) },
          h("span", { class: "card-head" }, h("strong", {}, name), this.#count(name)),
          h("span", { class: "dim" }, [
            plural(model.columns(name).filter((column) => column.kind === "attribute").length, "attribute"),
            plural(model.relationships(name).length, "relationship"),
          ].join(" · ")))))));
  }

  /** Makes the place of a count, which lives. */
  #count(name) {
    const element = h("span", { class: "count" });
    this.#counts.set(name, element);
    return element;
  }

  #show() {
    for (const [name, element] of this.#counts) {
      if (session.counts.has(name)) element.textContent = countText(session.counts.get(name));
    }
  }

  opened() {
    session.addEventListener("counts", this.#shown);
    this.#show();
  }

  close() {
    session.removeEventListener("counts", this.#shown);
  }
}
