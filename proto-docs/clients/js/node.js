/** The client for Node: over the service's Unix socket. */

import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import { dirname } from "node:path";

import { FrameReader, open, withLength } from "./depot.js";
import { DepotError, disconnected, unreachable, wrongUsage } from "./errors.js";

export * from "./depot.js";

const REASONS = new Map([
  ["ENOENT", "there is no such socket"],
  ["ECONNREFUSED", "nobody listens there"],
  ["EACCES", "permission denied"],
  ["ENOTSOCK", "that is no socket"],
  ["ECONNRESET", "the other side ended it"],
  ["EPIPE", "the other side ended it"],
]);

/** Returns where the service's socket is: $DEPOT_SOCKET, or the user's own. */
export function socketPath() {
  const { DEPOT_SOCKET, XDG_RUNTIME_DIR } = process.env;
  if (DEPOT_SOCKET) return DEPOT_SOCKET;
  return XDG_RUNTIME_DIR ? `${XDG_RUNTIME_DIR}/depot/depot.sock` : `/tmp/depot-${os.userInfo().uid}/depot.sock`;
}

/**
 * Connects to a service, by default to the user's own.
 *
 * @param {string} [path] of its socket
 * @param {import("./depot.js").ClientOptions} [options]
 */
export function connect(path, options = {}) {
  if (path === undefined) {
    path = socketPath();
    const refusal = process.env.DEPOT_SOCKET ? undefined : distrust(dirname(path));
    if (refusal) return Promise.reject(refusal);
  }
  if (Buffer.byteLength(path) > 107) {
    const message = `The socket's path is too long: ${path}`;
    return Promise.reject(wrongUsage(message, "A path of a socket has at most 107 bytes."));
  }
  return open(unixSocket(path), options);
}

/**
 * Returns why a folder isn't as safe as a user's own: it belongs to another user, or is a link to one, or others may
 * write to it.
 *
 * @param {string} folder
 * @returns {DepotError | undefined}
 */
function distrust(folder) {
  const user = process.geteuid?.() ?? 0;
  let link, facts;
  try {
    [link, facts] = [fs.lstatSync(folder), fs.statSync(folder)];
  } catch {
    return undefined;
  }
  if (user === 0) return undefined;
  const refusal = (/** @type {string} */ message, /** @type {string} */ hint) =>
    new DepotError({ code: "permission.file", message, hint, retry: "no", effect: "none" });
  const owner = [link.uid, facts.uid].find((uid) => uid !== 0 && uid !== user);
  if (owner !== undefined) {
    return refusal(`${folder} belongs to user ${owner}, not to ${user} or root.`, "Use a folder of your own.");
  }
  // The user's private group, whose number is that of the user, may write, too.
  const writers = facts.gid === user ? 0o2 : 0o22;
  if ((facts.mode & writers) === 0 || (facts.mode & 0o1000) !== 0) return undefined;
  const hint = `Take that right away with "chmod go-w ${folder}", or use a folder in it.`;
  return refusal(`Others than user ${user} may write to the folder ${folder}.`, hint);
}

/**
 * Frames with their length over a Unix socket.
 *
 * @param {string} path
 * @returns {import("./depot.js").Transport}
 */
export function unixSocket(path) {
  return {
    address: path,
    open: ({ frame, closed }) =>
      new Promise((resolve, reject) => {
        const frames = new FrameReader();
        let isOpen = false;
        const socket = net.connect({ path, allowHalfOpen: true });
        socket.on("connect", () => {
          isOpen = true;
          resolve({
            send: (bytes) => void (socket.destroyed || socket.write(withLength(bytes))),
            end: () => void socket.end(),
            close: () => void socket.destroy(),
          });
        });
        socket.on("data", (bytes) => {
          try {
            for (const one of frames.take(bytes)) frame(one);
          } catch (error) {
            closed(/** @type {import("./errors.js").DepotError} */ (error));
            socket.destroy();
          }
        });
        socket.on("end", () => socket.destroy());
        socket.on("error", (error) => {
          const reason = REASONS.get(error.code ?? "") ?? error.message;
          if (!isOpen) reject(unreachable(path, reason, "Start one with: depotd"));
          else closed(disconnected(`The connection was lost: ${reason}.`, "unknown"));
        });
        socket.on("close", () => closed());
      }),
  };
}
