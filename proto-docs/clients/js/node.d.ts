import type { Client, ClientOptions, Transport } from "./depot.js";

export * from "./depot.js";

/** Connects to the service at a socket; by default at `$DEPOT_SOCKET`, else to the user's own. */
export declare function connect(path?: string, options?: ClientOptions): Promise<Client>;
export declare function socketPath(): string;
export declare function unixSocket(path: string): Transport;
