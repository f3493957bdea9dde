/** Clients whose service is the test. */

import { open } from "depot-client/core";

import { FakeService } from "./helpers.js";

/** A client and the test's side of its connection. */
export async function connected(options, limits) {
  const service = new FakeService();
  const opened = open(service, options);
  const connection = await service.welcome(limits);
  return { service, connection, client: await opened };
}

export const SCHEMA = { entities: [{ name: "E", attributes: [{ name: "n", type: "int64" }] }] };

/** Answers the question for the schema, and returns the next call. */
export async function beyondSchema(connection) {
  for (;;) {
    const frame = await connection.receive();
    if (frame.call !== "schema.get") return frame;
    connection.send({ id: frame.id, ok: { schema: SCHEMA, fingerprint: "0", hashes: {} } });
  }
}

/** Serves the schema whenever it is asked for, and keeps all other frames. */
export async function others(connection, count) {
  const frames = [];
  while (frames.length < count) frames.push(await beyondSchema(connection));
  return frames;
}
