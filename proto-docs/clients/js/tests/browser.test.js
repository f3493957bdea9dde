import assert from "node:assert/strict";
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import test from "node:test";

import { FrameReader, connect, withLength } from "../browser.js";
import { Service, eventually, failure, folder, limited, needsService } from "./helpers.js";

/** A WebSocket of a browser, with a bridge behind it: each message is a frame of a service's socket. */
function bridge(socketPath) {
  return class BridgedSocket {
    static all = [];
    readyState = 0;

    constructor(address) {
      this.address = address;
      BridgedSocket.all.push(this);
      const frames = new FrameReader();
      this.socket = net.connect(socketPath);
      this.socket.on("connect", () => {
        this.readyState = 1;
        this.onopen?.({});
      });
      this.socket.on("data", (bytes) => {
        for (const frame of frames.take(bytes)) {
          // Text and bytes in turn: a client takes both.
          const isText = frames.count++ % 2 === 0;
          const data = isText ? Buffer.from(frame).toString("utf8") : Uint8Array.from(frame).buffer;
          this.onmessage?.({ data });
        }
      });
      frames.count = 0;
      this.socket.on("error", () => {});
      this.socket.on("close", () => {
        this.readyState = 3;
        this.onclose?.({ code: 1006, reason: "" });
      });
    }

    send(text) {
      assert.equal(typeof text, "string");
      this.socket.write(withLength(new TextEncoder().encode(text)));
    }

    close(code) {
      this.closedWith = code;
      this.readyState = 2;
      this.socket.destroy();
    }
  };
}

const options = { ...needsService, ...limited };

test("README's program for browsers runs, one message for each frame", options, async () => {
  const service = await Service.start();
  const page = globalThis.WebSocket;
  try {
    const client = await service.connect();
    await client.define({ entities: [{ name: "Book", attributes: [{ name: "title", type: "string" }] }] });
    await client.entity("Book").insert([{ title: "Dune" }, { title: "Emma" }, { title: "Ulysses" }]);
    globalThis.WebSocket = bridge(service.socket);
    const code = fs.readFileSync(path.join(folder, "README.md"), "utf8").match(/^```js browser\n([^]*?)^```/m)[1];
    const here = new URL("../browser.js", import.meta.url).href;
    const lines = [];
    const log = console.log;
    console.log = (line) => lines.push(String(line));
    try {
      await import(`data:text/javascript,${encodeURIComponent(code.replace("./browser.js", here))}`);
    } finally {
      console.log = log;
    }
    assert.deepEqual(lines, [code.match(/→ (.*)/)[1]]);
    assert.deepEqual(
      globalThis.WebSocket.all.map((socket) => [socket.address, socket.closedWith]),
      [["ws://127.0.0.1:8020/socket", 1000]],
    );
  } finally {
    globalThis.WebSocket = page;
    await service.stop();
  }
});

test("A page goes on from its tokens after a restart of the service", options, async () => {
  const service = await Service.start();
  try {
    const states = [];
    const WebSocket = bridge(service.socket);
    const client = await connect("ws://bridge", { WebSocket, onState: (state) => states.push(state) });
    await client.define({ entities: [{ name: "Item", attributes: [{ name: "data", type: "data" }] }] });
    const items = client.entity("Item");
    const watch = items.watch();
    const kinds = [];
    const loop = (async () => { for await (const { kind } of watch) kinds.push(kind); })();
    await items.insert([{ data: new Uint8Array(3 << 20).fill(7) }]);
    await eventually(() => watch.rows.length === 1);
    await service.kill();
    const write = items.insert([{ data: Uint8Array.of(1) }]);
    await service.begin();
    await write;
    await eventually(() => watch.rows.length === 2);
    assert.deepEqual(watch.rows.map((row) => row.data.length), [3 << 20, 1]);
    assert.deepEqual(states, ["connected", "disconnected", "connected"]);
    watch.close();
    await loop;
    client.close();
  } finally {
    await service.stop();
  }
});

test("A bridge that isn't there is an error, and so is a message that is no frame", limited, async () => {
  class Refused {
    constructor() {
      setImmediate(() => this.onclose({ code: 1006, reason: "" }));
    }
  }
  const error = await failure(connect("ws://nowhere", { WebSocket: Refused }));
  assert.deepEqual([error.code, error.retry], ["unavailable.service", "later"]);
  assert.match(error.message, /ws:\/\/nowhere/);
  for (const data of ["", "no JSON", "[]", new ArrayBuffer(0), new Uint8Array([255]).buffer]) {
    class Wrong {
      readyState = 1;
      constructor() {
        setImmediate(() => this.onopen({}));
      }
      send() {
        setImmediate(() => this.onmessage({ data }));
      }
      close() {}
    }
    assert.equal((await failure(connect("ws://wrong", { WebSocket: Wrong }))).code, "protocol.frame");
  }
});
