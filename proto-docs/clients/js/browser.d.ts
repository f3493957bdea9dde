import type { Client, ClientOptions, Transport } from "./depot.js";

export * from "./depot.js";

/** Connects to a bridge; by default to the one that served the page. */
export declare function connect(address?: string, options?: ClientOptions & { WebSocket?: any }): Promise<Client>;
export declare function webSocket(address: string, Socket?: any): Transport;
