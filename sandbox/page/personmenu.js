// The menu on a person, as Discord has it under "Apps": the bot's commands on people. A right-click or a long press
// on a name or a face opens it; on a seat the keyboard's menu key does as well.
import { usable } from "./commandform.js";
import { fill, h } from "./dom.js";
import { t } from "./words.js";

export class PersonMenu {
  /**
   * @param {import("./world.js").World} world
   * @param {import("./main.js").Acts} acts
   */
  constructor(world, acts) {
    this.world = world;
    this.acts = acts;
    /** What had the focus before. @type {HTMLElement | null} */
    this.before = null;
    this.element = h("div", {
      class: "person-menu",
      role: "menu",
      hidden: true,
      onkeydown: (/** @type {KeyboardEvent} */ event) => this.key(event),
      onfocusout: (/** @type {FocusEvent} */ event) => {
        this.element.hidden = !this.element.contains(/** @type {Node | null} */ (event.relatedTarget));
      },
    });
    document.addEventListener("contextmenu", (event) => this.asked(event));
  }

  /** @param {MouseEvent} event */
  asked(event) {
    const on = /** @type {Element} */ (event.target).closest("[data-person]");
    const person = this.world.people.find(({ id }) => id === on?.getAttribute("data-person"));
    const channel = this.acts.openedChannel();
    if (!person || !channel) return;
    const commands = usable(this.world.commands, channel).filter((command) => command.on_people);
    if (!commands.length) return;
    event.preventDefault();
    this.before = /** @type {HTMLElement | null} */ (document.activeElement);
    this.element.setAttribute("aria-label", t("personMenu", { name: person.name }));
    const items = commands.map((command) =>
      h(
        "button",
        { type: "button", role: "menuitem", onclick: () => this.choose(command.id, person.id) },
        command.label,
      ),
    );
    fill(this.element, h("p", { class: "soft" }, t("personMenu", { name: person.name })), items);
    this.element.hidden = false;
    const { offsetWidth: width, offsetHeight: height } = this.element;
    this.element.style.left = `${Math.max(4, Math.min(event.clientX, innerWidth - width - 4))}px`;
    this.element.style.top = `${Math.max(4, Math.min(event.clientY, innerHeight - height - 4))}px`;
    items[0].focus();
  }

  close() {
    this.before?.focus();
    this.element.hidden = true; // also where nothing had the focus, as after a long press on a phone
  }

  /** @param {string} commandId @param {string} personId */
  choose(commandId, personId) {
    this.close();
    this.acts.useOn(commandId, personId);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const items = [...this.element.querySelectorAll("button")];
    const at = items.indexOf(document.activeElement);
    if (event.key === "ArrowDown") items[(at + 1) % items.length].focus();
    else if (event.key === "ArrowUp") items[(at + items.length - 1) % items.length].focus();
    else if (event.key === "Escape") this.close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
