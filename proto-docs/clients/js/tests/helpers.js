/** What the tests share: services, a transport whose other side is the test, and chance that can be repeated. */

import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { connect } from "depot-client";
import { readJSON } from "depot-client/core";

export const folder = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
export const documents = path.join(folder, "../..");

/** How long a test waits for something that must come, in milliseconds; only a failing one waits so long. */
export const PATIENCE = 60_000;

/** The service's program; without it, the tests with a service are skipped. */
export const program = process.env.DEPOTD;
export const needsService = { skip: program ? false : "set DEPOTD to the path of depotd" };

/** @returns random numbers from 0 to 1 that a seed repeats */
export function dice(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (bound) => Math.floor(next() * bound);
  return { next, below, one: (list) => list[below(list.length)] };
}

/** A seed, which is printed: DEPOT_SEEDS=7 runs that one. */
export function seed() {
  const wanted = process.env.DEPOT_SEEDS ?? "";
  const number = /^[0-9]+$/.test(wanted) ? Number(wanted) : Math.floor(Math.random() * 2 ** 32);
  console.log(`seed ${number}`);
  return number;
}

/** @returns what a condition comes to, which is tried until it is true */
export async function eventually(condition, what = String(condition)) {
  const end = Date.now() + PATIENCE;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > end) throw new Error(`never came: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** A service with a store of its own. */
export class Service {
  static async start(options = []) {
    const service = new Service();
    service.folder = fs.mkdtempSync(path.join(os.tmpdir(), "depot-js-"));
    service.socket = path.join(service.folder, "s");
    service.options = options;
    service.clients = [];
    await service.begin();
    return service;
  }

  async begin() {
    const store = path.join(this.folder, "store");
    this.process = spawn(program, ["--socket", this.socket, "--store", store, ...this.options], { stdio: "ignore" });
    this.ended = new Promise((resolve) => this.process.once("exit", resolve));
    await eventually(async () => {
      const client = await connect(this.socket).catch(() => undefined);
      client?.close();
      return client;
    }, "a service");
  }

  async connect(options) {
    const client = await connect(this.socket, options);
    this.clients.push(client);
    return client;
  }

  /** Ends the process at once. */
  async kill() {
    this.process.kill("SIGKILL");
    await this.ended;
  }

  async stop() {
    for (const client of this.clients) client.close();
    this.process.kill("SIGKILL");
    await this.ended;
    fs.rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A transport whose service is the test. */
export class FakeService {
  address = "fake";
  connections = [];
  #arrivals = [];

  /** What `open` of connections throws, if anything. */
  refusal = undefined;

  async open(receiver) {
    if (this.refusal) throw this.refusal;
    const connection = new FakeConnection(receiver);
    this.connections.push(connection);
    this.#arrivals.shift()?.(connection);
    return connection.channel;
  }

  /** Waits for the next connection, and welcomes it. */
  async welcome(limits = {}) {
    const connection = await this.arrival();
    const { hello } = await connection.receive();
    const store = { uuid: "0b8e4a52-9d5b-4b0e-8a94-5b8f3f0a7c21", schema: "0" };
    connection.send({ welcome: { protocol: 1, connection: 1, features: [], limits, store, server: {} } });
    return Object.assign(connection, { hello });
  }

  taken = 0;

  arrival() {
    if (this.taken < this.connections.length) return this.connections[this.taken++];
    this.taken++;
    return new Promise((resolve) => this.#arrivals.push(resolve));
  }
}

class FakeConnection {
  sent = [];
  isClosed = false;
  #waiting = [];

  constructor(receiver) {
    this.receiver = receiver;
    this.channel = {
      send: (bytes) => this.#take(readJSON(bytes)),
      end: () => {},
      close: () => (this.isClosed = true),
    };
  }

  #take(frame) {
    const waiter = this.#waiting.shift();
    if (waiter) waiter(frame);
    else this.sent.push(frame);
  }

  /** Waits for the client's next frame. */
  receive() {
    if (this.sent.length > 0) return Promise.resolve(this.sent.shift());
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  send(frame) {
    this.receiver.frame(typeof frame === "string" || frame instanceof Uint8Array ? frame : JSON.stringify(frame));
  }

  lose() {
    this.receiver.closed();
  }
}

/** @returns the error that a promise ends with */
export async function failure(promise) {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}

/** Fails a test that never ends, with its name, instead of leaving the run without an answer. */
export const limited = { timeout: 4 * PATIENCE };
