// The part of Node that the client uses, since @types/node isn't everywhere.
declare module "node:net" {
  interface Socket {
    destroyed: boolean;
    on(event: "data", listener: (bytes: Uint8Array) => void): this;
    on(event: "error", listener: (error: Error & { code?: string }) => void): this;
    on(event: "connect" | "end" | "close", listener: () => void): this;
    write(bytes: Uint8Array): boolean;
    end(): void;
    destroy(): void;
  }
  export function connect(options: { path: string; allowHalfOpen: boolean }): Socket;
  const net: { connect: typeof connect };
  export default net;
}
declare module "node:fs" {
  interface Stats {
    uid: number;
    gid: number;
    mode: number;
  }
  const fs: { statSync(path: string): Stats; lstatSync(path: string): Stats };
  export default fs;
}
declare module "node:path" {
  export function dirname(path: string): string;
}
declare module "node:os" {
  const os: { userInfo(): { uid: number } };
  export default os;
}
declare const process: { env: Record<string, string | undefined>; geteuid?: () => number };
declare const Buffer: { byteLength(text: string): number };
