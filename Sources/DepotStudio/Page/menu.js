/** A menu at a place of the page, for mouse and keyboard. */

import { h } from "./dom.js";

/**
 * Shows a menu of items with a `text` and an action, `run`.
 *
 * @param {number} x
 * @param {number} y
 * @param {{ text: string, note?: string, run: () => void }[]} items
 */
export function openMenu(x, y, items) {
  const before = document.activeElement;
  const close = (isBack = true) => {
    document.removeEventListener("mousedown", outside, true);
    menu.remove();
    if (isBack) before?.focus?.();
  };
  const outside = (event) => !menu.contains(event.target) && close(false);
  const choose = (item) => {
    close();
    item.run();
  };
  const menu = h("div", { class: "context-menu", role: "menu", "aria-label": "Cell" }, items.map((item) =>
    h(
      "button", { role: "menuitem", class: "quiet", onclick: () => choose(item) }, h("span", {}, item.text),
      item.note && h("kbd", {}, item.note),
    )));
  menu.addEventListener("keydown", (event) => {
    const buttons = [...menu.children];
    const place = buttons.indexOf(document.activeElement);
    const step = { ArrowDown: 1, ArrowUp: -1, Home: -place, End: buttons.length - 1 - place }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      buttons[(place + step + buttons.length) % buttons.length].focus();
    } else if (event.key === "Escape" || event.key === "Tab") {
      event.preventDefault();
      event.stopPropagation();
      close();
    }
  });
  document.body.append(menu);
  const { width, height } = menu.getBoundingClientRect();
  menu.style.left = `${Math.max(4, Math.min(x, innerWidth - width - 4))}px`;
  menu.style.top = `${Math.max(4, Math.min(y, innerHeight - height - 4))}px`;
  document.addEventListener("mousedown", outside, true);
  menu.firstChild?.focus();
}
