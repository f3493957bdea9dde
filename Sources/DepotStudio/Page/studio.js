/** The page: its frame, the list of entities, and the view that the address names. */

import { formatAddress, parseAddress, withMembers } from "./address.js";
import { errorBox, h, replace, toast } from "./dom.js";
import { EntityList } from "./entities.js";
import { session } from "./session.js";

const VIEWS = {
  entities: async () => (await import("./overview.js")).Overview,
  table: async () => (await import("./table.js")).TableView,
  object: async () => (await import("./object.js")).ObjectPage,
  history: async () => (await import("./history.js")).HistoryView,
  query: async () => (await import("./query.js")).QueryView,
  schema: async () => (await import("./schemaview.js")).SchemaView,
  service: async () => (await import("./service.js")).ServiceView,
};

class Page {
  view;
  beside;
  address;
  #turn = 0;

  constructor() {
    this.state = h("span", { class: "state", role: "status" });
    this.ticker = h("span", { class: "ticker", role: "status", "aria-live": "polite" });
    this.edits = h("div", { class: "edit-bar", hidden: true });
    this.main = h("main", { id: "main", tabindex: -1 });
    this.panel = h("aside", { class: "beside", hidden: true, "aria-label": "Object" });
    this.banner = h("div", { class: "banner", hidden: true, role: "alert" });
    this.list = new EntityList();
    this.nav = h("nav", { "aria-label": "Views" },
      [["history", "History"], ["query", "Query"], ["schema", "Schema"], ["service", "Service"]].map(([view, text]) =>
        h("a", { href: `#/${view}`, "data-view": view }, text)));
    this.side = h("div", { class: "side" },
      h("div", { class: "brand" },
        h("a", { href: "#/", title: "All entities" }, h("span", { class: "logo", "aria-hidden": "true" }), "Depot"),
        h(
          "button",
          { class: "quiet menu-button", "aria-expanded": "false", "aria-label": "Menu", onclick: () => this.#menu() },
          "☰",
        )),
      h("div", { class: "side-body" }, this.nav, this.list.element));
    this.element = h("div", { class: "page" },
      h(
        "a", { class: "skip", href: "#main", onclick: (event) => { event.preventDefault(); this.main.focus(); } },
        "Skip to the rows",
      ),
      this.side, h("div", { class: "center" }, this.banner, h("div", { class: "work" }, this.main, this.panel),
        this.edits,
        h("footer", {}, this.state, this.ticker)),
      h("div", { id: "toasts", role: "status", "aria-live": "polite" }));
    session.addEventListener("state", () => this.#state());
    session.addEventListener("back", ({ detail }) => this.#back(detail));
    session.addEventListener("schema", () => {
      toast("The schema of the store is another one now.");
      void this.#reload();
    });
    addEventListener("hashchange", () => void this.show());
    addEventListener("keydown", (event) => this.#key(event));
    addEventListener("beforeunload", (event) => {
      if (session.edits?.isEmpty === false) event.preventDefault();
    });
  }

  async start() {
    document.body.append(this.element);
    this.#state();
    // The next modules load while the connection is made.
    const editing = import("./edits.js");
    void VIEWS[parseAddress(location.hash).view]().catch(() => {});
    try {
      await session.start();
    } catch (error) {
      replace(this.main, errorBox(error));
      return;
    }
    if (session.canWrite) {
      const { Edits, EditBar } = await editing;
      session.edits = new Edits();
      new EditBar(this.edits, session.edits);
      session.edits.addEventListener("change", () => {
        // A new row that is stored, dropped, or taken back is none.
        if (this.beside?.isNew && !session.edits.get(this.beside.entity, this.beside.id)) this.closeNew();
        this.view?.grid?.renderAll();
      });
    }
    this.element.classList.toggle("read-only", !session.canWrite);
    this.#state();
    await this.show();
    this.list.start();
  }

  say = (text) => replace(this.ticker, text);

  /** Goes to the address with other members. */
  go = (members, isReplaced = false) => {
    const hash = withMembers(this.address, members);
    if (hash === location.hash) return;
    if (!isReplaced) location.hash = hash;
    else {
      history.replaceState(undefined, "", hash);
      void this.show();
    }
  };

  async show() {
    const turn = ++this.#turn;
    const address = parseAddress(location.hash);
    this.address = address;
    this.#menu(false);
    const { model } = session;
    if (!model) return;
    session.checkSchema();
    const name = [
      address.view, address.entity, address.view === "object" ? address.id : undefined
    ].filter((one) => one !== undefined).join("/");
    if (address.entity && !model.has(address.entity)) {
      this.#close();
      replace(this.main, errorBox({ message: `The store has no entity “${address.entity}”.` }));
    } else if (this.view?.name === name && this.view.update) {
      this.view.update(address);
    } else {
      try {
        const View = await VIEWS[address.view]();
        if (turn !== this.#turn) return;
        this.#close();
        this.view = new View(address, this);
        this.view.name ??= name;
        replace(this.main, this.view.element);
        this.view.opened?.();
      } catch (error) {
        replace(this.main, errorBox(error));
      }
    }
    await this.#beside(address.beside, turn);
    document.title = `${this.view?.title ?? "Depot"} – Depot Studio`;
    this.main.setAttribute("aria-label", this.view?.title ?? "Depot");
    for (const link of this.nav.children) {
      if (link.dataset.view === address.view) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    this.list.current(address.view === "table" || address.view === "object" ? address.entity : undefined);
  }

  #close() {
    this.view?.close?.();
    this.view = undefined;
  }

  async #beside(beside, turn) {
    const { at } = this.address;
    const name = beside && `${beside.entity}/${beside.id}@${at === "now" ? "" : at ?? ""}`;
    this.element.classList.toggle("has-beside", Boolean(beside));
    if (this.beside?.name === name) {
      this.beside?.update?.(this.address);
      return;
    }
    this.beside?.close();
    this.beside = undefined;
    this.panel.hidden = !beside;
    replace(this.panel);
    if (!beside) return;
    const { ObjectView } = await import("./object.js");
    if (turn !== this.#turn) return;
    this.beside = new ObjectView(beside, this, { isBeside: true });
    this.beside.name = name;
    this.panel.append(this.beside.element);
  }

  /** Shows a row that isn't stored before it is saved. */
  newRow = async (entity, id) => {
    const { ObjectView } = await import("./object.js");
    this.beside?.close();
    this.panel.hidden = false;
    this.element.classList.add("has-beside");
    this.beside = new ObjectView({ entity, id, isNew: true }, this, { isBeside: true });
    this.beside.name = `${entity}/${id}`;
    replace(this.panel, this.beside.element);
  };

  /** Closes a new row, and shows the object of the address. */
  closeNew = () => {
    this.beside?.close();
    this.beside = undefined;
    this.panel.hidden = true;
    replace(this.panel);
    void this.#beside(this.address.beside, this.#turn);
  };

  #menu(isOpen = !this.element.classList.contains("menu-open")) {
    this.element.classList.toggle("menu-open", isOpen);
    this.side.querySelector(".menu-button").setAttribute("aria-expanded", String(isOpen));
  }

  #state() {
    const { state } = session;
    const texts = {
      connecting: "Connecting…", connected: "Live", draining: "The service is stopping…",
      disconnected: "Reconnecting…", unreachable: "No answer. Trying again…", closed: "Closed",
    };
    this.state.dataset.state = state;
    replace(this.state, texts[state] ?? state);
    this.state.title = state === "connected" ? session.settings.store : session.error?.message ?? "";
    if (state === "unreachable" && !session.model) {
      replace(
        this.main,
        errorBox(
          session.error,
          h("p", { class: "hint" }, "If depot studio has ended, start it again and open the address that it prints."),
        ),
      );
    }
    const mode = session.model && !session.canWrite ? " · to look at" : "";
    if (mode) this.state.append(h("span", { class: "dim" }, mode));
  }

  #back({ isRestored, isOther }) {
    if (!isRestored) return void toast("The service was started again. The page continues from its last moment.");
    void this.#reload(isOther
      ? "The service has another store now. Everything that you see was read anew."
      : "The store was restored from a backup. Everything that you see was read anew.");
  }

  /** Shows everything anew, and says why. */
  async #reload(text) {
    if (text) {
      replace(
        this.banner, h("span", {}, text),
        h("button", { class: "quiet", onclick: () => (this.banner.hidden = true) }, "Dismiss"),
      );
      this.banner.hidden = false;
    }
    this.#close();
    this.beside?.close();
    this.beside = undefined;
    replace(this.panel);
    await this.show();
    this.list.start();
  }

  #key(event) {
    const isTyping = event.target.closest?.("input, textarea, select, [contenteditable]");
    const isFar = event.ctrlKey || event.metaKey;
    if (event.key === "Escape" && !event.defaultPrevented && !document.querySelector("dialog[open]")) {
      if (isTyping) return;
      if (this.address?.beside) this.go({ beside: undefined });
      this.element.querySelector("studio-grid")?.focus();
    } else if (event.key === "/" && !isTyping && !isFar) {
      const field = this.main.querySelector("predicate-field") ?? this.list.search;
      event.preventDefault();
      field.focus();
    } else if (event.key === "?" && !isTyping) {
      void import("./keys.js").then(({ showKeys }) => showKeys());
    } else if (isFar && event.key.toLowerCase() === "z" && !isTyping && session.edits) {
      event.preventDefault();
      void (event.shiftKey ? session.edits.redo() : session.edits.undo());
    } else if (isFar && event.key.toLowerCase() === "y" && !isTyping && session.edits) {
      event.preventDefault();
      void session.edits.redo();
    } else if (isFar && event.key.toLowerCase() === "s" && session.edits) {
      event.preventDefault();
      document.activeElement?.dispatchEvent(new Event("change", { bubbles: true }));
      void session.edits.save();
    }
  }
}

const page = new Page();
void page.start();
export { formatAddress };
