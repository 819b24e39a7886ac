// One line above the composer: the first steps, as the extension advises, or a short tour of the page.
import { fill, h, icon } from "./dom.js";
import { extension } from "./extension.js";
import { language, t } from "./words.js";

const STORED = "sandbox-guide";
const HIDDEN = "hidden";
const TOUR = /** @type {const} */ (["tourPeople", "tourCommands", "tourButtons", "tourPlaces"]);

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
    /** @type {number | null} the step of the tour that is shown, from 0 */
    this.step = null;
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

  /** As the "?" button asks: the tour, and the first steps after it. */
  restart() {
    localStorage.removeItem(STORED);
    this.hidden = false;
    this.showStep(0);
  }

  hide() {
    localStorage.setItem(STORED, HIDDEN);
    this.hidden = true;
    this.showStep(null);
  }

  /** @param {number | null} step */
  showStep(step) {
    this.step = step;
    this.render();
  }

  /** @param {number} step @returns {import("./extension.js").Advice} */
  tour(step) {
    const isLast = step + 1 === TOUR.length;
    return {
      words: t(TOUR[step], { name: this.world.me.name }),
      button: {
        label: t(isLast ? "tourDone" : "tourNext"),
        act: () => this.showStep(isLast ? null : step + 1),
      },
      progress: { step: step + 1, steps: TOUR.length },
    };
  }

  /** For the channel that is open. */
  render() {
    const channel = this.acts.openedChannel();
    const ready = !this.hidden && channel && this.world.log(channel.id).loaded;
    const advice = !ready ? null : this.step === null ? this.adviser?.advise(channel) : this.tour(this.step);
    clearTimeout(this.timer);
    const isHeld = this.element.querySelector(":focus-visible") !== null;
    this.element.hidden = !advice;
    if (!advice) {
      if (isHeld) this.acts.toField();
      return;
    }
    this.element.classList.toggle("tour", this.step !== null);
    const { words, button, other, progress, lasts, about } = advice;
    const newest = channel && this.world.log(channel.id).messages.at(-1);
    this.element.classList.toggle("beside", about !== undefined && about === newest?.id);
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
    fill(
      this.element,
      progress && dots(progress),
      h("p", {}, words),
      other && h("button", { type: "button", class: "button small", onclick: other.act }, other.label),
      button && h("button", { type: "button", class: "button small primary", onclick: button.act }, button.label),
      close,
    );
    const next = /** @type {HTMLElement | null} */ (this.element.querySelector(".primary"));
    if (isHeld && next) next.focus();
    else if (isHeld) this.acts.toField();
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
