/** A schema with values of all types and relationships, and services that have it. */

import test from "node:test";

import { Service, limited, needsService } from "./helpers.js";

const options = { ...needsService, ...limited };
const ATTRIBUTES = [
  { name: "text", type: "string", optional: true },
  { name: "whole", type: "int64", optional: true },
  { name: "real", type: "double", optional: true },
  { name: "flag", type: "bool", optional: true },
  { name: "moment", type: "date", optional: true },
  { name: "code", type: "uuid", optional: true },
  { name: "bytes", type: "data", optional: true },
  { name: "amount", type: "decimal", optional: true },
  { name: "large", type: "uint64", optional: true },
  { name: "link", type: "url", optional: true },
  { name: "moments", type: "date", collection: "array", optional: true },
  { name: "extra", type: "json", optional: true },
  {
    name: "home",
    type: "composite",
    optional: true,
    properties: [{ name: "size", type: "int64", optional: true }, { name: "data", type: "data", optional: true }],
  },
];
export const SCHEMA = {
  entities: [
    { name: "Value", attributes: ATTRIBUTES },
    {
      name: "Item",
      attributes: [{ name: "size", type: "int64" }, { name: "name", type: "string", optional: true, unique: true }],
      indexes: [["size"]],
    },
    {
      name: "Author",
      attributes: [{ name: "name", type: "string" }],
      relationships: [{ name: "books", destination: "Book", toMany: true, inverse: "author" }],
    },
    {
      name: "Book",
      attributes: [{ name: "title", type: "string" }],
      relationships: [{ name: "author", destination: "Author", inverse: "books", optional: true }],
    },
  ],
};

/** Runs a test with a service whose store has the schema. */
export function withService(name, body) {
  test(name, options, async () => {
    const service = await Service.start();
    try {
      const client = await service.connect({ author: "ann" });
      await client.define(SCHEMA);
      await body(service, client);
    } finally {
      await service.stop();
    }
  });
}
