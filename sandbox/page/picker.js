// A menu of options, one or several of which are chosen: message menus and the menus of forms.
import { h, icon } from "./dom.js";
import { t } from "./words.js";

/**
 * @typedef {object} Item
 * @property {string} value
 * @property {string} label
 * @property {string | null} [description]
 * @property {Node | null} [face]
 * @property {boolean} [default]  chosen from the start
 */

let serial = 0;

/**
 * A button that opens a listbox. `onChosen` gets the values when the reader closes it; `values` has them at
 * any time.
 */
export class Picker {
  /**
   * @param {{ items: Item[], placeholder: string, label?: string, min: number, max: number, disabled?:
   * boolean, id?: string, onChosen?: (values: string[]) => void }} wishes
   */
  constructor({ items, placeholder, label, min, max, disabled, id, onChosen }) {
    this.items = items;
    this.placeholder = placeholder;
    this.min = min;
    this.max = max;
    this.onChosen = onChosen;
    /** @type {Set<string>} */
    this.chosen = new Set(items.filter((item) => item.default).map((item) => item.value));
    this.active = 0;
    const listId = `picker-${++serial}`;
    this.options = items.map((item, index) => this.optionElement(item, index, listId));
    this.list = h(
      "ul",
      {
        role: "listbox",
        id: listId,
        "aria-multiselectable": max > 1,
        "aria-label": label ?? placeholder,
        hidden: true,
      },
      this.options,
    );
    this.shown = h("span", { class: "picker-shown" });
    this.button = h(
      "button",
      {
        type: "button",
        class: "picker-button",
        id,
        disabled,
        role: "combobox",
        "aria-haspopup": "listbox",
        "aria-expanded": "false",
        "aria-controls": listId,
        "aria-label": label ?? placeholder,
        onclick: () => (this.list.hidden ? this.open() : this.close()),
        onkeydown: (/** @type {KeyboardEvent} */ event) => this.key(event),
      },
      this.shown,
    );
    this.element = h("div", { class: "picker" }, this.button, this.list);
    // A click elsewhere shuts the list when it arrives: earlier, it would miss what moves up below the list.
    this.clicked = (/** @type {Event} */ event) => {
      if (!this.element.contains(/** @type {Node} */ (event.target))) this.close();
    };
    this.show();
  }

  /** The chosen values in the menu's order. */
  get values() {
    return this.items.filter((item) => this.chosen.has(item.value)).map((item) => item.value);
  }

  open() {
    this.list.hidden = false;
    addEventListener("click", this.clicked, true);
    this.button.setAttribute("aria-expanded", "true");
    const room = innerHeight - this.button.getBoundingClientRect().bottom;
    this.list.classList.toggle("above", room < Math.min(this.list.offsetHeight + 12, 300));
    this.before = this.values.join("\n");
    this.activate(
      Math.max(
        0,
        this.items.findIndex((item) => this.chosen.has(item.value)),
      ),
    );
  }

  close() {
    if (this.list.hidden) return;
    this.list.hidden = true;
    removeEventListener("click", this.clicked, true);
    this.button.setAttribute("aria-expanded", "false");
    this.button.removeAttribute("aria-activedescendant");
    const enough = this.chosen.size >= this.min;
    if (this.max > 1 && enough && this.before !== this.values.join("\n")) this.onChosen?.(this.values);
  }

  /** @param {number} index */
  choose(index) {
    const { value } = this.items[index];
    if (this.max > 1) {
      if (!this.chosen.delete(value) && this.chosen.size < this.max) this.chosen.add(value);
      this.show();
      this.tell();
      return;
    }
    const again = this.chosen.has(value);
    this.chosen = new Set([value]);
    this.show();
    this.tell();
    this.close();
    if (!again) this.onChosen?.([value]); // as Discord's clients do
  }

  /** A choice fires an input event, as a typed letter does. */
  tell() {
    this.element.dispatchEvent(new Event("input", { bubbles: true }));
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (this.list.hidden) {
      if (event.key === "ArrowDown" || event.key === "ArrowUp") this.open();
      else return;
    } else if (event.key === "ArrowDown") this.activate((this.active + 1) % this.items.length);
    else if (event.key === "ArrowUp")
      this.activate((this.active + this.items.length - 1) % this.items.length);
    else if (event.key === "Enter" || event.key === " ") this.choose(this.active);
    else if (event.key === "Escape") this.close();
    else {
      if (event.key === "Tab") this.close();
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {number} index */
  activate(index) {
    if (!this.options.length) return;
    this.active = index;
    this.options.forEach((option, at) => option.classList.toggle("active", at === index));
    this.button.setAttribute("aria-activedescendant", this.options[index].id);
    this.options[index].scrollIntoView({ block: "nearest" });
  }

  show() {
    const labels = this.items.filter((item) => this.chosen.has(item.value)).map((item) => item.label);
    this.shown.textContent = labels.length ? labels.join(", ") : this.placeholder;
    this.shown.classList.toggle("soft", labels.length === 0);
    this.options.forEach((option, at) =>
      option.setAttribute("aria-selected", String(this.chosen.has(this.items[at].value))),
    );
  }

  /** @param {Item} item @param {number} index @param {string} listId */
  optionElement(item, index, listId) {
    const words = h(
      "span",
      { class: "option-words" },
      h("span", {}, item.label),
      item.description && h("span", { class: "soft" }, item.description),
    );
    return h(
      "li",
      {
        role: "option",
        id: `${listId}-${index}`,
        "aria-selected": "false",
        // The press must not take the focus from the button, or the list closes before the click arrives.
        onpointerdown: (/** @type {Event} */ event) => event.preventDefault(),
        onclick: () => this.choose(index),
        onpointermove: () => this.activate(index),
      },
      item.face,
      words,
      h("span", { class: "tick" }, icon("tick")),
    );
  }
}

/** What a menu without own words asks. @param {number} min @param {number} max */
export function pickerPlaceholder(min, max) {
  return max > 1 ? t("chooseSeveral", { min, max }) : t("choose");
}
