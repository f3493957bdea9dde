/** Elements. Text of the store is always a text node, so it never becomes markup. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * Makes an element: `h("a", { href, onclick }, "text", child)`.
 *
 * @param {string} name
 * @param {Record<string, any>} [attributes] functions are listeners, false and null are left out
 * @param {...any} children
 * @returns {any}
 */
export function h(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** Makes an element of a drawing. */
export function svg(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "selected") element[name] = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  add(element, children);
  return element;
}

function add(element, children) {
  for (const child of children) {
    if (child === undefined || child === null || child === false) continue;
    if (Array.isArray(child)) add(element, child);
    else element.append(child);
  }
}

/** Puts children in the place of all that an element has. */
export function replace(element, ...children) {
  element.textContent = "";
  add(element, children);
  return element;
}

/** Shows an error with its hint. */
export function errorBox(error, ...actions) {
  const offset = error.details?.offset;
  return h("div", { class: "error", role: "alert" },
    h("p", {}, error.message ?? String(error)),
    error.hint && h("p", { class: offset === undefined ? "hint" : "hint code" }, error.hint),
    error.code && h("p", { class: "dim code" }, error.code),
    actions);
}

/** Opens a dialog over the page, and returns the value of the button that closed it. */
export function ask(title, content, buttons) {
  return new Promise((resolve) => {
    const before = document.activeElement;
    const dialog = h("dialog", { "aria-label": title },
      h("h2", {}, title), content,
      h("div", { class: "buttons" }, buttons.map(({ text, value, kind, disabled }) =>
        h("button", { class: kind, disabled, onclick: () => { dialog.answer = value; dialog.close(); } }, text))));
    dialog.addEventListener("close", () => {
      dialog.remove();
      before?.focus?.();
      resolve(dialog.answer);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** A small message that goes away by itself. */
export function toast(...content) {
  const region = document.querySelector("#toasts");
  const box = h("div", { class: "toast" }, content);
  region.append(box);
  while (region.children.length > 3) region.firstChild.remove();
  setTimeout(() => box.remove(), 6000);
  return box;
}

/** Runs work at most once in so many milliseconds, with the last arguments. */
export function calmly(milliseconds, work) {
  let timer;
  let last;
  return (...args) => {
    last = args;
    timer ??= setTimeout(() => {
      timer = undefined;
      work(...last);
    }, milliseconds);
  };
}

/** Offers bytes or text as a file. */
export function download(name, parts, type = "application/octet-stream") {
  const address = URL.createObjectURL(new Blob(parts, { type }));
  const link = h("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
