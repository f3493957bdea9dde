/** The rows of a table, in pages by position. Rows in sight are watched; their order stays until it is read anew. */

import { session } from "./session.js";
import { isSame } from "./values.js";
import { pagesOf, surplus } from "./window.js";

const PAGE = 100;
const MOST_PAGES = 24;
/** How long marks of changes are seen, in milliseconds. */
export const FADE = 6000;

export class TableRows extends EventTarget {
  total = 0;
  isKnown = false;
  /** How many rows there are now, which the order that is shown needn't have. */
  present = undefined;
  /** Whether changes may have moved rows in the order. */
  isMoved = false;
  error = undefined;
  /** The marks of changes by identifier, and in them by path. */
  marks = new Map();
  gone = new Map();
  #pages = new Map();
  #loading = new Map();
  #life = new AbortController();
  #watching = new AbortController();
  #watched = "";
  #timer = undefined;
  #center = 0;
  #generation = 0;
  #who = new Map();

  /**
   * @param {{ entity: string, where?: string, sort: any[], select: string[], sortPaths: string[] }} query
   * @param {number} total how many rows there are as far as is known, until they are counted
   */
  constructor(query, total = 0) {
    super();
    this.query = query;
    this.total = total;
    this.#count();
  }

  close() {
    this.#life.abort();
    this.#watching.abort();
    clearTimeout(this.#timer);
    for (const controller of this.#loading.values()) controller.abort();
  }

  /** Whether new rows come last, so that they can be shown at once. */
  get isAppending() {
    return !this.query.where && this.query.sort.length === 0;
  }

  /** By how many rows the order that is shown is behind, and whether it may be another one. */
  get pending() {
    const difference = (this.present ?? this.total) - this.total;
    return { difference, isMoved: this.isMoved, gone: this.gone.size };
  }

  #count() {
    const count = { entity: this.query.entity, where: this.query.where };
    const take = (_, watch) => {
      const present = Number(watch.rows[0]?.count ?? 0);
      this.present = present;
      if (!this.isKnown || (this.isAppending && this.gone.size === 0 && present > this.total)) {
        // The page that the new rows continue was read, or is being read, without them.
        const page = Math.floor(this.total / PAGE);
        const isShort = this.#pages.has(page) && this.#pages.get(page).length < PAGE;
        this.total = present;
        this.isKnown = true;
        if (isShort || this.#loading.has(page)) void this.#load(page, true);
      }
      this.#tell("change");
    };
    void session.follow({ count }, this.#life.signal, take, (error) => this.#fail(error));
  }

  #fail(error) {
    if (this.#life.signal.aborted) return;
    this.error = error;
    this.#tell("change");
  }

  row(place) {
    return this.#pages.get(Math.floor(place / PAGE))?.[place % PAGE];
  }

  placeOf(id) {
    for (const [page, rows] of this.#pages) {
      const index = rows.findIndex((row) => row.$id === id);
      if (index >= 0) return page * PAGE + index;
    }
    return undefined;
  }

  /** The rows that are in memory, for tests of its bound. */
  get kept() {
    return [...this.#pages.values()].reduce((sum, rows) => sum + rows.length, 0);
  }

  /** Says which rows are in sight. */
  need(first, last) {
    this.#center = Math.floor((first + last) / 2 / PAGE);
    const wanted = pagesOf(first, last, PAGE);
    for (const [page, controller] of this.#loading) {
      if (wanted.includes(page)) continue;
      controller.abort();
      this.#loading.delete(page);
    }
    for (const page of wanted) if (!this.#pages.has(page) && !this.#loading.has(page)) void this.#load(page);
    this.#follow(first, last);
  }

  async #load(page, isAgain = false) {
    const generation = this.#generation;
    const controller = new AbortController();
    this.#loading.get(page)?.abort();
    this.#loading.set(page, controller);
    try {
      const { entity, where, sort, select } = this.query;
      const query = { where, sort, select, offset: page * PAGE, limit: PAGE };
      const rows = await session.client.entity(entity).fetch(query, { signal: controller.signal }).toArray();
      if (controller.signal.aborted || generation !== this.#generation) return;
      this.#pages.set(page, rows);
      this.error = undefined;
      for (const far of surplus([...this.#pages.keys()], this.#center, MOST_PAGES)) this.#pages.delete(far);
      if (!this.isKnown && rows.length < PAGE && page === 0) {
        this.total = rows.length;
        this.isKnown = true;
      } else if (!this.isKnown) {
        this.total = Math.max(this.total, page * PAGE + rows.length);
      }
      this.#watched = isAgain ? "" : this.#watched;
      this.#tell("change");
    } catch (error) {
      if (!controller.signal.aborted) this.#fail(error);
    } finally {
      if (this.#loading.get(page) === controller) this.#loading.delete(page);
    }
  }

  /** Watches the rows in sight, when scrolling rests. */
  #follow(first, last) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const ids = [];
      for (let place = first; place < last; place++) {
        const row = this.row(place);
        if (row && !this.gone.has(row.$id)) ids.push(row.$id);
      }
      const name = ids.join();
      if (name === this.#watched || ids.length === 0) return;
      this.#watched = name;
      this.#watching.abort();
      const controller = (this.#watching = new AbortController());
      const { entity, select } = this.query;
      const where = { in: [{ attribute: "$id" }, { value: ids, list: true }] };
      this.isFollowing = false;
      void session.follow({ fetch: { entity, where, select } }, controller.signal, (event, watch) => {
        this.#take(event, watch, ids);
        if (this.isFollowing || session.model.history(entity) === "none") return;
        this.isFollowing = true;
        // From the moment of the rows on, so that nobody's change is missed.
        const query = { history: { entity, ids, values: false }, since: event.token };
        void session.follow(query, controller.signal, ({ transactions }) => {
          for (const transaction of transactions ?? []) this.#made(transaction);
        }, undefined, { parts: true });
        this.#tell("following");
      });
    }, this.#watched ? 60 : 0);
  }

  /** Takes the rows of a watch: some may have changed since they were read. */
  #take(event, watch, ids) {
    if (event.kind === "snapshot") {
      const now = new Map(watch.rows.map((row) => [row.$id, row]));
      const changed = ids.filter((id) => !now.has(id));
      for (const id of changed) this.gone.set(id, { at: Date.now(), token: event.token });
      const isGone = new Set(changed);
      for (const rows of this.#pages.values()) {
        rows.forEach((row, index) => {
          const fresh = now.get(row.$id);
          if (isGone.has(row.$id)) rows[index] = { ...row };
          if (!fresh || isSame(row, fresh)) return;
          rows[index] = this.#changed(row, fresh, event);
          changed.push(row.$id);
        });
      }
      if (changed.length) void this.#askWho(changed);
      this.#tell(changed.length ? "change" : "rows");
      return;
    }
    for (const change of event.changes ?? []) {
      const place = this.placeOf(change.id);
      if (place === undefined) continue;
      const rows = this.#pages.get(Math.floor(place / PAGE));
      const index = place % PAGE;
      if (change.kind === "removed") {
        this.gone.set(change.id, { at: Date.now(), token: event.token, author: event.author });
        rows[index] = { ...rows[index] };
      } else {
        this.gone.delete(change.id);
        rows[index] = this.#changed(rows[index], change.row, event);
      }
      this.dispatchEvent(new CustomEvent("row", { detail: { place, change, event } }));
    }
    this.#tell("change");
  }

  #changed(before, row, event) {
    const known = this.marks.get(row.$id) ?? new Map();
    const mark = { at: Date.now(), token: event.token, author: event.author, ...this.#who.get(event.token) };
    for (const path of this.query.select) {
      if (!isSame(before[path], row[path])) known.set(path, mark);
    }
    this.marks.set(row.$id, known);
    if (
      this.query.where || this.query.sort.some(({ key }) => key)
        || this.query.sortPaths.some((path) => !isSame(before[path], row[path]))
    ) this.isMoved = true;
    if (this.marks.size > 1000) this.#forgetMarks();
    return row;
  }

  #forgetMarks() {
    const end = Date.now() - FADE;
    for (const [id, paths] of this.marks) {
      if ([...paths.values()].every(({ at }) => at < end)) this.marks.delete(id);
    }
  }

  /** Finds out who changed rows between their reading and their watch. */
  async #askWho(ids) {
    const { entity } = this.query;
    try {
      const query = { entity, ids, descending: true, limit: 20, values: false };
      for await (const { author, process, changes } of session.client.history(query, { signal: this.#life.signal })) {
        for (const { id } of changes) {
          const gone = this.gone.get(id);
          for (const mark of [...(this.marks.get(id)?.values() ?? []), ...(gone ? [gone] : [])]) {
            if (mark.author === undefined && mark.process === undefined) Object.assign(mark, { author, process });
          }
          const place = this.placeOf(id);
          if (place !== undefined) this.dispatchEvent(new CustomEvent("who", { detail: { place } }));
        }
      }
    } catch {
      // The mark says that somebody did it.
    }
  }

  /** Notes who made a transaction, which may come before or behind its rows. */
  #made({ token, author, process, changes }) {
    const who = { author, process };
    this.#who.set(token, who);
    if (this.#who.size > 200) this.#who.delete(this.#who.keys().next().value);
    const places = new Set();
    for (const { id } of changes) {
      for (const mark of this.marks.get(id)?.values() ?? []) if (mark.token === token) Object.assign(mark, who);
      const gone = this.gone.get(id);
      if (gone?.token === token) Object.assign(gone, who);
      const place = this.placeOf(id);
      if (place !== undefined) places.add(place);
    }
    for (const place of places) this.dispatchEvent(new CustomEvent("who", { detail: { place, token, who } }));
  }

  /** Reads the order anew; the rows that are shown stay until others are there. */
  async refresh(anchorId, near) {
    this.#generation++;
    this.#watched = "";
    for (const controller of this.#loading.values()) controller.abort();
    this.#loading.clear();
    const wanted = pagesOf(near.first, near.last, PAGE);
    const { entity, where, sort, select } = this.query;
    const first = Math.max(0, (wanted[0] ?? 0) - 1);
    const count = (wanted[wanted.length - 1] ?? 0) + 2 - first;
    const rows = await session.client.entity(entity)
      .fetch({ where, sort, select, offset: first * PAGE, limit: count * PAGE }).toArray();
    this.#pages.clear();
    for (let page = 0; page * PAGE < rows.length; page++) {
      this.#pages.set(first + page, rows.slice(page * PAGE, (page + 1) * PAGE));
    }
    this.total = this.present ?? this.total;
    this.isMoved = false;
    this.gone.clear();
    this.#tell("change");
    return this.placeOf(anchorId);
  }

  #tell(name) {
    this.dispatchEvent(new Event(name));
  }
}
