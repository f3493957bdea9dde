/** The table as it was: a slider over the transactions, and the rows of the moment that it is at. */

import { h, replace } from "./dom.js";
import { momentText, plural, whoText } from "./format.js";
import { Former, placeThen } from "./former.js";
import { Needs, readTables } from "./related.js";
import { orderOf, predicateOf, valueOf } from "./predicates.js";
import { selection } from "./schema.js";
import { session } from "./session.js";
import { Unsupported } from "./texts.js";
import { pagesOf, surplus } from "./window.js";

const PAGE = 100;
/** How many rows may have changed since the moment: all that they were is in memory. */
const MOST_CHANGES = 200_000;
const MOST_TRANSACTIONS = 500;
/** How many rows, changes, and links of an entity are read to filter and order them here. */
const MOST = { rows: 100_000, changes: MOST_CHANGES, links: 400_000 };

export class Travel {
  #life = new AbortController();
  #reading = new AbortController();
  #pages = new Map();
  #loading = new Set();
  /** The rows of then in their order, if all of them are read. */
  #chosen = undefined;
  /** The reason why they aren't filtered and ordered. */
  #reason = "";
  total = 0;

  /**
   * @param {any} view the table
   * @param {string} at a token, or `now` before one is chosen
   */
  constructor(view, at) {
    this.view = view;
    this.at = at;
    this.former = new Former();
    this.steps = [];
    this.slider = h("input", {
      type: "range", min: 0, max: 0, value: 0, "aria-label": "Moment", disabled: true,
      oninput: () => this.#slide(), onchange: () => this.#slide(),
    });
    this.back = h(
      "button",
      {
        class: "quiet", "aria-label": "One transaction earlier", title: "One transaction earlier",
        onclick: () => this.#step(-1),
      },
      "‹",
    );
    this.forth = h(
      "button",
      {
        class: "quiet", "aria-label": "One transaction later", title: "One transaction later",
        onclick: () => this.#step(1),
      },
      "›",
    );
    this.text = h("span", { class: "moment", role: "status" });
    this.note = h("span", { class: "dim" });
    replace(view.past, this.back, this.slider, this.forth, this.text, this.note, h("span", { class: "space" }),
      h("button", { onclick: () => view.page.go({ at: undefined }) }, "Back to now"));
    void this.#open();
  }

  close() {
    this.#life.abort();
    this.#reading.abort();
    replace(this.view.past);
  }

  /** Reads the transactions that the slider leads over. */
  async #open() {
    const { entity } = this.view;
    replace(this.text, "Reading the history…");
    try {
      // The transactions of one call or command are one step.
      const args = { entity, descending: true, limit: MOST_TRANSACTIONS, values: false, joined: true };
      let count = 0;
      for await (const frame of session.client.stream("history", args, { signal: this.#life.signal })) {
        for (const { token, at, author, process, changes, joined } of frame.next) {
          const rows = joined ? Object.values(joined.rows).reduce(
            (sum, one) => sum + Number(one), 0
          ) : changes.length;
          const last = this.steps[this.steps.length - 1];
          count += changes.length;
          if (last?.token === token && !joined) last.count += rows;
          else this.steps.push({ token: joined?.last ?? token, at, author, process, count: rows });
        }
        if (count > MOST_CHANGES) break;
      }
      this.steps.reverse();
      if (this.steps.length === 0) return replace(this.text, "The history of this entity is empty.");
      // Before the first one that is listed nothing can be shown.
      const known = this.steps.findIndex(({ token }) => token === this.at);
      this.slider.max = String(this.steps.length - 1);
      this.slider.disabled = false;
      if (known < 0 && this.at !== "now") this.steps.unshift({ token: this.at, count: 0 });
      this.slider.max = String(this.steps.length - 1);
      this.slider.value = String(this.at === "now" ? this.steps.length - 1 : Math.max(0, known));
      this.#goTo(this.steps[Number(this.slider.value)]);
    } catch (error) {
      if (!this.#life.signal.aborted) replace(this.text, error.message);
    }
  }

  #step(by) {
    const place = Math.max(0, Math.min(this.steps.length - 1, Number(this.slider.value) + by));
    this.slider.value = String(place);
    this.#slide();
  }

  #slide() {
    const step = this.steps[Number(this.slider.value)];
    if (!step || step.token === this.at) return;
    this.view.address.at = step.token;
    this.view.page.go({ at: step.token }, true);
    this.#goTo(step);
  }

  #goTo(step) {
    this.at = step.token;
    this.back.disabled = this.steps[0] === step;
    this.forth.disabled = this.steps[this.steps.length - 1] === step;
    replace(
      this.text,
      step.at ? [
        h("strong", {}, momentText(step.at)), ` after ${plural(step.count, "change")} by ${whoText(step)}`
      ] : "After that transaction",
    );
    this.slider.setAttribute("aria-valuetext", this.text.textContent);
    void this.#read(step.token);
  }

  /** Reads the changes since the moment, and then follows new ones. */
  async #read(token) {
    this.#reading.abort();
    const reading = (this.#reading = new AbortController());
    const { signal } = reading;
    const former = new Former();
    let isWhole = false;
    replace(this.note, "");
    const query = { history: { entity: this.view.entity }, since: token };
    const timer = setTimeout(() => !isWhole && replace(this.note, `${plural(former.size, "row")} read…`), 400);
    await session.follow(query, signal, (event) => {
      for (
        const transaction of event.transactions ?? []
      ) for (const change of transaction.changes) former.take(change);
      if (former.size > MOST_CHANGES) {
        reading.abort();
        replace(this.note, `More than ${plural(MOST_CHANGES, "row")} changed since then. Choose a later moment.`);
      } else if (event.kind === "gap") {
        replace(this.note, "The history no longer reaches back so far.");
      } else if (isWhole) {
        // The rows of then stay; only their places among the rows of now may be others.
        this.now = undefined;
        this.#say();
        this.view.grid.renderAll();
      } else if (event.kind === "live") {
        isWhole = true;
        this.former = former;
        this.#pages.clear();
        this.#show(signal);
      }
    }, (error) => replace(this.note, [error.message, error.hint].filter(Boolean).join(" ")), { parts: true });
    clearTimeout(timer);
  }

  async #show(signal) {
    const { view, former } = this;
    this.now = await session.client.entity(view.entity).count({}, { signal }).catch(() => undefined);
    if (this.now === undefined || signal.aborted) return;
    this.total = Math.max(0, this.now - former.inserted.size + former.deletedOnly.size);
    const { where, sort } = view.address;
    const isPlain = !where && sort.length === 0;
    const chosen = isPlain ? undefined : await this.#choose(where, signal);
    if (signal.aborted) return;
    this.#chosen = chosen;
    if (chosen) this.total = chosen.length;
    this.#say();
    const place = view.grid.anchor;
    view.grid.source = this;
    replace(view.count, plural(this.total, "row"));
    view.grid.update();
    view.grid.goTo(Math.min(place.row, Math.max(0, this.total - 1)), place.hidden);
    view.grid.renderAll();
  }

  /** Says how many rows are others now. */
  #say() {
    const { where, sort } = this.view.address;
    const { size } = this.former;
    replace(this.note, size === 0 ? "Nothing has changed since." : `${plural(size, "row")} changed since.`,
      (where || sort.length > 0) && !this.#chosen && ` Without filter and order${this.#reason}.`);
  }

  /** Filters and orders the rows of then, if they are few enough and the page can; else returns undefined. */
  async #choose(where, signal) {
    const { entity: name, columns, rows } = this.view;
    const { model, client } = session;
    this.#reason = "";
    if (Math.max(this.now, this.total) > MOST.rows) {
      this.#reason = ": there are too many rows";
      return undefined;
    }
    const choosing = new AbortController();
    const both = AbortSignal.any([signal, choosing.signal]);
    const cancel = h("button", { class: "quiet", onclick: () => choosing.abort() }, "Cancel");
    const progress = h("span", {});
    replace(this.note, progress, " ", cancel);
    let next = 0;
    const say = (count) => {
      if (count < next) return;
      next = count + 1000;
      replace(progress, `${plural(count, "row")} read…`);
    };
    say(0);
    try {
      const needs = new Needs(model);
      const place = { entity: name, needs };
      const entity = client.entity(name);
      const explained = async (text) => (await entity.explain({ where: text }, { signal: both })).predicate;
      const test = predicateOf(where ? await explained(where) : true, place);
      const keys = [];
      for (const { key, attribute, ...rest } of rows.query.sort) {
        keys.push({ ...rest, tree: key ? (await explained(`(${key}) == NIL`))["=="]?.[0] : { attribute } });
      }
      const order = orderOf(keys, place);
      // The labels by which related rows are ordered are those of then.
      const labels = keys.flatMap(({ tree }) => tree.attribute ?? [])
        .filter((path) => this.view.all.some(({ label }) => label === path))
        .map((path) => [path, valueOf({ attribute: path }, place)]);
      const hasFamily = model.descendants(name).length > 0;
      for (const path of [...(hasFamily ? ["$entity"] : []), ...selection(columns)]) needs.note(name, path);
      const tables = await readTables(client, needs, this.at, { most: MOST, signal: both, say });
      const scopeOf = (id) => ({ tables, self: id });
      const chosen = [...tables.rows.get(name).values()].map(({ $id }) => $id).filter((id) => test(scopeOf(id)));
      return chosen.sort(order(scopeOf)).map((id) => Object.assign(
        Object.create(null), tables.row(name, id),
        Object.fromEntries(labels.map(([path, read]) => [path, read(scopeOf(id))])),
      ));
    } catch (error) {
      this.#reason = error instanceof Unsupported ? error.message && `: ${error.message}`
        : choosing.signal.aborted ? ": cancelled" : `: ${error.message.replace(/\.$/, "")}`;
      return undefined;
    }
  }

  // The source of the grid

  row(place) {
    if (this.#chosen) return this.#chosen[place];
    const row = this.#pages.get(Math.floor(place / PAGE))?.[place % PAGE];
    // It may have changed just before it was read.
    return row && this.former.row(row);
  }

  need(first, last) {
    if (this.#chosen) return;
    for (const page of pagesOf(first, last, PAGE)) {
      if (!this.#pages.has(page) && !this.#loading.has(page)) void this.#load(page);
    }
    for (
      const far of surplus([...this.#pages.keys()], Math.floor((first + last) / 2 / PAGE), 12)
    ) this.#pages.delete(far);
  }

  async #load(page) {
    const { former, view } = this;
    const { signal } = this.#reading;
    this.#loading.add(page);
    try {
      const entity = session.client.entity(view.entity);
      const { select } = view.rows.query;
      const size = Math.min(PAGE, this.total - page * PAGE);
      const idAt = async (offset) => (await entity.fetch({ select: [], offset, limit: 1 }, { signal }).first())?.$id;
      this.now ??= await entity.count({}, { signal });
      const start = await placeThen(former, page * PAGE, this.now, idAt);
      const rows = start.before.slice(0, size);
      // Rows of now in their order, with those among them that are gone, as they were.
      let offset = start.offset;
      const gone = former.deletedSorted;
      let nextGone = start.nextGone;
      while (rows.length < size) {
        const found = await entity.fetch({ select, offset, limit: PAGE + 20 }, { signal }).toArray();
        offset += found.length;
        for (const row of found) {
          while (
            nextGone < gone.length && gone[nextGone].$id < row.$id && rows.length < size
          ) rows.push(gone[nextGone++]);
          if (rows.length < size && !former.isLater(row.$id)) rows.push(row);
        }
        if (found.length === 0) {
          while (nextGone < gone.length && rows.length < size) rows.push(gone[nextGone++]);
          break;
        }
      }
      if (former === this.former) this.#pages.set(page, rows);
      view.grid.render();
    } catch (error) {
      if (!signal.aborted) replace(this.note, error.message);
    } finally {
      this.#loading.delete(page);
    }
  }

  /** Whether a row, or a property of it, was another one then. */
  isChanged(id, path) {
    return this.former.isChanged(id, path);
  }
}
