/** The result of a query as a file: written in parts, so that rows aren't in memory twice. */

import { download } from "./dom.js";
import { isLength } from "./format.js";
import { csvLine, ndjsonLine } from "./lines.js";
import { session } from "./session.js";

const PIECE = 1 << 20;

/** Reads all rows, and offers them as a file; returns how many they are, and how many values are only lengths. */
export async function saveRows(entity, operation, args, format, signal, progress) {
  const source = session.client.entity(entity);
  const rows = operation === "aggregate" ? source.aggregate(args, { signal }) : source.fetch(args, { signal });
  const pieces = [];
  let piece = "";
  let count = 0;
  let lengths = 0;
  let columns;
  for await (const row of rows) {
    columns ??= Object.keys(row).filter((name) => name !== "$version");
    // The length of an external value has its own name, so that nobody takes it for the value.
    if (count === 0 && format === "csv") piece += csvLine(columns);
    piece += format === "csv" ? csvLine(columns.map((name) => row[name])) : ndjsonLine(columns, row);
    if (piece.length > PIECE) {
      pieces.push(new Blob([piece]));
      piece = "";
      progress(count);
    }
    count++;
    lengths += columns.filter((name) => isLength(row[name], session.model.column(entity, name))).length;
  }
  pieces.push(piece);
  download(`${entity}.${format}`, pieces, format === "csv" ? "text/csv" : "application/x-ndjson");
  return { count, lengths };
}
