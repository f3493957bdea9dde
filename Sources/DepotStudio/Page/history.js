/** The transactions as they come, the newest first. */

import { identifier } from "./address.js";
import { errorBox, h, replace } from "./dom.js";
import { plural } from "./format.js";
import { session } from "./session.js";
import { transactionItem } from "./transactions.js";

const PAGE = 50;
const MOST = 1000;

export class HistoryView {
  title = "History";
  #life = new AbortController();
  #known = [];

  constructor(address, page) {
    this.page = page;
    this.items = h("ol", { class: "transactions", "aria-label": "Transactions" });
    this.count = h("span", { class: "count" });
    this.problem = h("div");
    this.more = h("button", { hidden: true, onclick: () => void this.#older() }, "Earlier transactions");
    this.waiting = h("button", { class: "news", hidden: true, onclick: () => this.#release() });
    const field = (name, text, size) => h("input", {
      type: "text", placeholder: text, "aria-label": text, value: address[name] ?? "", class: "short", size,
      onchange: (event) => this.page.go({ [name]: event.target.value.trim() || undefined }),
    });
    const entities = h("select", {
      "aria-label": "Entity", class: "short",
      onchange: () => this.page.go({ entity: entities.value || undefined, id: undefined }),
    },
      h("option", { value: "" }, "All entities"), session.model.names.map(
        (name) => h("option", { value: name }, name)
      ));
    entities.value = address.entity ?? "";
    this.store = h("select", {
      "aria-label": "Store", class: "short", hidden: true,
      onchange: () => this.page.go({ store: this.store.value || undefined }),
    });
    this.list = h("div", { class: "scrolls" }, this.problem, this.items, this.more);
    this.element = h("section", { class: "view history-view", "aria-label": "History" },
      h("header", { class: "bar" }, h("h1", {}, "History"), this.count, this.waiting, h("span", { class: "space" }),
        h("div", { class: "filters" }, entities,
          address.entity && h("input", { type: "text", placeholder: "Identifier", "aria-label": "Identifier",
            class: "short", size: 8, value: address.id ?? "",
            onchange: (event) => this.page.go({ id: identifier(event.target.value.trim()) }) }),
          this.store, field("author", "Author", 10), field("process", "Process", 10))),
      this.list);
    this.#start(address);
  }

  update(address) {
    const key = (it) => JSON.stringify([it.entity, String(it.id), it.author, it.process, it.store]);
    if (key(address) !== key(this.address)) this.#start(address);
  }

  close() {
    this.#life.abort();
  }

  #start(address) {
    this.#life.abort();
    this.#life = new AbortController();
    this.address = address;
    this.before = undefined;
    this.#known = [];
    this.held = [];
    const { entity, id, author } = address;
    this.query = { entity, ids: entity && id !== undefined ? [id] : undefined, author };
    replace(this.items);
    replace(this.problem);
    void this.#open();
  }

  async #open() {
    const { signal } = this.#life;
    try {
      const stores = await session.stores(signal);
      const isOnly = stores.length < 2;
      const { entity, store } = this.address;
      const chosen = stores.find(({ name }) => name === store) ?? stores.find(({ entities }) => entities.length > 0);
      // An entity is in one store.
      this.store.hidden = isOnly || Boolean(entity);
      replace(this.store, stores.map(({ name }) => h("option", { value: name }, name)));
      this.store.value = chosen?.name ?? "";
      if (!isOnly && !chosen) return this.#showNone();
      let head;
      if (isOnly) {
        const status = await session.client.call("history.status", {}, { signal });
        replace(this.count, `${plural(status.transactions, "transaction")} kept`);
        ({ head } = status);
      } else {
        head = await session.headOf(entity ?? chosen.entities[0], signal);
      }
      await this.#read(head, signal, true);
      await session.follow({ history: { ...this.query, values: true }, since: head }, signal, (event) => {
        for (const transaction of event.transactions ?? []) this.#came(transaction);
      }, (error) => replace(this.problem, errorBox(error)), { parts: true });
    } catch (error) {
      if (!signal.aborted) replace(this.problem, errorBox(error));
    }
  }

  /** Reads a page of transactions, those up to the last one or before the oldest one that is shown. */
  async #read(until, signal, isFirst = false) {
    let count = 0;
    let oldest = until;
    const isJoined = !this.query.ids;
    const args = {
      ...this.query, descending: true, limit: PAGE + (isFirst ? 0 : 1), until, joined: isJoined || undefined
    };
    let last;
    for await (const transaction of session.client.history(args, { signal, parts: true })) {
      if (last?.token === transaction.token) {
        last.item?.more(transaction.changes.length);
        continue;
      }
      last = { token: transaction.token };
      oldest = transaction.joined?.first ?? transaction.token;
      if (!isFirst && transaction.token === until) continue;
      count++;
      if (this.#isWanted(transaction) && !this.#known.includes(transaction.token)) {
        this.#known.push(transaction.token);
        const isOpen = count <= 3 && isFirst && transaction.changes.length <= 4;
        last.item = transactionItem(transaction, { page: this.page, isOpen });
        this.items.append(last.item);
      }
    }
    this.before = oldest;
    this.more.hidden = count < PAGE;
    if (this.items.children.length === 0) this.#showNone();
  }

  #showNone() {
    replace(this.problem, h("p", { class: "hint" }, "No transactions yet. They appear here as programs save."));
  }

  async #older() {
    this.more.disabled = true;
    try {
      await this.#read(this.before, this.#life.signal);
    } catch (error) {
      replace(this.problem, errorBox(error));
    }
    this.more.disabled = false;
  }

  #isWanted({ process = "" }) {
    return !this.address.process || process.includes(this.address.process);
  }

  /** Shows a new transaction; while one reads further below it is announced, and nothing moves. */
  #came(transaction) {
    const { token } = transaction;
    if (!this.#isWanted(transaction)) return;
    if (this.newest?.token === token) return this.newest.item.more(transaction.changes.length);
    if (this.#known.includes(token)) return;
    this.#known.push(token);
    const item = transactionItem(
      transaction, { page: this.page, isNew: true, isOpen: transaction.changes.length <= 3 && !transaction.more }
    );
    this.newest = { token, item };
    if (this.list.scrollTop > 60) {
      this.held.push(item);
      if (this.held.length > MOST) this.held.shift();
      this.waiting.hidden = false;
      replace(this.waiting, `${plural(this.held.length, "transaction")} more · show`);
      return;
    }
    this.#add(item);
  }

  #add(item) {
    replace(this.problem);
    this.items.prepend(item);
    while (this.items.children.length > MOST) this.items.lastChild.remove();
    if (this.#known.length > 2 * MOST) this.#known.splice(0, MOST);
  }

  #release() {
    const { held } = this;
    this.held = [];
    this.waiting.hidden = true;
    for (const item of held) this.#add(item);
    this.list.scrollTop = 0;
  }
}
