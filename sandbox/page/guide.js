// "First steps": one line above the composer that says what a newcomer can do next, as the extension advises.
import { fill, h, icon } from "./dom.js";
import { extension } from "./extension.js";
import { language, t } from "./words.js";

const STORED = "sandbox-guide";
const HIDDEN = "hidden";

export class Guide {
  /**
   * @param {import("./world.js").World} world
   * @param {import("./main.js").Acts} acts
   */
  constructor(world, acts) {
    this.world = world;
    this.acts = acts;
    this.adviser = extension.FirstSteps && new extension.FirstSteps(world, acts);
    this.hidden = localStorage.getItem(STORED) === HIDDEN;
    this.shown = "";
    this.timer = 0;
    this.element = h("section", { class: "guide" });
    // The newcomer closes the guide for all their tabs.
    addEventListener("storage", (event) => {
      if (event.key !== STORED) return;
      this.hidden = event.newValue === HIDDEN;
      this.render();
    });
  }

  /** As the "?" button asks. */
  restart() {
    localStorage.removeItem(STORED);
    this.hidden = false;
    this.render();
  }

  hide() {
    localStorage.setItem(STORED, HIDDEN);
    this.hidden = true;
    this.render();
  }

  /** For the channel that is open. */
  render() {
    const channel = this.acts.openedChannel();
    const ready = !this.hidden && channel && this.world.log(channel.id).loaded;
    const advice = ready ? this.adviser?.advise(channel) : null;
    clearTimeout(this.timer);
    this.element.hidden = !advice;
    if (!advice) return;
    const { words, button, progress, lasts } = advice;
    if (lasts) this.timer = setTimeout(() => this.render(), lasts);
    const sign = `${words} ${button?.label} ${language()}`;
    if (sign === this.shown) return; // a second drawing would take the focus from its buttons
    this.shown = sign;
    this.element.setAttribute("aria-label", t("guide"));
    const close = h(
      "button",
      { type: "button", class: "round small", "aria-label": t("guideHide"), onclick: () => this.hide() },
      icon("close"),
    );
    const attributes = { type: "button", class: "button small primary", onclick: button?.act };
    fill(
      this.element,
      progress && dots(progress),
      h("p", {}, words),
      button && h("button", attributes, button.label),
      close,
    );
  }
}

/** @param {{ step: number, steps: number }} progress */
function dots({ step, steps }) {
  return h(
    "span",
    { class: "pips", role: "img", "aria-label": t("guideStep", { step, steps }) },
    Array.from({ length: steps }, (_, at) => h("i", { class: at < step ? "on" : "" })),
  );
}
