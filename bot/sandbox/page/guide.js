// "Move it along": one line above the composer that leads a newcomer through a first game, and goes away by
// itself.
import { fill, h, icon } from "./dom.js";
import { joinButton, language, t } from "./words.js";

const STORED = "round-table-guide";

/** The steps in order; each ends when the thing was done, by whichever way. */
const STEPS = /** @type {const} */ (["start", "sit", "join", "move"]);

/** @typedef {typeof STEPS[number]} Step */

export class Guide {
  /** @param {import("./main.js").Acts} acts */
  constructor(acts) {
    this.acts = acts;
    this.step = this.load();
    this.shown = "";
    this.element = h("section", { class: "guide" });
    // Another tab may be ahead: the steps are the newcomer's, not the tab's.
    addEventListener("storage", (event) => {
      if (event.key !== STORED) return;
      this.step = this.load();
      this.render();
    });
  }

  /** Goes on if `step` is what the guide waits for. @param {Step} step */
  done(step) {
    if (STEPS[this.step] !== step) return;
    this.store(this.step + 1);
    if (this.step === STEPS.length) setTimeout(() => this.hide(), 6_000);
  }

  /** From the beginning, as the "?" button asks. */
  restart() {
    this.store(0);
  }

  hide() {
    this.store(STEPS.length + 1);
  }

  render() {
    const sign = `${this.step} ${language()} ${this.acts.nextPerson()} ${this.acts.serverLocale()}`;
    if (sign === this.shown) return; // drawing it anew would take the focus from its buttons
    this.shown = sign;
    this.element.hidden = this.step > STEPS.length;
    this.element.setAttribute("aria-label", t("guide"));
    const close = h(
      "button",
      { type: "button", class: "round small", "aria-label": t("guideHide"), onclick: () => this.hide() },
      icon("close"),
    );
    if (this.step >= STEPS.length) {
      fill(this.element, h("p", {}, t("guideDone")), close);
      return;
    }
    const { words, label, act } = this.present(STEPS[this.step]);
    const progress = h(
      "span",
      {
        class: "pips",
        role: "img",
        "aria-label": t("guideStep", { step: this.step + 1, steps: STEPS.length }),
      },
      STEPS.map((_, at) => h("i", { class: at <= this.step ? "on" : "" })),
    );
    fill(
      this.element,
      progress,
      h("p", {}, words),
      h("button", { type: "button", class: "button small primary", onclick: act }, label),
      close,
    );
  }

  /** @param {Step} step */
  present(step) {
    const other = this.acts.nextPerson() ?? "";
    return {
      start: { words: t("guideStart"), label: t("guideStartDo"), act: () => this.acts.useCommand("play") },
      sit: {
        words: t("guideSit"),
        label: t("guideSitDo", { name: other }),
        act: () => this.acts.sitAs(other),
      },
      join: {
        words: t("guideJoin", { button: joinButton(this.acts.serverLocale()) }),
        label: t("guideJoinDo"),
        act: () => this.acts.showInvitation(),
      },
      move: { words: t("guideMove"), label: t("guideMoveDo"), act: () => this.acts.useCommand("move") },
    }[step];
  }

  load() {
    return Number(localStorage.getItem(STORED) ?? 0);
  }

  /** @param {number} step */
  store(step) {
    this.step = step;
    localStorage.setItem(STORED, String(step));
    this.render();
  }
}
