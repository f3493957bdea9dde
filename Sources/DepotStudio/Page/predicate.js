/** The field for a predicate: completions while one types, and the service's own errors below it. */

import { h, replace } from "./dom.js";
import { completions } from "./schema.js";

let count = 0;

export class PredicateField extends HTMLElement {
  /** The words that a predicate may begin with. */
  words = [];
  options = [];
  chosen = -1;

  connectedCallback() {
    if (this.input) return;
    const id = `predicate${count++}`;
    this.list = h(
      "ul", { class: "options", role: "listbox", id: `${id}-list`, hidden: true, "aria-label": "Completions" }
    );
    this.problem = h("p", { class: "problem", id: `${id}-problem`, role: "alert" });
    this.input = h("input", {
      type: "text", spellcheck: "false", autocomplete: "off", autocapitalize: "off", role: "combobox",
      "aria-label": this.getAttribute("label") ?? "Filter", "aria-expanded": "false", "aria-controls": `${id}-list`,
      "aria-autocomplete": "list", "aria-describedby": `${id}-problem`,
      placeholder: this.getAttribute("hint") ?? "", value: this.getAttribute("text") ?? "",
      oninput: () => this.#complete(),
      onkeydown: (event) => this.#key(event),
      onblur: () => setTimeout(() => this.#hide(), 120),
      onchange: () => this.#apply(),
    });
    this.id = id;
    this.append(this.input, this.list, this.problem);
  }

  get value() {
    return this.input?.value.trim() ?? this.getAttribute("text") ?? "";
  }

  set value(text) {
    if (this.input) this.input.value = text ?? "";
    else this.setAttribute("text", text ?? "");
    this.applied = text ?? "";
  }

  focus() {
    this.input.focus();
    this.input.select();
  }

  /** Shows the error of the service about the predicate, or none. */
  showError(error) {
    if (!this.problem) return;
    replace(this.problem);
    this.classList.toggle("wrong", Boolean(error));
    if (!error) return;
    this.problem.append(error.message);
    if (error.hint) this.problem.append(
      h("span", { class: /\n|\^/.test(error.hint) ? "code hint" : "hint" }, error.hint)
    );
  }

  #apply() {
    if (this.value === (this.applied ?? "")) return;
    this.applied = this.value;
    this.dispatchEvent(new CustomEvent("predicate", { detail: this.value }));
  }

  #complete() {
    const { start, options } = completions(this.words, this.input.value, this.input.selectionStart ?? 0);
    this.start = start;
    this.options = options;
    this.chosen = -1;
    this.#show();
  }

  #show() {
    const isOpen = this.options.length > 0;
    this.list.hidden = !isOpen;
    this.input.setAttribute("aria-expanded", String(isOpen));
    replace(this.list, this.options.map(({ text, note }, index) =>
      h("li", {
        role: "option", id: `${this.id}-${index}`, "aria-selected": String(index === this.chosen),
        onmousedown: (event) => { event.preventDefault(); this.#take(index); },
      }, h("span", {}, text), note && h("span", { class: "dim" }, note))));
    if (isOpen && this.chosen >= 0) this.input.setAttribute("aria-activedescendant", `${this.id}-${this.chosen}`);
    else this.input.removeAttribute("aria-activedescendant");
  }

  #hide() {
    this.options = [];
    this.#show();
  }

  #take(index) {
    const { text } = this.options[index];
    const { value } = this.input;
    const end = this.input.selectionStart ?? value.length;
    this.input.value = `${value.slice(0, this.start)}${text} ${value.slice(end).trimStart()}`;
    const place = this.start + text.length + 1;
    this.input.setSelectionRange(place, place);
    this.#complete();
  }

  #key(event) {
    const { key } = event;
    if (this.options.length > 0 && (key === "ArrowDown" || key === "ArrowUp")) {
      event.preventDefault();
      const { length } = this.options;
      this.chosen = key === "ArrowDown" ? (this.chosen + 1) % length : (
        this.chosen + length + (this.chosen < 0 ? 0 : -1)
      ) % length;
      this.#show();
    } else if (key === "Tab" && this.chosen >= 0) {
      event.preventDefault();
      this.#take(this.chosen);
    } else if (key === "Enter") {
      event.preventDefault();
      if (this.chosen >= 0) {
        this.#take(this.chosen);
      } else {
        this.#hide();
        this.#apply();
      }
    } else if (key === "ArrowDown") {
      this.#complete();
    } else if (key === "Escape") {
      if (this.options.length === 0) return;
      event.stopPropagation();
      this.#hide();
    }
  }
}

customElements.define("predicate-field", PredicateField);
