// The top line: the open channel, whose turn it is, and the language.
import { fill, h, icon, renew } from "./dom.js";
import { languageSwitch } from "./languages.js";
import { placeSign } from "./sidebar.js";
import { t } from "./words.js";

export class Header {
  /**
   * @param {import("./world.js").World} world
   * @param {import("./main.js").Acts} acts
   */
  constructor(world, acts) {
    this.world = world;
    this.acts = acts;
    this.menu = h(
      "button",
      {
        type: "button",
        class: "round menu",
        "aria-controls": "sidebar",
        "aria-expanded": "false",
        onclick: acts.toggleSidebar,
      },
      icon("menu"),
    );
    this.title = h("h2", { class: "channel-name" });
    this.turn = h("button", { type: "button", class: "turn", hidden: true, onclick: () => this.showMessage() });
    /** @type {import("./extension.js").Turn | undefined} */
    this.current = undefined;
    this.tools = h("div", { class: "tools" });
    this.element = h("header", { class: "topline" }, this.menu, this.title, this.turn, this.tools);
  }

  /**
   * Says whose turn it is by the channel's newest message that waits for a person, and leads to that message.
   *
   * @param {import("./extension.js").Turn} [turn]
   */
  showTurn(turn) {
    this.current = turn;
    const mine = turn?.person === this.world.me.id;
    const name = turn && this.world.personName(turn.person);
    this.turn.hidden = !name;
    this.turn.classList.toggle("mine", mine);
    this.turn.title = t("toMoveShow");
    const words = mine ? t("yourTurn") : t("toMove", { name: name ?? "" });
    this.turn.setAttribute("aria-label", words);
    // A narrow screen has room for the name only.
    const brief = h("span", { class: "brief" }, mine ? words : name);
    fill(this.turn, icon("crown"), h("span", { class: "whole" }, words), brief);
  }

  showMessage() {
    if (this.current) this.acts.showMessage(this.current.message.id);
  }

  /** @param {import("./world.js").Channel | undefined} channel */
  render(channel) {
    this.menu.setAttribute("aria-label", t("menu"));
    const guild = this.world.guilds.find((candidate) => candidate.id === channel?.guild_id);
    const shut = [channel?.archived && t("threadArchived"), channel?.locked && t("threadLocked")];
    const states = [...(channel?.tags ?? []), ...shut].filter(Boolean);
    fill(
      this.title,
      h("span", { class: "sign", "aria-hidden": "true" }, placeSign(channel)),
      h("span", {}, channel?.name ?? ""),
      guild && h("span", { class: "soft server-name" }, guild.name),
      states.map((state) => h("span", { class: "tag" }, state)),
    );
    renew(
      this.tools,
      h(
        "button",
        {
          type: "button",
          class: "round",
          "aria-label": t("tour"),
          title: t("tour"),
          data: { key: "guide" },
          onclick: this.acts.restartGuide,
        },
        icon("help"),
      ),
      h(
        "button",
        {
          type: "button",
          class: "round",
          "aria-label": t("stranger"),
          "aria-pressed": String(this.world.me.stranger),
          title: t("stranger"),
          data: { key: "stranger" },
          onclick: () => this.acts.setStranger(!this.world.me.stranger),
        },
        icon("eye"),
      ),
      h("span", { class: "soft switch-label", "aria-hidden": "true" }, t("yourLanguage")),
      languageSwitch("me", this.world.me.locale, t("yourLanguageIs"), this.acts.setLocale),
    );
  }
}
