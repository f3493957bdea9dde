/** The page's connection: the client, the schema, and the state of the connection. */

import { DepotError, connect } from "/client/browser.js";

import { Model } from "./schema.js";

/** The page waits for the service as long as it is open. */
const PATIENCE = 365 * 86_400_000;

/** How often at most the page looks whether the schema changed, in milliseconds. */
const PAUSE = 500;

class Session extends EventTarget {
  /** @type {any} */
  client = undefined;
  /** @type {Model | undefined} */
  model = undefined;
  settings = { write: false, store: "", version: "" };
  state = "connecting";
  /** The container whose stores the page shows. */
  container = "default";
  /** @type {any} */
  error = undefined;
  /** How many rows entities have, as far as the list watches them. */
  counts = new Map();
  /** The last moment that the page knows of the store. */
  token = undefined;
  #instance;
  #uuid;
  #checked = 0;

  async start() {
    const settings = fetch("/studio.json", { cache: "no-store" }).then(
      (answer) => (answer.ok ? answer.json() : {}), () => ({})
    );
    for (let pause = 250; ; pause = Math.min(2 * pause, 4000)) {
      try {
        this.client = await connect(undefined, {
          name: "studio", exactJSON: true, patience: PATIENCE, onState: (state, error) => this.#changed(state, error),
        });
        break;
      } catch (error) {
        this.#changed("unreachable", error);
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    }
    this.#remember();
    const [found] = await Promise.all([settings, this.refreshSchema()]);
    this.settings = { ...this.settings, ...found };
    this.#checked = performance.now();
    setInterval(() => document.visibilityState === "visible" && this.checkSchema(), 20_000);
  }

  get canWrite() {
    return Boolean(this.settings.write);
  }

  #remember() {
    const { welcome } = this.client;
    this.#instance = welcome?.server.instance ?? this.#instance;
    this.#uuid = welcome?.store?.uuid ?? this.#uuid;
    this.container = welcome?.container ?? this.container;
  }

  #changed(state, error) {
    const before = this.state;
    this.state = state;
    this.error = error;
    this.dispatchEvent(new Event("state"));
    if (state === "connected" && before !== "connecting" && this.client) void this.#back();
    else if (state === "disconnected") void this.client?.ping().catch(() => {});
  }

  /** Finds out whether the service is another one after the connection was lost. */
  async #back() {
    try {
      const { welcome } = this.client;
      if (!welcome || welcome.server.instance === this.#instance) return;
      const isOther = welcome.store?.uuid !== this.#uuid;
      this.#remember();
      let isForeign = isOther;
      if (this.token && !isOther) {
        try {
          await this.client.history({ since: this.token, limit: 1, values: false }).first();
        } catch (error) {
          isForeign = error.code === "history.foreign";
        }
      }
      await this.refreshSchema();
      if (isForeign) this.token = undefined;
      this.dispatchEvent(new CustomEvent("back", { detail: { isRestored: isForeign, isOther } }));
    } catch {
      // The next connection tries again.
    }
  }

  /** Looks whether the schema changed, now and then. */
  checkSchema() {
    const now = performance.now();
    if (now - this.#checked < PAUSE || this.state !== "connected") return;
    this.#checked = now;
    void this.refreshSchema().catch(() => {});
  }

  /** Reads the schema again, and sends an event if it is another one. */
  async refreshSchema() {
    const answer = await this.client.schema();
    if (answer.fingerprint === this.model?.fingerprint) return;
    const isFirst = !this.model;
    this.model = new Model(answer);
    if (!isFirst) this.dispatchEvent(new Event("schema"));
  }

  /**
   * Returns the stores of the container, each with its `name` and `entities`.
   *
   * @param {AbortSignal} signal
   * @returns {Promise<{ name: string, entities: string[] }[]>}
   */
  async stores(signal) {
    const { containers } = await this.client.call("container.list", {}, { signal });
    return containers.find(({ name }) => name === this.container)?.stores ?? [];
  }

  /** The last transaction of the store that has an entity: of several stores, only entities tell which is meant. */
  async headOf(entity, signal) {
    for await (const { token } of this.client.watch({ count: { entity } }, { signal })) if (token) return token;
  }

  /**
   * Follows a watch until the signal is aborted.
   *
   * @param {Record<string, any>} query
   * @param {AbortSignal} signal
   * @param {(event: any, watch: any) => void} take
   * @param {(error: DepotError) => void} [failed]
   * @param {Record<string, any>} [options]
   */
  async follow(query, signal, take, failed = () => {}, options = {}) {
    try {
      const watch = this.client.watch(query, { signal, ...options });
      for await (const event of watch) {
        if (signal.aborted) return;
        if (event.token) this.token = event.token;
        take(event, watch);
      }
    } catch (error) {
      if (!signal.aborted) failed(error);
    }
  }
}

export const session = new Session();
export { DepotError };
