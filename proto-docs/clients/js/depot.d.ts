/** The types of depot.js; `tsc` holds them against it. */

export type Retry = "no" | "now" | "later" | "after_refetch";
export type Effect = "none" | "applied" | "partial" | "unknown";
export type State = "connected" | "draining" | "disconnected" | "closed";
/** A whole number: a number up to 2^53, beyond it a bigint. */
export type Int64 = number | bigint;
/** A row: its values by the names of columns, `$id` and `$version` among them. Paths of others may be selected. */
export type Row<T = Record<string, any>> = T & {
  $id: Int64;
  $version: Int64;
  $entity?: string;
  [path: `${string}.${string}`]: any;
};
/** An expression: text of the language, a constant, or an object with an operator. */
export type Expression = any;

export interface ErrorMembers {
  code: string;
  message: string;
  hint?: string;
  at?: string;
  retry?: Retry;
  effect?: Effect;
  details?: Record<string, any>;
}

/** An error of the service or of the connection: act on `code`, `retry`, and `effect`; show `message` and `hint`. */
export declare class DepotError extends Error {
  constructor(members: ErrorMembers, options?: { cause?: unknown });
  /** `class.reason`; a reason that isn't known is handled by its class. */
  code: string;
  hint: string | undefined;
  /** A JSON pointer into the call. */
  at: string | undefined;
  /** Whether the same request can succeed later. */
  retry: Retry;
  /** What became of a write. */
  effect: Effect;
  details: Record<string, any>;
  /** Why the call was aborted, of the class `cancelled`. */
  cause?: unknown;
  /** The class of the code. */
  get kind(): string;
  toJSON(): ErrorMembers;
  with(members: Partial<ErrorMembers>): DepotError;
}

/** A date with what is finer than its milliseconds. */
export declare class DepotDate extends Date {
  constructor(referenceSeconds: number);
  /** The seconds since 2001-01-01T00:00:00Z, a double: all that the service has. */
  get referenceSeconds(): number;
  /** The exact form of the protocol. */
  toJSON(): any;
  static from(form: unknown): DepotDate;
  static form(date: Date): string | { referenceSeconds: number };
}

export interface ClientOptions {
  /** The program, for the service's logs. */
  name?: string;
  version?: string;
  /** Who the history says makes the writes. */
  author?: string;
  /** The process as the history tells it. */
  process?: string;
  /** The container of the calls that name none. */
  container?: string;
  /** The most that the connection may do, at most what its user may; all of that if absent. */
  access?: "read" | "write" | "owner";
  /** How many frames of a stream may be on their way, 8 if absent. */
  credit?: number;
  /** How many milliseconds calls wait for a service that is away, 10,000 if absent. */
  patience?: number;
  /** Whether the values of `json` attributes in rows are a `JSONText`, which loses nothing. */
  exactJSON?: boolean;
  /** Is called when the connection's state changes. */
  onState?: (state: State, error?: DepotError) => void;
}

export interface CallOptions {
  /** The key of a write; a new one if absent. With null the write has none, and isn't sent again. */
  key?: string | null;
  /** How many milliseconds the service may take. */
  deadline?: number;
  signal?: AbortSignal;
  author?: string;
  group?: string;
  pin?: string;
  container?: string;
  credit?: number;
  /** Whether a history brings large transactions in the parts that come, so that memory is bounded. */
  parts?: boolean;
}

export interface WatchArguments {
  /** The token up to which everything is known. */
  since?: string;
  /** Whether changes that came over the same connection are wanted, true if absent. */
  echo?: boolean;
  onExpired?: "error" | "snapshot";
  bookmarkMs?: number;
}

export interface SortKey {
  attribute?: string;
  key?: Expression;
  descending?: boolean;
  localized?: boolean;
}

/** The arguments of a fetch, as 50-operations.md has them. */
export interface Query {
  where?: Expression;
  bind?: Record<string, any>;
  sort?: SortKey[];
  limit?: number;
  offset?: number;
  after?: any[];
  select?: string[];
  prefetch?: string[];
  batch?: number;
  subentities?: boolean;
  [argument: string]: any;
}

export type Named =
  | { ids: Int64[]; where?: undefined; [argument: string]: any }
  | { where: Expression; ids?: undefined; [argument: string]: any };

export interface Attribute {
  name: string;
  type: string;
  optional?: boolean;
  unique?: boolean;
  default?: any;
  collection?: "array" | "set";
  properties?: Attribute[];
  [member: string]: any;
}

export interface Relationship {
  name: string;
  destination: string;
  toMany?: boolean;
  inverse?: string;
  [member: string]: any;
}

export interface EntityDescription {
  name: string;
  attributes: Attribute[];
  relationships?: Relationship[];
  parent?: string;
  [member: string]: any;
}

export interface Schema {
  version?: string;
  entities: EntityDescription[];
}

export interface Welcome {
  protocol: number;
  server: { name: string; version: string; instance: string; pid: number };
  connection: number;
  features: string[];
  limits: Record<string, number>;
  store: { uuid: string; schema: string } | null;
  container?: string;
}

export interface Inserted {
  inserted: number;
  updated: number;
  skipped: number;
  /** The identifier for each row; null for a rejected one. */
  ids: Int64[];
  rejected?: { row: number; error: ErrorMembers }[];
  token?: string;
}

export interface Related {
  /** The rows that came, by identifier. */
  rows: Map<Int64, Row>;
  /** The identifiers that each row leads to. */
  links: Map<Int64, Int64[]>;
}

/** What can be iterated any number of times; each time is a call of its own. Leaving a loop cancels its call. */
export declare class Stream<T> implements AsyncIterable<T> {
  constructor(iterate: () => AsyncGenerator<T, any, void>);
  [Symbol.asyncIterator](): AsyncGenerator<T, any, void>;
  toArray(): Promise<T[]>;
  first(): Promise<T | undefined>;
}

export declare class Rows<R = Row> extends Stream<R> {
  constructor(iterate: (rows: Rows<R>) => AsyncGenerator<R, any, void>);
  /** The rows of `prefetch` that came so far, by path. */
  related: Map<string, Related>;
  /** The totals, at the end. */
  result: Record<string, any> | undefined;
}

export type Change<R = Row> =
  | { kind: "inserted"; id: Int64; at: number; row: R }
  | { kind: "updated"; id: Int64; at: number; from?: number; properties?: string[]; row: R }
  | { kind: "removed"; id: Int64; from: number; row: R };

export type WatchEvent<R = Row> =
  | { kind: "snapshot"; token: string }
  | { kind: "change"; token: string; author?: string; changes: Change<R>[] }
  /** What was missed while there was no connection. */
  | { kind: "resume"; token: string; changes: Change<R>[] }
  /** Changes were left out; of a query a snapshot follows. */
  | { kind: "gap"; from: string; to: string }
  | { kind: "mark"; token: string }
  | { kind: "live"; token: string }
  /** With `parts`, the last one goes on in the next event if `more` is true. */
  | { kind: "transactions"; token: string; transactions: Transaction[]; more?: boolean };

export interface Watch<R = Row> extends AsyncIterable<WatchEvent<R>> {
  readonly rows: R[];
  readonly token: string | undefined;
  readonly related: Map<string, Related>;
  close(): void;
  [Symbol.asyncIterator](): AsyncGenerator<WatchEvent<R>, void, void>;
}

/** The rows of a watched query, and what its frames make of them, for other transports. */
export declare class LiveRows {
  constructor(limit?: number);
  limit: number;
  rows: Row[];
  token: string | undefined;
  take(frame: any): WatchEvent | undefined;
  forgetParts(): void;
}

export interface RowChange {
  entity: string;
  id: Int64;
  kind: "insert" | "update" | "delete" | "links";
  version?: Int64;
  properties?: string[];
  old?: Record<string, any>;
  new?: Record<string, any>;
}

export interface Transaction {
  token: string;
  at: string;
  author?: string;
  process?: string;
  group?: string;
  origin?: string;
  changes: RowChange[];
  /** Whether it goes on in the next one, with `parts`. */
  more?: boolean;
  joined?: Record<string, any>;
}

export interface Entity<T = Record<string, any>> {
  readonly name: string;
  insert(
    rows: Iterable<Partial<T> & Record<string, any>>,
    args?: Record<string, any>,
    options?: CallOptions,
  ): Promise<Inserted>;
  get(ids: Int64[], args?: Record<string, any>, options?: CallOptions): Promise<(Row<T> | undefined)[]>;
  get(id: Int64, args?: Record<string, any>, options?: CallOptions): Promise<Row<T> | undefined>;
  fetch(query?: Query, options?: CallOptions): Rows<Row<T>>;
  aggregate(query: Record<string, any>, options?: CallOptions): Rows<Record<string, any>>;
  count(query?: Query, options?: CallOptions): Promise<number>;
  exists(query?: Query, options?: CallOptions): Promise<boolean>;
  update(
    change: Named & { set?: Partial<T> & Record<string, any>; compute?: Record<string, Expression> },
    options?: CallOptions,
  ): Promise<{ updated: number; ids?: Int64[]; token?: string }>;
  delete(rows: Named, options?: CallOptions): Promise<{ deleted: number; ids?: Int64[]; token?: string }>;
  explain(query?: Query, options?: CallOptions): Promise<Record<string, any>>;
  watch(query?: Query, options?: CallOptions & WatchArguments): Watch<Row<T>>;
}

export interface Client {
  /** What the service said of itself; undefined while there is no connection. */
  readonly welcome: Welcome | undefined;
  entity<T = Record<string, any>>(name: string): Entity<T>;
  save(changes: Record<string, any>, options?: CallOptions): Promise<Record<string, any>>;
  history(args?: Record<string, any>, options?: CallOptions): Stream<Transaction>;
  watch(query: Record<string, any>, options?: CallOptions): Watch;
  call(operation: string, args?: Record<string, any>, options?: CallOptions): Promise<any>;
  stream(operation: string, args?: Record<string, any>, options?: CallOptions): Stream<any>;
  schema(options?: CallOptions): Promise<{ schema: Schema; fingerprint: string; hashes: Record<string, string> }>;
  define(schema: Schema, args?: Record<string, any>, options?: CallOptions): Promise<Record<string, any>>;
  ping(options?: CallOptions): Promise<void>;
  endSending(): Promise<void>;
  close(): void;
}

/** Sends and receives whole frames. */
export interface Channel {
  send(frame: Uint8Array): void;
  /** Ends the sending side. */
  end(): void;
  close(): void;
}

export interface Transport {
  /** What errors call the service. */
  address: string;
  open(receiver: { frame(data: Uint8Array | string): void; closed(error?: DepotError): void }): Promise<Channel>;
}

/** Connects by a transport. */
export declare function open(transport: Transport, options?: ClientOptions): Promise<Client>;
/** A key that nobody else has. */
export declare function newKey(): string;

/** Cuts bytes into frames, however they arrive. */
export declare class FrameReader {
  take(bytes: Uint8Array): Generator<Uint8Array>;
}
/** JSON as it is written, in rows with `exactJSON`, and to write. */
export declare class JSONText {
  constructor(text: string);
  readonly text: string;
  readonly value: any;
  toJSON(): any;
}
export declare function readJSON(data: Uint8Array | string): any;
export declare function writeJSON(value: unknown, limits?: { depth?: number; values?: number }): string;
export declare function withLength(frame: Uint8Array): Uint8Array;
