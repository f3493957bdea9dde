/** The address of a view: the hash holds all of it, so that it can be sent. */

export const VIEWS = ["entities", "table", "object", "history", "query", "schema", "service"];
/** The members of an address that are plain texts. */
const TEXTS = [
  "where", "at", "author", "process", "search", "section", "by", "aggregate", "of", "kind", "version", "tab", "limit",
  "store", "from", "to",
];

/**
 * Reads `#/table/Book?where=…&sort=-year,title&columns=title,year&beside=Author/3`.
 *
 * @param {string} hash
 * @returns {Record<string, any>} an unknown view is the first one
 */
export function parseAddress(hash) {
  const [path, query = ""] = split(hash.replace(/^#?\/?/, ""), "?");
  const [view, entity, id] = path.split("/").map(decoded);
  /** @type {Record<string, any>} */
  const address = { view: VIEWS.includes(view) ? view : "entities" };
  if (entity) address.entity = entity;
  if (id) address.id = identifier(id);
  const parameters = new URLSearchParams(query);
  for (const name of TEXTS) if (parameters.get(name)) address[name] = parameters.get(name);
  address.sort = list(parameters.get("sort")).map((key) =>
    key.startsWith("-") ? { path: key.slice(1), descending: true } : { path: key, descending: false });
  address.columns = list(parameters.get("columns"));
  const [besideEntity, besideId] = split(parameters.get("beside") ?? "", "/");
  const number = identifier(besideId ?? "");
  if (besideEntity && number !== undefined) address.beside = { entity: besideEntity, id: number };
  return address;
}

/**
 * Returns the hash of an address.
 *
 * @param {Record<string, any>} address
 */
export function formatAddress(address) {
  const path = [address.view, address.entity, address.id]
    .filter((step) => step !== undefined && step !== "")
    .map((step) => encodeURIComponent(String(step)));
  const parameters = new URLSearchParams();
  for (const name of TEXTS) if (address[name]) parameters.set(name, address[name]);
  if (address.sort?.length) {
    parameters.set("sort", address.sort.map(({ path: key, descending }) => (descending ? `-${key}` : key)).join(","));
  }
  if (address.columns?.length) parameters.set("columns", address.columns.join(","));
  if (address.beside) parameters.set("beside", `${address.beside.entity}/${address.beside.id}`);
  const query = parameters.toString();
  return `#/${path.join("/")}${query ? `?${query}` : ""}`;
}

/** Whether an order is a path and no expression. */
export const isPath = (text) => /^[\p{L}\p{N}_.$]+$/u.test(text);

/** Returns the address with other members; those of undefined are gone. */
export const withMembers = (address, members) => formatAddress({ ...address, ...members });

/** @returns {[string, string?]} */
function split(text, sign) {
  const place = text.indexOf(sign);
  return place < 0 ? [text] : [text.slice(0, place), text.slice(place + 1)];
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns an identifier: a number up to 2^53, beyond it a bigint. */
export function identifier(text) {
  if (!/^[0-9]{1,19}$/.test(text)) return undefined;
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
}

const list = (text) => (text ? text.split(",").filter((part) => part !== "") : []);
