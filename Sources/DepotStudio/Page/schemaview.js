/** The schema as a diagram, with the rules, indexes, and versions of each entity. */

import { readJSON } from "/client/browser.js";

import { formatAddress } from "./address.js";
import { SIZES, differences, layOut, pathOf } from "./diagram.js";
import { errorBox, h, replace, svg } from "./dom.js";
import { momentText, plural, whoText } from "./format.js";
import { rulesOf } from "./schema.js";
import { session } from "./session.js";

const SPACE = 16;

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
    this.#draw();
    this.update(address);
    void this.#versions();
  }

  close() {
    this.#life.abort();
  }

  update(address) {
    this.address = address;
    for (const box of this.drawing.querySelectorAll("[data-entity]")) {
      box.classList.toggle("chosen", box.dataset.entity === address.entity);
      if (box.dataset.entity === address.entity) box.setAttribute("aria-current", "true");
      else box.removeAttribute("aria-current");
    }
    this.#show(address.entity);
  }

  #draw() {
    const { boxes, edges, width, height } = layOut([...session.model.entities.values()]);
    const drawing = svg("svg", {
      viewBox: `${-SPACE} ${-SPACE} ${width + 3 * SPACE} ${height + 2 * SPACE}`, width: width + 3 * SPACE,
      height: height + 2 * SPACE, role: "group",
      "aria-label": "Entities and relationships",
    });
    for (const edge of edges) {
      const { path, ends } = pathOf(edge);
      drawing.append(svg("path",
        {
          d: path, class: edge.isInheritance ? "edge inherits" : "edge", "data-from": edge.from.name,
          "data-to": edge.to.name,
        },
        svg(
          "title", {},
          edge.isInheritance ? `${edge.to.name} inherits from ${edge.from.name}`
            : `${edge.from.name}.${edge.name} ${edge.inverse ? "↔" : "→"} ` +
              [edge.to.name, edge.inverse].filter(Boolean).join("."),
        )));
      // A mark says how many rows the relationship that leads there reaches.
      ends.forEach(
        ([x, y, side], index) => drawing.append(
          ...markAt(edge.marks[index], x, y, side, edge.isInheritance && index === 0)
        )
      );
    }
    for (const box of boxes) {
      const group = svg("a", {
        class: "box", "data-entity": box.name, href: formatAddress({ view: "schema", entity: box.name }),
        "aria-label": `${box.name}, ${plural(box.lines.length + box.more, "property", "properties")}`,
      },
        svg("rect", { x: box.x, y: box.y, width: box.width, height: box.height, rx: 8 }),
        svg("text", { x: box.x + 12, y: box.y + 19, class: "box-name" }, box.name));
      box.lines.forEach(({ text, note, relationship }, index) => {
        const y = box.y + SIZES.HEAD + index * SIZES.LINE + 13;
        group.append(svg("text", { x: box.x + 12, y, class: relationship ? "relation-name" : "" }, cutTo(text, 24)),
          svg("text", { x: box.x + box.width - 12, y, class: "note", "text-anchor": "end" }, cutTo(note, 20)));
      });
      if (box.more > 0) group.append(
        svg(
          "text", { x: box.x + 12, y: box.y + SIZES.HEAD + box.lines.length * SIZES.LINE + 13, class: "note" },
          `and ${box.more} more`,
        )
      );
      drawing.append(group);
    }
    replace(this.drawing, boxes.length ? drawing : h("p", { class: "empty-page" }, "The store has no schema yet."));
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

  /** Lists the schemas that the store had, and lets one choose two of them to compare. */
  async #versions() {
    const { versions } = await session.client.call("schema.versions", {}, { signal: this.#life.signal })
      // A container of several stores has a list for each.
      .catch(() => ({ versions: [] }));
    if (versions.length === 0) return;
    const choice = (label, chosen) => h("select", { "aria-label": label }, versions.map((one, index) =>
      h("option", { value: String(one.number), selected: index === chosen }, nameOf(one))));
    const from = choice("The earlier schema", Math.min(1, versions.length - 1));
    const to = choice("The later schema", 0);
    replace(this.story, h("h3", {}, "Versions of the schema"),
      h("ol", { class: "versions" }, versions.map((one) => h("li", { value: one.number },
        one.version ?? "without a version",
        h("span", { class: "dim" }, one.at ? ` ${momentText(one.at)} ${whoText(one)}` : " from before")))),
      versions.length > 1 && h("p", { class: "tools" }, from, "→", to,
        h("button", { class: "quiet", onclick: () => void this.#compareVersions(from.value, to.value) }, "Compare")));
    this.story.hidden = false;
  }

  async #compareVersions(from, to) {
    try {
      const [before, after] = await Promise.all([from, to].map((number) =>
        session.client.call("schema.versions", { number: Number(number) }, { signal: this.#life.signal })));
      const [was, is] = [before, after].map(({ versions }) => nameOf(versions[0]));
      this.#list(
        differences(before.schema, after.schema), `${was} and ${is} are the same`, `Changes from ${was} to ${is}`
      );
    } catch (error) {
      replace(this.compared, errorBox(error));
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
      h("button", { class: "quiet", onclick: () => replace(this.compared) }, "Close")));
  }
}

/** The number of a schema, and the version that it gives itself. */
const nameOf = ({ number, version }) => (version ? `${number} (${version})` : String(number));

const cutTo = (text, length) => (text.length > length ? `${text.slice(0, length - 1)}…` : text);

/** The signs at the ends of lines: a fork for many, a bar for one, a ring for perhaps none, a triangle for a parent. */
function markAt(mark, x, y, side, isParent) {
  const out = 9 * side;
  if (isParent) return [svg("path", { class: "mark filled", d: `M${x},${y} l${out},-5 v10 z` })];
  if (mark === "many") return [svg("path", { class: "mark", d: `M${x},${y - 5} L${x + out},${y} L${x},${y + 5}` })];
  if (mark === "one") return [svg("path", { class: "mark", d: `M${x + out / 1.5},${y - 5} v10` })];
  if (mark === "optional") return [svg("circle", { class: "mark hollow", cx: x + out / 1.6, cy: y, r: 3.2 })];
  return [];
}
