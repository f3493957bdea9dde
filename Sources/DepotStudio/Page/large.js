/** Values outside of the rows: pictures, texts, bytes, downloads, and uploads in parts. */

import { ask, download, h, replace } from "./dom.js";
import { editorFor } from "./editors.js";
import { base64, bytesText, momentText, whoText } from "./format.js";
import { session } from "./session.js";

const MOST_OF_PICTURE = 16 << 20;
const PART = 4096;
const UPLOAD_PART = 1 << 20;
/** How long a text is at most, in bytes, that an editor shows. */
const MOST_OF_EDITOR = 1 << 20;

/** Returns the text of bytes with a mark at its beginning, which a decoder would take away. */
const textOf = (bytes) => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);

/** Reads a part of a value, or all of it, and says how far it is. */
async function read(entity, id, attribute, { offset = 0, length, signal, progress } = {}) {
  const parts = [];
  let size = 0;
  for await (
    const frame of session.client.stream("blob.read", { entity, id, attribute, offset, length }, { signal })
  ) {
    for (const [, count, data] of frame.next) {
      parts.push(data);
      size += Number(count);
      progress?.(size);
    }
  }
  return parts;
}

/** Reads a part of a text, which has to end where a character does: at most three bytes before. */
async function readText(entity, id, path, offset, length, signal) {
  for (let cut = 0; ; cut++) {
    try {
      return (await read(entity, id, path, { offset, length: length - cut, signal })).join("");
    } catch (error) {
      if (error.code !== "request.usage" || cut === 3) throw error;
    }
  }
}

const bytesOf = (parts) => {
  const pieces = parts.map((data) => Uint8Array.from(atob(data), (sign) => sign.charCodeAt(0)));
  return pieces;
};

function joined(pieces) {
  const all = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let place = 0;
  for (const piece of pieces) {
    all.set(piece, place);
    place += piece.length;
  }
  return all;
}

/** The kind of a picture by its first bytes. */
export function pictureType(bytes) {
  const starts = (...signs) => signs.every((sign, index) => bytes[index] === sign);
  if (starts(0x89, 0x50, 0x4e, 0x47)) return "image/png";
  if (starts(0xff, 0xd8, 0xff)) return "image/jpeg";
  if (starts(0x47, 0x49, 0x46, 0x38)) return "image/gif";
  if (starts(0x52, 0x49, 0x46, 0x46) && bytes[8] === 0x57 && bytes[9] === 0x45) return "image/webp";
  return undefined;
}

/** Shows the beginning of a value, or the picture that it is. */
export async function showLarge(box, entity, id, column, length, signal) {
  const { path, type } = column;
  const state = h("span", { class: "dim" });
  const view = h("div", { class: "preview" });
  const save = h("button", { class: "quiet", onclick: async () => {
    save.disabled = true;
    try {
      const parts = await read(
        entity, id, path,
        { signal, progress: (size) => replace(state, `${Math.floor((100 * size) / Math.max(1, length))} %`) },
      );
      const pieces = type === "string" ? parts : bytesOf(parts);
      const picture = type === "string" ? undefined : pictureType(pieces[0] ?? []);
      download(
        `${entity}-${id}-${path}${extension(picture, type)}`, pieces,
        picture ?? (type === "string" ? "text/plain" : undefined),
      );
    } catch (error) {
      replace(state, error.message);
    } finally {
      save.disabled = false;
    }
  } }, "Download");
  replace(box, save, state, view);
  try {
    if (type === "string") return await showText(view, entity, id, path, length, signal);
    const first = joined(bytesOf(await read(entity, id, path, { length: 64, signal })));
    const picture = pictureType(first);
    if (picture && length <= MOST_OF_PICTURE) {
      await showPicture(view, joined(bytesOf(await read(entity, id, path, { signal }))), picture, path);
    } else {
      await showBytes(view, entity, id, path, length, signal);
    }
  } catch (error) {
    if (!signal.aborted) replace(view, h("p", { class: "inline-error" }, error.message));
  }
}

const extension = (picture, type) => (type === "string" ? ".txt" : picture ? `.${picture.slice(6)}` : ".bin");

/** Draws a picture; it needs no address, which the page's policy would forbid. */
async function showPicture(view, bytes, type, path) {
  const picture = await createImageBitmap(new Blob([bytes], { type }));
  const scale = Math.min(1, 640 / picture.width, 640 / picture.height);
  const canvas = h("canvas", {
    width: Math.max(1, Math.round(picture.width * scale)), height: Math.max(1, Math.round(picture.height * scale)),
    role: "img",
    "aria-label": `The picture in ${path}, ${picture.width} by ${picture.height}`,
  });
  canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
  picture.close();
  replace(view, canvas);
}

/** Shows a text up to a place where a character ends, and more when asked. */
async function showText(view, entity, id, path, length, signal) {
  const text = h("pre", { class: "code" });
  replace(view, text);
  let offset = 0;
  const problem = h("p", { class: "inline-error" });
  const next = async () => {
    const piece = await readText(entity, id, path, offset, Math.min(PART, length - offset), signal);
    text.append(piece);
    offset += new TextEncoder().encode(piece).length;
    if (offset < length && piece !== "") view.append(more);
  };
  // The button is away while a part is read, so that no part comes twice.
  const more = h("button", { class: "quiet", onclick: async () => {
    more.remove();
    problem.remove();
    try {
      await next();
    } catch (error) {
      view.append(replace(problem, error.message), more);
    }
  } }, "More");
  await next();
}

/** Shows bytes by their hexadecimal digits, a part at a time. */
async function showBytes(view, entity, id, path, length, signal) {
  const text = h("pre", { class: "code hex" });
  const place = h("span", { class: "dim" });
  let offset = 0;
  const show = async (from) => {
    offset = Math.max(0, Math.min(from, Math.floor((length - 1) / 256) * 256));
    const wanted = offset;
    const bytes = joined(bytesOf(await read(entity, id, path, { offset, length: 256, signal })));
    if (offset !== wanted) return;
    const lines = [];
    for (let start = 0; start < bytes.length; start += 16) {
      const line = [...bytes.subarray(start, start + 16)];
      const digits = line.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
      const signs = line.map((byte) => (byte > 31 && byte < 127 ? String.fromCharCode(byte) : "·")).join("");
      lines.push(`${(offset + start).toString(16).padStart(8, "0")}  ${digits.padEnd(47)}  ${signs}`);
    }
    replace(text, lines.join("\n"));
    replace(place, `${bytesText(offset)} of ${bytesText(length)}`);
  };
  const step = (text_, by) => h("button", {
    class: "quiet", onclick: () => void show(offset + by).catch((error) => replace(place, error.message)),
  }, text_);
  replace(view, text, length > 256 && h("div", { class: "tools" }, step("Before", -256), step("Next", 256), place));
  await show(0);
}

/**
 * Stores a value of a row that was read in a version. What others did since then is a conflict, about which `agrees` is
 * asked.
 *
 * @returns {Promise<boolean>} whether it is stored
 */
export async function storeOver({ entity, id, path, version }, value, agrees) {
  for (let known = version; ;) {
    try {
      await session.client.save({ update: [{ entity, rows: [{ $id: id, $version: known, [path]: value }] }] });
      return true;
    } catch (error) {
      const [conflict] = error.details?.conflicts ?? [];
      if (error.code !== "conflict.merge" || conflict?.kind !== "update") throw error;
      if (!await agrees(conflict.changedBy ?? {})) return false;
      known = conflict.storeVersion;
    }
  }
}

/** Asks whether a value is stored though others changed its row. */
const askOver = (path) => (changedBy) => ask(
  "Others changed this row meanwhile", h("ul", {}, Object.entries(changedBy).map(([name, who]) => (
    h("li", {}, name === path ? h("strong", {}, name) : name, ` by ${whoText(who)}, ${momentText(who.at)}`)
  ))),
  [{ text: "Back to my edit", kind: "primary" }, { text: `Store my ${path}`, value: true, kind: "danger" }],
);

/** Gives a large value another content from a file, and a text that isn't long also from an editor. */
export async function replaceLarge(value, { entity, id, version }, column, now, done) {
  const isText = column.type === "string";
  const state = h("span", { class: "dim" });
  const cancel = h("button", { class: "quiet", onclick: done }, "Cancel");
  const file = h("input", { type: "file", "aria-label": column.name });
  const store = async (content) => {
    const place = { entity, id, path: column.path, version };
    if (await storeOver(place, content, askOver(column.path))) done();
    else replace(state);
  };
  const send = async (content) => {
    const bytes = isText ? new TextEncoder().encode(content) : content;
    const size = bytes.length;
    if (size <= UPLOAD_PART) return await store(content);
    const upload = `studio-${crypto.randomUUID()}`;
    for (let offset = 0; offset < size;) {
      let end = Math.min(size, offset + UPLOAD_PART);
      // A text is cut between characters.
      while (isText && end < size && (bytes[end] & 0xc0) === 0x80) end--;
      const part = bytes.subarray(offset, end);
      await session.client.call("blob.write", {
        entity, attribute: column.path, upload, offset, data: isText ? textOf(part) : base64(part),
      });
      offset = end;
      replace(state, `${Math.floor((100 * offset) / size)} %`);
    }
    await store({ $upload: upload });
  };
  const storeFile = async () => {
    const bytes = new Uint8Array(await file.files[0].arrayBuffer());
    await send(isText ? textOf(bytes) : bytes);
  };
  const storeText = async () => {
    if (editor.state() === before) return done();
    const text = editor.read();
    await (text === null ? store(null) : send(text));
  };
  const saying = (work) => async () => {
    try {
      await work();
    } catch (error) {
      replace(state, error instanceof TypeError ? "The file is no text in UTF-8." : error.message);
    }
  };
  const button = h("button", { class: "primary", onclick: saying(async () => {
    if (editor) await storeText();
    else if (file.files[0]) await storeFile();
  }) }, "Store");
  let editor;
  let before;
  if (isText && Number(now?.$length ?? 0) <= MOST_OF_EDITOR) {
    try {
      editor = editorFor(column, now && (await read(entity, id, column.path)).join(""));
      before = editor.state();
    } catch (error) {
      // An unread value must not be replaced by an empty one.
      replace(value, h("p", { class: "inline-error" }, error.message), cancel);
      return;
    }
  }
  replace(
    value,
    h(
      "div", { class: "editor stacked" }, editor?.element ?? file,
      h("div", { class: "tools" }, button,
        column.isOptional && !editor?.hasNull && h("button", { class: "quiet", onclick: saying(() => store(null)) }, "Null"),
        cancel, state),
      h("p", { class: "dim" }, "It is stored at once, as a transaction of its own."),
    ),
  );
  (editor ? editor.field ?? editor.element : file).focus();
}
