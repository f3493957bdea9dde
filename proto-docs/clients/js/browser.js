/** The client for browsers: over a WebSocket, each of whose messages is a frame. */

import { open } from "./depot.js";
import { disconnected, unreachable } from "./errors.js";
import { FRAME_LIMIT } from "./json.js";

export * from "./depot.js";

/**
 * Connects to a bridge, by default to the one that served the page.
 *
 * @param {string} [address]
 * @param {import("./depot.js").ClientOptions & { WebSocket?: any }} [options]
 */
export function connect(address = pageAddress(), options = {}) {
  return open(webSocket(address, options.WebSocket), options);
}

/** Returns the address of the socket beside the page. */
function pageAddress() {
  const { protocol, host } = globalThis.location;
  return `${protocol === "https:" ? "wss:" : "ws:"}//${host}/socket`;
}

/**
 * One message for each frame over a WebSocket.
 *
 * @param {string} address
 * @param {any} [Socket] what makes sockets
 * @returns {import("./depot.js").Transport}
 */
export function webSocket(address, Socket = globalThis.WebSocket) {
  return {
    address,
    open: ({ frame, closed }) =>
      new Promise((resolve, reject) => {
        const decoder = new TextDecoder();
        const socket = new Socket(address);
        socket.binaryType = "arraybuffer";
        let isOpen = false;
        socket.onopen = () => {
          isOpen = true;
          resolve({
            // Text, so that what is sent can be read in the browser's tools.
            send: (bytes) => void (socket.readyState === 1 && socket.send(decoder.decode(bytes))),
            end: () => socket.close(1000),
            close: () => socket.close(1000),
          });
        };
        socket.onmessage = (/** @type {any} */ { data }) => {
          const size = typeof data === "string" ? data.length : data.byteLength;
          if (size > FRAME_LIMIT) {
            closed(disconnected(`The service sends a frame of ${size} bytes.`, "unknown"));
            socket.close(1009);
          } else {
            frame(typeof data === "string" ? data : new Uint8Array(data));
          }
        };
        socket.onclose = (/** @type {any} */ { code, reason }) => {
          const why = reason || `the socket closed with ${code}`;
          if (!isOpen) reject(unreachable(address, why));
          else closed(disconnected(`The connection was lost: ${why}.`, "unknown"));
        };
      }),
  };
}
