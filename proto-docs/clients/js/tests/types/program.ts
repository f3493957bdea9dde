// A program in TypeScript, which has to be right; lines with @ts-expect-error have to be wrong.
import { connect, DepotError, DepotDate, Row, WatchEvent } from "../../node.js";

interface Book {
  title: string;
  year: number;
  added: DepotDate | null;
}

async function main(): Promise<void> {
  const client = await connect("/tmp/s", { author: "ann", onState: (state) => console.log(state) });
  const books = client.entity<Book>("Book");
  const { ids } = await books.insert([{ title: "Dune", year: 1965 }], { onConflict: "skip" }, { key: "k" });
  const book: Row<Book> | undefined = await books.get(ids[0]);
  console.log(book?.title.length, book?.$id);
  // @ts-expect-error a year is a number
  await books.insert([{ title: "Dune", year: "1965" }]);
  // @ts-expect-error rows are named by ids or where
  await books.delete({});
  for await (const row of books.fetch({ where: "year > $y", bind: { y: 1900 }, sort: [{ attribute: "year" }], limit: 3 })) {
    const year: number = row.year;
    console.log(year);
  }
  const watch = books.watch({ select: ["title"] }, { signal: new AbortController().signal, echo: false });
  for await (const event of watch) {
    const one: WatchEvent<Row<Book>> = event;
    if (one.kind === "change") for (const change of one.changes) console.log(change.row.title);
    console.log(watch.rows.map((row) => row.title));
  }
  try {
    await client.call("ping", {}, { deadline: 10 });
  } catch (error) {
    if (error instanceof DepotError) console.log(error.code, error.effect === "unknown");
  }
  client.close();
}
void main();
