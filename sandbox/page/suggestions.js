// The list above the composer: commands, and values of an option. One list serves all fields, as only one field has
// the focus.
import { fill, h } from "./dom.js";
import { t } from "./words.js";

/** @typedef {{ label: string, value: any, hint?: string, face?: Node | null }} Choice */
/** @typedef {(choice: Choice, key?: string) => void} Pick  key: the one that was pressed, if it was a key */

export class Suggestions {
  constructor() {
    this.title = h("p", { class: "suggestions-title", role: "status" });
    this.list = h("ul", { role: "listbox", id: "suggestions" });
    this.element = h("div", { class: "suggestions", hidden: true }, this.title, this.list);
    /** @type {HTMLElement | null} the field the list belongs to */
    this.owner = null;
    /** @type {Choice[]} */
    this.choices = [];
    this.active = -1;
    /** @type {Pick} */
    this.pick = () => {};
    this.pressing = false;
    document.addEventListener("pointerdown", () => (this.pressing = true), true);
    for (const end of ["pointerup", "pointercancel"])
      document.addEventListener(end, () => (this.pressing = false), true);
  }

  /**
   * @param {HTMLElement} owner
   * @param {{ title: string, choices: Choice[], pick: Pick, active?: number }} wishes
   *   active: the choice that Enter takes, -1 for none
   */
  show(owner, { title, choices, pick, active = -1 }) {
    if (this.owner !== owner) this.hide();
    this.owner = owner;
    this.choices = choices;
    this.pick = pick;
    const count = choices.length > 0 && t("suggestions", { count: choices.length });
    fill(this.title, title, count && h("span", { class: "unseen-text" }, ` · ${count}`));
    // A field's list takes its room from the log, so that it never covers the message that the reader chooses from.
    this.element.classList.toggle("in-flow", owner.matches("input"));
    const brief = choices.every(({ hint, face }) => !hint && !face);
    this.list.classList.toggle("side-by-side", brief);
    this.list.setAttribute("aria-label", title);
    fill(
      this.list,
      choices.map((choice, index) => this.optionElement(choice, index)),
    );
    this.element.hidden = false;
    this.element.classList.remove("stale");
    this.expanded(choices.length > 0);
    owner.setAttribute("aria-controls", "suggestions");
    this.activate(active);
  }

  /**
   * Shows a line without choices: "loading", "nothing found".
   *
   * @param {HTMLElement} owner
   * @param {string} title
   */
  say(owner, title) {
    this.show(owner, { title, choices: [], pick: () => {} });
  }

  /**
   * The choices shown belong to an earlier text: dimmed, and none of them is taken by Enter.
   *
   * @param {HTMLElement} owner
   */
  stale(owner) {
    if (this.owner !== owner) return;
    this.element.classList.add("stale");
    this.activate(-1);
  }

  /** @param {HTMLElement} [owner] hides only if the list is this field's */
  hide(owner) {
    if (!this.owner || (owner && owner !== this.owner)) return;
    this.expanded(false);
    this.owner.removeAttribute("aria-activedescendant");
    this.owner = null;
    this.choices = [];
    this.active = -1;
    this.element.hidden = true;
  }

  /**
   * Hides the list of a field that has lost the focus. If a press has taken it, only when that is over: the log gets
   * the list's room back, and what was pressed would slip away from under the pointer before the click.
   *
   * @param {HTMLElement} owner
   */
  left(owner) {
    if (!this.pressing) {
      this.hide(owner);
      return;
    }
    const over = () => setTimeout(() => document.activeElement !== owner && this.hide(owner));
    for (const end of ["pointerup", "pointercancel"])
      document.addEventListener(end, over, { capture: true, once: true });
  }

  /**
   * Fields that are comboboxes say whether their list is open; the composer's own field is a textbox and may
   * not.
   *
   * @param {boolean} open
   */
  expanded(open) {
    if (this.owner?.getAttribute("role") === "combobox")
      this.owner.setAttribute("aria-expanded", String(open));
  }

  /**
   * Handles the keys that move in the list or choose from it; returns whether this key was one.
   *
   * @param {KeyboardEvent} event
   */
  takes(event) {
    if (this.owner !== event.target || !this.choices.length || event.isComposing) return false;
    const count = this.choices.length;
    if (event.key === "ArrowDown") this.activate((this.active + 1) % count);
    else if (event.key === "ArrowUp") this.activate(this.active > 0 ? this.active - 1 : count - 1);
    else if (event.key === "Enter" && this.active >= 0) this.pick(this.choices[this.active], "Enter");
    else if (event.key === "Tab" && !event.shiftKey && this.active >= 0)
      this.pick(this.choices[this.active], "Tab");
    else if (event.key === "Escape") this.hide();
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  }

  /** @param {number} index */
  activate(index) {
    this.active = index;
    [...this.list.children].forEach((option, at) => {
      option.classList.toggle("active", at === index);
      option.setAttribute("aria-selected", String(at === index));
    });
    const option = this.list.children[index];
    if (option) {
      this.owner?.setAttribute("aria-activedescendant", option.id);
      option.scrollIntoView({ block: "nearest" });
    } else this.owner?.removeAttribute("aria-activedescendant");
  }

  /** @param {Choice} choice @param {number} index */
  optionElement(choice, index) {
    return h(
      "li",
      {
        role: "option",
        id: `suggestion-${index}`,
        "aria-selected": "false",
        // The press must not take the focus from the field.
        onpointerdown: (/** @type {Event} */ event) => event.preventDefault(),
        onclick: () => this.pick(choice),
      },
      choice.face,
      h(
        "span",
        { class: "option-words" },
        h("span", {}, choice.label),
        choice.hint && h("span", { class: "soft" }, choice.hint),
      ),
    );
  }
}
