/** The list of entities with counts that live. */

import { formatAddress } from "./address.js";
import { h, replace } from "./dom.js";
import { countText } from "./format.js";
import { session } from "./session.js";

/** A connection may have 64 watches, and the views need some of them. */
const MOST_WATCHES = 32;

export class EntityList {
  #life = new AbortController();
  #items = new Map();

  constructor() {
    this.search = h("input", {
      type: "search", placeholder: "Find an entity", "aria-label": "Find an entity", oninput: () => this.#filter(),
    });
    this.items = h("ul", { class: "entities" });
    this.element = h("nav", { "aria-label": "Entities", class: "entity-list" },
      h("h2", { class: "side-title" }, "Entities"), this.search, this.items);
  }

  start() {
    this.#life.abort();
    this.#life = new AbortController();
    this.#items.clear();
    session.counts.clear();
    const { model } = session;
    const { names } = model;
    this.search.hidden = names.length < 8;
    replace(this.items, names.map((name) => {
      const count = h("span", { class: "count" });
      const item = h("li", { "data-depth": Math.min(model.depth(name), 4) },
        h("a", { href: formatAddress({ view: "table", entity: name }) }, h("span", { class: "name" }, name), count));
      this.#items.set(name, { item, count, link: item.firstChild });
      return item;
    }));
    this.#filter();
    this.current(this.entity);
  }

  current(entity) {
    this.entity = entity;
    for (const [name, { link }] of this.#items) {
      if (name === entity) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  }

  /** Shows the entities with the searched text, and watches the counts of as many of them as the connection allows. */
  #filter() {
    const wanted = this.search.value.trim().toLowerCase();
    const shown = [];
    for (const [name, { item }] of this.#items) {
      item.hidden = wanted !== "" && !name.toLowerCase().includes(wanted);
      if (!item.hidden) shown.push(name);
    }
    const watched = new Set(shown.slice(0, MOST_WATCHES));
    for (const [name, entry] of this.#items) {
      if (watched.has(name)) continue;
      entry.watch?.abort();
      entry.watch = undefined;
    }
    for (const name of watched) this.#watch(name, this.#items.get(name));
    void this.#count(shown.slice(MOST_WATCHES), this.#life.signal);
  }

  #watch(name, entry) {
    if (entry.watch) return;
    const watch = (entry.watch = new AbortController());
    const signal = AbortSignal.any([this.#life.signal, watch.signal]);
    void session.follow({ count: { entity: name } }, signal, (_, { rows }) => {
      const { count } = rows[0] ?? {};
      if (count !== undefined) this.#show(name, count);
    }, () => {
      if (entry.watch === watch) entry.watch = undefined;
    });
  }

  /** Counts the rows of entities once, one entity after the other. */
  async #count(names, signal) {
    try {
      for (const name of names) {
        if (!session.counts.has(name)) this.#show(name, await session.client.entity(name).count({}, { signal }));
      }
    } catch {
      // Without a count an entity is listed all the same.
    }
  }

  #show(name, count) {
    session.counts.set(name, count);
    session.dispatchEvent(new Event("counts"));
    replace(this.#items.get(name)?.count ?? h("span"), countText(count));
  }
}
