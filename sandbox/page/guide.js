// "First steps": one line above the composer that says what a newcomer can do next. It is read off what is on
// the screen and not off what was pressed, so it is true after a refusal, in a new tab and in any channel.
import { fill, h, icon } from "./dom.js";
import { mayJoin, standing } from "./standing.js";
import { botButton, language, t } from "./words.js";

const STORED = "round-table-guide";
const HIDDEN = "hidden";
const PRAISE_SHOWN = 8_000;

/** The course of a first game; each stage has a pip. */
const STAGES = /** @type {const} */ (["start", "join", "turn"]);

/** @typedef {{ stage: typeof STAGES[number], words: string, label: string, act: () => void }} Advice */

export class Guide {
  /**
   * @param {import("./world.js").World} world
   * @param {import("./main.js").Acts} acts
   */
  constructor(world, acts) {
    this.world = world;
    this.acts = acts;
    this.hidden = localStorage.getItem(STORED) === HIDDEN;
    this.shown = "";
    /** @type {Map<string, number>} the ply at which each game waited for the reader */
    this.waited = new Map();
    this.moved = false;
    this.timer = 0;
    this.element = h("section", { class: "guide" });
    // Another tab may have shut it: the guide is the newcomer's, not the tab's.
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
    this.element.hidden = this.hidden || !channel || !this.world.log(channel.id).loaded;
    if (this.element.hidden || !channel) return;
    const now = standing(this.world.log(channel.id).messages);
    this.notice(now);
    // Against the house it is the reader's turn again before any praise has been read.
    const waiting = now.turns.some(({ player }) => player === this.world.me.id);
    const advice = this.moved && !waiting ? null : this.advice(now, channel);
    const sign = `${advice?.words} ${advice?.label} ${language()}`;
    if (sign === this.shown) return; // drawing it anew would take the focus from its buttons
    this.shown = sign;
    this.element.setAttribute("aria-label", t("guide"));
    const close = h(
      "button",
      { type: "button", class: "round small", "aria-label": t("guideHide"), onclick: () => this.hide() },
      icon("close"),
    );
    if (!advice) {
      fill(this.element, h("p", {}, t("guideDone")), close);
      return;
    }
    const attributes = { type: "button", class: "button small primary", onclick: advice.act };
    const act = h("button", attributes, advice.label);
    fill(this.element, pips(STAGES.indexOf(advice.stage)), h("p", {}, advice.words), act, close);
  }

  /** Sees whether a move of the reader has been played. @param {import("./standing.js").Standing} now */
  notice({ turns }) {
    const me = this.world.me.id;
    for (const { game, ply, player } of turns) {
      const key = `${me} ${game}`;
      if ((this.waited.get(key) ?? ply) < ply) this.praise();
      if (player === me) this.waited.set(key, ply);
      else this.waited.delete(key);
    }
  }

  praise() {
    this.moved = true;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.moved = false;
      this.render();
    }, PRAISE_SHOWN);
  }

  /**
   * What comes next for the reader: their own move; a call from elsewhere; else a free seat or somebody else's
   * move, whichever is newer; a first game.
   *
   * @param {import("./standing.js").Standing} now
   * @param {import("./world.js").Channel} channel
   * @returns {Advice}
   */
  advice({ turns, tables }, channel) {
    const { me } = this.world;
    if (turns.some(({ player }) => player === me.id))
      return {
        stage: "turn",
        words: t("guideMove", { button: botButton("move", this.acts.serverLocale()) }),
        label: t("guideMoveDo"),
        act: () => this.acts.useCommand("move"),
      };
    const calling = [...this.world.channels.values()].find(({ id, pings }) => pings > 0 && id !== channel.id);
    if (calling)
      return {
        stage: "turn",
        words: t("guideCalled", { channel: calling.name }),
        label: t("guideCalledDo"),
        act: () => this.acts.openChannel(calling.id),
      };
    const [turn] = turns;
    const table = tables.find(({ id }) => !turn || BigInt(id) > BigInt(turn.message.id));
    if (table && mayJoin(table, me)) {
      const words = t("guideJoin", { button: botButton("join", this.acts.serverLocale()) });
      return { stage: "join", words, label: t("guideJoinDo"), act: () => this.acts.showMessage(table.id) };
    }
    const standIn = table && this.world.people.find((person) => !person.bot && mayJoin(table, person));
    if (standIn) {
      const words = t("guideSit", { button: botButton("house", this.acts.serverLocale()) });
      return this.sitAs(standIn, "join", words);
    }
    const next = this.world.people.find(({ id }) => id === turn?.player);
    if (next) return this.sitAs(next, "turn", t("guideWait", { name: next.name }));
    return {
      stage: "start",
      words: t("guideStart"),
      label: t("guideStartDo"),
      act: () => this.acts.useCommand("play"),
    };
  }

  /** @param {import("./world.js").Person} person @param {Advice["stage"]} stage @param {string} words */
  sitAs({ name }, stage, words) {
    return { stage, words, label: t("guideSitDo", { name }), act: () => this.acts.sitAs(name) };
  }
}

/** @param {number} reached */
function pips(reached) {
  const label = t("guideStep", { step: reached + 1, steps: STAGES.length });
  return h(
    "span",
    { class: "pips", role: "img", "aria-label": label },
    STAGES.map((_, at) => h("i", { class: at <= reached ? "on" : "" })),
  );
}
