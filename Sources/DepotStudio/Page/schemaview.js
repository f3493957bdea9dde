/** The schema as a diagram, with the rules, indexes, and versions of each entity. */

import { readJSON } from "/client/browser.js";

import { formatAddress, withMembers } from "./address.js";
import { differences } from "./differences.js";
import { errorBox, h, replace, svg } from "./dom.js";
import { momentText, plural, whoText } from "./format.js";
import { rulesOf } from "./schema.js";
import { session } from "./session.js";

/** How long the page waits before it asks for the diagram again, in milliseconds. */
const PAUSE = 500;

export class SchemaView {
  title = "Schema";
  name = "schema";
  #life = new AbortController();

  constructor(address, page) {
    this.page = page;
    const { model } = session;
    this.drawing = h("div", { class: "diagram", tabindex: 0, role: "region", "aria-label": "Diagram" });
    this.details = h("div", { class: "schema-details" });
    this.compared = h("div", { class: "compared" });
    this.story = h("section", { class: "story", hidden: true });
    const file = h(
      "input",
      {
        type: "file", accept: ".json", "aria-label": "A schema file", hidden: true,
        onchange: () => void this.#compare(file),
      },
    );
    this.element = h("section", { class: "view schema-view", "aria-label": "Schema" },
      h("header", { class: "bar" }, h("h1", {}, "Schema"),
        h(
          "span", { class: "count" },
          [
            model.version ? `version ${model.version}` : "without a version",
            plural(model.entities.size, "entity", "entities"),
          ].join(" · "),
        ),
        h("span", { class: "code dim", title: "The fingerprint of the schema" }, model.fingerprint),
        h("span", { class: "space" }),
        h(
          "div", { class: "tools" }, file,
          h("button", { class: "quiet", onclick: () => file.click() }, "Compare with a file"),
        )),
      h(
        "div", { class: "schema-body" }, h("div", { class: "schema-main" }, this.compared, this.drawing), this.details
      ));
    this.update(address);
    void this.#draw();
    void this.#versions();
  }

  close() {
    this.#life.abort();
  }

  update(address) {
    this.address = address;
    this.#mark();
    this.#show(address.entity);
    const { from, to, store } = address;
    if (this.compares !== JSON.stringify([from, to, store])) void this.#compareVersions(address);
  }

  /** Marks the box of the chosen entity, and lets all lead to the address of now. */
  #mark() {
    for (const box of this.drawing.querySelectorAll("[data-entity]")) {
      box.setAttribute("href", withMembers(this.address, { entity: box.dataset.entity }));
      const isChosen = box.dataset.entity === this.address.entity;
      box.classList.toggle("chosen", isChosen);
      if (isChosen) box.setAttribute("aria-current", "true");
      else box.removeAttribute("aria-current");
    }
  }

  /** Asks the bridge for the diagram until it is that of the page's schema, and draws it. */
  async #draw() {
    const { signal } = this.#life;
    while (!signal.aborted) {
      try {
        const answer = await fetch("/diagram.json", { cache: "no-store", signal });
        if (!answer.ok) throw new Error(await answer.text());
        const diagram = await answer.json();
        if (diagram.fingerprint === session.model.fingerprint) return this.#present(diagram);
        session.checkSchema();
      } catch (error) {
        if (signal.aborted) return;
        replace(this.drawing, errorBox(error));
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
  }

  #present({ width, height, edges, boxes }) {
    if (boxes.length === 0) {
      replace(this.drawing, h("p", { class: "empty-page" }, "The store has no schema yet."));
      return;
    }
    replace(this.drawing, svg(
      "svg",
      { viewBox: `0 0 ${width} ${height}`, width, height, role: "group", "aria-label": "Entities and relationships" },
      edges.map(elementOf),
      boxes.map(({ entity, elements }) => {
        const { attributes = [], relationships = [] } = session.model.entities.get(entity);
        const count = plural(attributes.length + relationships.length, "property", "properties");
        return svg(
          "a", { class: "box", "data-entity": entity, "aria-label": `${entity}, ${count}` }, elements.map(elementOf)
        );
      }),
    ));
    this.#mark();
  }

  #show(name) {
    const { model } = session;
    const entity = model.entities.get(name);
    if (!entity) {
      replace(this.details, h("p", { class: "hint" }, "Choose an entity to see its rules."), this.story);
      return;
    }
    const member = (one, kind) => h("div", { class: "member" }, h("dt", {}, one.name), h(
      "dd", {}, kind, h("span", { class: "dim" }, [" ", rulesOf(one).join(" · ")])
    ),
      one.properties?.map(
        (part) => h(
          "div", { class: "member part" }, h("dt", {}, part.name),
          h("dd", {}, part.type, h("span", { class: "dim" }, [" ", rulesOf(part).join(" · ")])),
        )
      ));
    const list = (title, paths) => paths?.length > 0 && h(
      "p", {}, h("span", { class: "dim" }, `${title} `), paths.map((one) => one.join(" + ")).join("; ")
    );
    replace(this.details,
      h(
        "h2", {}, h("a", { href: formatAddress({ view: "table", entity: name }) }, name),
        entity.abstract && h("span", { class: "tag" }, "abstract"),
      ),
      h(
        "p", { class: "dim" },
        [
          entity.parent && `inherits from ${entity.parent}`, `history: ${model.history(name)}`,
          entity.originalName && `was ${entity.originalName}`,
        ].filter(Boolean).join(" · "),
      ),
      h(
        "dl", {}, (entity.attributes ?? []).map((one) => member(one, one.type)),
        (entity.relationships ?? []).map(
          (one) => member(
            one,
            [
              h("a", { href: formatAddress({ view: "schema", entity: one.destination }) }, one.destination),
              one.toMany ? " ∗" : "",
            ],
          )
        ),
      ),
      list("Indexes", entity.indexes), list("Unique together", entity.uniques),
      list("Range indexes", entity.rangeIndexes),
      h(
        "p", { class: "code dim", title: "Stays as long as the rows have the same form" },
        `hash ${model.hashes?.[name] ?? ""}`,
      ),
      this.story);
  }

  /** Lists the schemas that each store had, and lets one choose two of them to compare. */
  async #versions() {
    const { signal } = this.#life;
    try {
      const stores = await session.stores(signal);
      const names = stores.length > 1 ? stores.map(({ name }) => name) : [undefined];
      const lists = [];
      for (const store of names) {
        const { versions } = await session.client.call("schema.versions", { store }, { signal });
        if (versions.length > 0) lists.push(this.#versionsOf(store, versions));
      }
      replace(this.story, lists);
      this.story.hidden = lists.length === 0;
    } catch (error) {
      if (signal.aborted) return;
      replace(this.story, errorBox(error));
      this.story.hidden = false;
    }
  }

  #versionsOf(store, versions) {
    const choice = (label, chosen) => h("select", { "aria-label": label }, versions.map((one, index) =>
      h("option", { value: String(one.number), selected: index === chosen }, nameOf(one))));
    const from = choice("The earlier schema", Math.min(1, versions.length - 1));
    const to = choice("The later schema", 0);
    return h("div", { "data-store": store },
      h("h3", {}, store ? `Versions of the schema in ${store}` : "Versions of the schema"),
      h("ol", { class: "versions" }, versions.map((one) => h("li", { value: one.number },
        one.version ?? "without a version",
        h("span", { class: "dim" }, one.at ? ` ${momentText(one.at)} ${whoText(one)}` : " from before")))),
      versions.length > 1 && h("p", { class: "tools" }, from, "→", to, h(
        "button",
        { class: "quiet", onclick: () => this.page.go({ from: from.value, to: to.value, store }) },
        "Compare",
      )));
  }

  /** Shows the differences of the versions that the address names. */
  async #compareVersions({ from, to, store }) {
    this.compares = JSON.stringify([from, to, store]);
    const key = this.compares;
    replace(this.compared);
    if (!from || !to) return;
    try {
      const [first, last] = [Number(from), Number(to)];
      const since = first < last ? first : undefined;
      const [before, after] = await Promise.all([{ number: first }, { number: last, since }].map((version) => (
        session.client.call("schema.versions", { ...version, store }, { signal: this.#life.signal })
      )));
      if (key !== this.compares) return;
      const [was, is] = [before, after].map(({ versions }) => nameOf(versions[0]));
      this.#list(
        differences(before.schema, after.schema), `${was} and ${is} are the same`, `Changes from ${was} to ${is}`
      );
    } catch (error) {
      if (key === this.compares) replace(this.compared, errorBox(error));
    }
  }

  async #compare(file) {
    const [chosen] = file.files;
    if (!chosen) return;
    try {
      const found = differences(session.model.schema, readJSON(await chosen.text()));
      this.#list(found, `${chosen.name} has the same schema`, `Changes in ${chosen.name}`);
    } catch (error) {
      replace(this.compared, errorBox(error));
    }
    file.value = "";
  }

  /** Shows differences under a title, or that there are none. */
  #list(found, same, title) {
    replace(this.compared, h("section", { class: "card" },
      h("h2", {}, found.length === 0 ? same : title),
      h(
        "ul", {},
        found.map(
          ({ kind, text }) => h(
            "li", { class: kind },
            h("span", { class: "sign", "aria-label": kind }, { added: "+", removed: "−", changed: "~" }[kind]),
            text,
          )
        ),
      ),
      h("button", { class: "quiet", onclick: () => this.#endComparison() }, "Close")));
  }

  #endComparison() {
    replace(this.compared);
    this.page.go({ from: undefined, to: undefined, store: undefined });
  }
}

/** The number of a schema, and the version that it gives itself. */
const nameOf = ({ number, version }) => (version ? `${number} (${version})` : String(number));

/** Makes an element of the diagram: its tag, its attributes, and then texts and elements. */
const elementOf = ([tag, attributes, ...content]) =>
  svg(tag, attributes, content.map((one) => (typeof one === "string" ? one : elementOf(one))));
