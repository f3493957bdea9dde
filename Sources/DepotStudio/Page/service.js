/** The service: clients, slow calls, live queries, figures as small plots, disk, and backups. */

import { ask, download, errorBox, h, replace, svg } from "./dom.js";
import { bytesText, countText, durationText, plural } from "./format.js";
import { linePath, sample, statsOf, storesOf, sumOf } from "./metrics.js";
import { session } from "./session.js";

const PERIOD = 1500;
const KEPT = 80;
const WIDTH = 220;
const HEIGHT = 44;

const PLOTS = [
  { title: "Commits", lines: [["commits", ""]], text: (value) => `${rateText(value)} per second` },
  { title: "Rows written", lines: [["rows", ""]], text: (value) => `${rateText(value)} per second` },
  { title: "Commit, p99", lines: [["commit99", ""], ["commit50", "half"]], text: durationText },
  { title: "Call, p99", lines: [["call99", ""], ["call50", "half"]], text: durationText },
  { title: "Write-ahead log", lines: [["log", ""]], text: bytesText },
  { title: "Memory", lines: [["memory", ""]], text: bytesText },
];

const rateText = (value) => (value < 10 ? value.toFixed(1).replace(/\.0$/, "") : countText(Math.round(value)));

export class ServiceView {
  title = "Service";
  #life = new AbortController();
  #samples = [];
  #before;

  constructor(_, page) {
    this.page = page;
    this.head = h("span", { class: "count" });
    this.plots = h("div", { class: "plots" });
    this.clients = h("div", { class: "clients" });
    this.writer = h("div", { class: "writer" });
    this.slow = h("div", { class: "slow" });
    this.space = h("div");
    this.problem = h("div");
    this.backupState = h("span", { class: "dim", role: "status" });
    this.backupButton = h("button", { class: "quiet", onclick: () => void this.#backup() }, "Back up");
    this.checkButton = h("button", { class: "quiet", onclick: () => void this.#check() }, "Check");
    this.element = h("section", { class: "view service-view", "aria-label": "Service" },
      h("header", { class: "bar" }, h("h1", {}, "Service"), this.head, h("span", { class: "space" }),
        this.backupState,
        h("div", { class: "tools" }, this.checkButton, this.backupButton)),
      h("div", { class: "scrolls service-body" }, this.problem, this.plots,
        part("Clients", this.clients), part("Locks in waiting", this.writer),
        part("Slow calls", this.slow), part("Disk", this.space)));
    this.figures = PLOTS.map((plot) => this.#plot(plot));
    void this.#poll();
    void this.#readSpace();
  }

  close() {
    this.#life.abort();
  }

  #plot({ title, lines, text }) {
    const value = h("strong", { class: "number" });
    const paths = lines.map((_, index) => svg("path", { class: `line line${index}` }));
    const drawing = svg(
      "svg",
      {
        viewBox: `0 -2 ${WIDTH} ${HEIGHT + 4}`, preserveAspectRatio: "none", class: "plot", role: "img",
        "aria-label": title,
      },
      paths,
    );
    this.plots.append(h("figure", { class: "card" }, h("figcaption", {}, title, value), drawing));
    return { show: () => {
      const most = Math.max(0, ...this.#samples.flatMap((one) => lines.map(([name]) => one[name] ?? 0)));
      lines.forEach(
        ([name], index) => paths[index].setAttribute(
          "d", linePath(this.#samples.map((one) => one[name]), WIDTH, HEIGHT, most)
        )
      );
      const last = this.#samples[this.#samples.length - 1];
      const known = lines.map(([name, label]) => {
        const latest = name.startsWith("commit") && name !== "commits" || name.startsWith("call")
          ? this.#samples.findLast((one) => one[name] !== undefined)?.[name] : last[name];
        return latest === undefined ? undefined : `${label ? `${label} ` : ""}${text(latest)}`;
      }).filter(Boolean);
      replace(value, known.join(" · ") || "–");
      drawing.setAttribute("aria-label", `${title}: ${known.join(", ") || "nothing yet"}`);
    } };
  }

  async #poll() {
    const { signal } = this.#life;
    while (!signal.aborted) {
      if (document.visibilityState === "visible") {
        try {
          const stats = statsOf(await session.client.call("stats", {}, { signal }), session.container);
          const now = { at: performance.now(), stats };
          this.#samples.push(sample(this.#before, now));
          if (this.#samples.length > KEPT) this.#samples.shift();
          this.#before = now;
          this.#show(stats);
          replace(this.problem);
        } catch (error) {
          if (signal.aborted) return;
          replace(this.problem, errorBox(error));
        }
      }
      await new Promise((resolve) => setTimeout(resolve, PERIOD));
    }
  }

  #show(stats) {
    const { server, connections, readers, store, slow } = stats;
    replace(
      this.head,
      [
        `${server.name} ${server.version}`, `up ${durationText(server.uptimeSeconds * 1e6)}`, `process ${server.pid}`
      ].join(" · "),
    );
    for (const figure of this.figures) figure.show();
    const own = session.client.welcome?.connection;
    this.clientsKey = replaceIfOther(this.clients, this.clientsKey, [
      connections.list.map(({ seconds, ...rest }) => rest), store.watches, readers
    ], () => [
      h("p", { class: "dim" }, [
        plural(connections.current, "connection"),
        `${plural(store.watches?.current ?? 0, "live query", "live queries")}`,
        `${plural(readers.active, "read")} under way`, `${readers.waiting} waiting for a reader`,
        `${plural(readers.pins, "pin")}`, `${plural(readers.parked, "stream")} waiting for its client`,
      ].join(" · ")),
      h("div", { class: "scroll-x" }, h("table", { class: "plain" },
        h(
          "thead", {},
          h(
            "tr", {},
            [
              "No.", "Client", "Process", "Role", "Under way", "Unread"
            ].map((text) => h("th", { scope: "col" }, text)),
          ),
        ),
        h("tbody", {}, connections.list.map((one) => h("tr", {},
          h("td", { class: "number dim" }, String(one.connection)),
          h(
            "td", { class: "nowrap" }, [one.client?.name, one.client?.version].filter(Boolean).join(" ") || "–",
            one.connection === own && h("span", { class: "good tag" }, "this page"),
            one.author && h("span", { class: "dim" }, ` ${one.author}`),
          ),
          h("td", { class: "nowrap" }, one.process ?? `${one.pid}`),
          h("td", {}, one.role ?? ""),
          h(
            "td", {},
            one.calls.length ? one.calls.slice(0, 8).map(
              (call) => typeof call === "string" ? call : `${call.op ?? call.call ?? ""} ${call.entity ?? ""}`.trim()
            ).join(", ") : one.inFlight ? String(one.inFlight) : "–",
          ),
          h("td", { class: "number" }, bytesText(one.outboundBytes))))))),
    ]);
    this.#showWriters(storesOf(stats));
    this.slowKey = replaceIfOther(this.slow, this.slowKey, slow, () => slow.length === 0
      ? h("p", { class: "dim" }, "None.")
      : h("div", { class: "scroll-x" }, h("table", { class: "plain" },
        h(
          "thead", {},
          h(
            "tr", {},
            ["Took", "Call", "Predicate", "Scanned", "Advice"].map((text) => h("th", { scope: "col" }, text)),
          ),
        ),
        h("tbody", {}, [...slow].reverse().slice(0, 30).map((one) => h("tr", {},
          h("td", { class: "number" }, durationText(one.ms * 1000)),
          h("td", {}, [one.op, one.entity].filter(Boolean).join(" ")),
          h(
            "td", { class: "code" },
            typeof one.where === "string" ? one.where : one.where ? JSON.stringify(one.where) : "–",
          ),
          h(
            "td", { class: "number" }, one.scanned === null ? "–" : countText(one.scanned),
            one.fullScan && h("span", { class: "tag" }, "full scan"),
          ), h("td", {}, one.advice ?? "")))))));
  }

  /** Shows of each store the transaction that its writer is in, and the calls that wait for it. */
  #showWriters(stores) {
    const writers = stores.map(({ name, store }) => ({ name, writer: store.writer }));
    this.writerKey = replaceIfOther(this.writer, this.writerKey, writers, () => writers.map(({ name, writer }) => (
      writerBox(writer, stores.length > 1 ? name : undefined)
    )));
  }

  /** The arguments that name each store; a single one needs none. */
  async #stores() {
    const stores = await session.stores(this.#life.signal);
    return stores.length > 1 ? stores.map(({ name }) => ({ store: name })) : [{}];
  }

  async #readSpace() {
    try {
      const all = [];
      for (const args of await this.#stores()) {
        all.push(await session.client.call("space", args, { signal: this.#life.signal }));
      }
      const told = {
        ...all.reduce(sumOf), entities: all.flatMap(({ entities }) => entities),
        copies: all.flatMap(({ copies }) => copies),
      };
      const total = told.fileBytes + told.logBytes;
      const parts = [
        ...told.entities.map(
          (one) => [
            one.entity, one.rowBytes + one.indexBytes + one.valueBytes + one.linkBytes,
            [
              plural(one.rows, "row"), `rows ${bytesText(one.rowBytes)}`, `indexes ${bytesText(one.indexBytes)}`,
              `values outside ${bytesText(one.valueBytes)}`, `links ${bytesText(one.linkBytes)}`,
            ].join(", "),
          ]
        ),
        ["History", told.historyBytes, ""], ["Free", told.freeBytes, "for rows to come"],
        ["Log", told.logBytes, "used again"], ["Other", told.otherBytes, ""],
      ].filter(([, bytes]) => bytes > 0).sort((one, other) => other[1] - one[1]);
      const most = Math.max(...parts.map(([, bytes]) => bytes));
      replace(this.space, h("p", { class: "dim" }, `${bytesText(total)} in all`),
        h("div", { class: "bars" }, parts.map(([name, bytes, note]) => {
          const bar = h("span", { class: "bar-fill" });
          bar.style.width = `${Math.max(0.5, (100 * bytes) / most)}%`;
          return h(
            "div", { title: note }, h("span", { class: "bar-name" }, name), h("span", { class: "bar-track" }, bar),
            h("span", { class: "number" }, bytesText(bytes)),
          );
        })),
        told.copies.length > 0 && h(
          "p", { class: "dim" },
          `Copies beside the store: ${told.copies.map(({ name, bytes }) =>
            `${name} (${bytesText(bytes)})`).join(", ")}`,
        ));
    } catch (error) {
      if (!this.#life.signal.aborted) replace(this.space, h("p", { class: "dim" }, error.message));
    }
  }

  async #check() {
    this.checkButton.disabled = true;
    replace(this.backupState, "Checking every page…");
    try {
      const problems = [];
      let pages = 0;
      for (const args of await this.#stores()) {
        const found = await session.client.call("check", args, { signal: this.#life.signal });
        pages += found.pages;
        problems.push(...found.problems.map((text) => (args.store ? `${args.store}: ${text}` : text)));
      }
      replace(
        this.backupState,
        problems.length === 0 ? `Sound: ${plural(pages, "page")}` : plural(problems.length, "problem"),
      );
      if (problems.length) await ask(
        "Problems", h("ul", {}, problems.slice(0, 100).map((text) => h("li", {}, text))),
        [{ text: "Close", kind: "primary" }],
      );
    } catch (error) {
      replace(this.backupState, error.message);
    }
    this.checkButton.disabled = false;
  }

  /** Reads a backup of each store, all as of one moment, into a file, with progress; the same button cancels it. */
  async #backup() {
    if (this.running) return this.running.abort();
    const { client } = session;
    const { signal } = (this.running = new AbortController());
    replace(this.backupButton, "Cancel");
    const progress = h("progress", { max: 1, value: 0, "aria-label": "Backup" });
    const text = h("span", {});
    replace(this.backupState, progress, " ", text);
    let pin;
    try {
      const stores = await this.#stores();
      if (stores.length > 1) ({ pin } = await client.call("pin", {}, { signal }));
      let whole = 0;
      for (const args of stores) {
        const pieces = [];
        let done = 0;
        for await (const frame of client.stream("backup", args, { signal, pin })) {
          for (const [, size, data] of frame.next) {
            const bytes = Uint8Array.from(atob(data), (sign) => sign.charCodeAt(0));
            // A blob may be kept on the disk by the browser.
            pieces.push(new Blob([bytes]));
            done += bytes.length;
            progress.value = done / Number(size);
            replace(text, `${bytesText(done)} of ${bytesText(Number(size))}`, args.store && ` of ${args.store}`);
          }
        }
        const day = new Date().toISOString().slice(0, 10);
        download(`${["depot", args.store, day].filter(Boolean).join("-")}.backup`, pieces);
        whole += done;
      }
      replace(this.backupState, `${bytesText(whole)} saved`);
    } catch (error) {
      replace(this.backupState, signal.aborted ? "Cancelled" : error.message);
    }
    if (pin) void client.call("unpin", { pin }).catch(() => {});
    this.running = undefined;
    replace(this.backupButton, "Back up");
  }
}

/** The state of a store's writer, under the store's name if there are others. */
function writerBox(writer, name) {
  const { running = [], queue = [], waiting = 0, runningSeconds = 0, clusterWaitSeconds = 0 } = writer ?? {};
  const whoOf = ({ connection, client, process }) =>
    [connection === undefined ? "the service" : `No. ${connection}`, client ?? process].filter(Boolean).join(" ");
  const callOf = ({ op, entity }) => [op, entity].filter(Boolean).join(" ");
  const first = running[0];
  const behind = first === undefined ? "the end of the last commit"
    : `${callOf(first)} of ${whoOf(first)}` +
      (running.length > 1 ? ` and ${plural(running.length - 1, "call")} with it` : "");
  return h("div", { "data-store": name }, h("p", { class: "dim" }, name && h("strong", {}, `${name}: `), [
    first === undefined ? "Nothing is written." : `${behind}, for ${durationText(runningSeconds * 1e6)}`,
    clusterWaitSeconds > 0 && `waits for other services of the cluster, for ${durationText(clusterWaitSeconds * 1e6)}`,
    `${plural(waiting, "call")} waiting`,
  ].filter(Boolean).join(" · ")),
  queue.length > 0 && h("div", { class: "scroll-x" }, h("table", { class: "plain" },
    h(
      "thead", {},
      h("tr", {}, ["Waits", "Call", "Client", "Behind"].map((text) => h("th", { scope: "col" }, text))),
    ),
    h("tbody", {}, queue.map((one, index) => h("tr", {},
      h("td", { class: "number" }, one.seconds === undefined ? "–" : durationText(one.seconds * 1e6)),
      h("td", {}, callOf(one)), h("td", { class: "nowrap" }, whoOf(one)),
      h("td", {}, behind, index > 0 && h("span", { class: "dim" }, ` and ${plural(index, "other")}`))))))));
}

const part = (title, content) => h("section", { class: "part" }, h("h2", {}, title), content);

/** Replaces the content of an element if its value is another one, so that the reader's place and focus stay. */
function replaceIfOther(element, key, value, make) {
  const next = JSON.stringify(value);
  if (next !== key && !element.contains(document.activeElement)) {
    replace(element, make());
    return next;
  }
  return key;
}
