// The left side: the table with its seats (who am I?), and the servers with their channels and threads.
import { avatar, mark } from "./avatar.js";
import { fill, h, icon, renew } from "./dom.js";
import { languageSwitch } from "./languages.js";
import { moveBetween } from "./rove.js";
import { t } from "./words.js";

/** @typedef {import("./world.js").World} World */
/** @typedef {import("./world.js").Channel} Channel */

/** More people than this sit in a row instead of around the table. */
const SEATS = 8;

export class Sidebar {
  /**
   * @param {World} world
   * @param {import("./main.js").Acts} acts
   */
  constructor(world, acts) {
    this.world = world;
    this.acts = acts;
    this.openId = "";
    /** The key of the place where Tab enters the list. */
    this.stop = "";
    /** @type {Map<string, HTMLElement>} each person's seat, by id */
    this.seated = new Map();
    /** Who is to move in the open channel, by id. @type {string[]} */
    this.toMove = [];
    this.centre = h("p", { class: "table-top" });
    this.seats = h("div", { class: "seats", role: "group", onkeydown: moveBetween(".seat") });
    this.table = h("div", { class: "table" }, this.centre, this.seats);
    this.places = h("nav", { class: "places", onkeydown: moveBetween(".place, summary") });
    this.brand = h("h1");
    const brand = h("div", { class: "brand" }, mark(), this.brand);
    this.element = h("aside", { class: "sidebar", id: "sidebar" }, brand, this.table, this.places);
  }

  render() {
    this.brand.textContent = this.world.bot.name;
    this.renderTable();
    this.renderPlaces();
  }

  /**
   * Draws all people around the table, the reader at the near side. Seats stay in the document, so that the table
   * visibly turns.
   */
  renderTable() {
    const humans = this.world.people.filter((person) => !person.bot);
    const mine = Math.max(
      0,
      humans.findIndex((person) => person.id === this.world.me.id),
    );
    for (const [id, seat] of this.seated) {
      if (humans.some((person) => person.id === id)) continue;
      seat.remove();
      this.seated.delete(id);
    }
    humans.forEach((person, index) => {
      const seat = this.seated.get(person.id) ?? this.takeSeat(person);
      const angle = ((index - mine) / humans.length) * 2 * Math.PI;
      seat.style.setProperty("--x", String(-Math.sin(angle)));
      seat.style.setProperty("--y", String(Math.cos(angle)));
      this.update(seat, person);
    });
    this.table.classList.toggle("round-seats", humans.length <= SEATS);
    this.seats.setAttribute("aria-label", t("switchPerson"));
    fill(this.centre, h("span", { class: "soft" }, t("youAre")), h("strong", {}, this.world.me.name));
  }

  /** Marks the faces of those who are to move in the open channel. @param {string[]} people their ids */
  markTurns(people) {
    if (people.join() === this.toMove.join()) return;
    this.toMove = people;
    this.renderTable();
  }

  /**
   * A link, so that it also opens in a tab of its own.
   *
   * @param {import("./world.js").Person} person
   * @returns {HTMLElement}
   */
  takeSeat(person) {
    const follow = (/** @type {MouseEvent} */ event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
      event.preventDefault();
      this.acts.sitAs(person.name);
    };
    const href = `?as=${encodeURIComponent(person.name)}`;
    const seat = h("a", { class: "seat", href, tabindex: -1, data: { person: person.id }, onclick: follow });
    this.seated.set(person.id, seat);
    this.seats.append(seat);
    return seat;
  }

  /** @param {HTMLElement} seat @param {import("./world.js").Person} person */
  update(seat, person) {
    const me = person.id === this.world.me.id;
    if (!this.seats.contains(document.activeElement)) seat.tabIndex = me ? 0 : -1;
    const pings = me ? 0 : (person.pings ?? 0);
    if (me) seat.setAttribute("aria-current", "true");
    else seat.removeAttribute("aria-current");
    seat.title = `${me ? t("youAreHere") : t("sitAs", { name: person.name })}\n${t("personMenuHint")}`;
    const crown =
      this.toMove.includes(person.id) &&
      h("span", { class: "crown" }, icon("crown"), unseen(this.turnWords(person)));
    const name = h("span", { class: "seat-name" }, person.name);
    fill(seat, avatar(person), name, crown, pings > 0 && pingBadge(pings));
  }

  /** @param {import("./world.js").Person} person */
  turnWords({ id, name }) {
    return id === this.world.me.id ? t("yourTurn") : t("toMove", { name });
  }

  renderPlaces() {
    this.element.setAttribute("aria-label", t("menu"));
    this.places.setAttribute("aria-label", t("channels"));
    this.stop = this.stopKey();
    const channels = [...this.world.channels.values()];
    const servers = this.world.guilds.map((guild) => {
      const inside = channels.filter((channel) => channel.guild_id === guild.id);
      const tops = inside.filter((channel) => !channel.parent_id);
      return h(
        "section",
        { class: "server" },
        h(
          "header",
          {},
          h("h2", {}, guild.name),
          guild.community && [
            h("span", { class: "soft switch-label", "aria-hidden": "true" }, t("serverPosts")),
            languageSwitch(guild.id, guild.locale, t("serverLanguage", { server: guild.name }), (locale) =>
              this.acts.setGuildLocale(guild.id, locale),
            ),
          ],
        ),
        h(
          "ul",
          {},
          tops.map((channel) => this.branch(channel, inside)),
        ),
      );
    });
    renew(this.places, servers, this.direct(channels.filter((channel) => channel.type === "dm")));
  }

  /** Returns the key of the place where Tab enters the list: the focused one, else the open one. */
  stopKey() {
    const focused = /** @type {HTMLElement | null} */ (document.activeElement);
    return (focused?.matches(".place, .archive summary") && focused.dataset.key) || this.openId;
  }

  /** Moves the focus to where Tab enters the list. */
  enter() {
    /** @type {HTMLElement | null} */ (this.places.querySelector(".place[tabindex='0']"))?.focus();
  }

  /** Returns the attributes of a control of the list. @param {string} key */
  keyed(key) {
    return { data: { key }, tabindex: key === this.stop ? 0 : -1 };
  }

  /** A channel with the threads that hang on it. @param {Channel} channel @param {Channel[]} all */
  branch(channel, all) {
    const threads = all.filter((other) => other.parent_id === channel.id);
    const live = threads.filter(
      (thread) => !thread.archived || thread.unread > 0 || thread.id === this.openId,
    );
    const old = threads.filter((thread) => !live.includes(thread));
    return h(
      "li",
      {},
      this.entry(channel),
      live.length > 0 &&
        h(
          "ul",
          { class: "threads" },
          live.map((thread) => h("li", {}, this.entry(thread))),
        ),
      old.length > 0 && this.archive(channel.id, old),
    );
  }

  /** Archived threads, folded away. @param {string} channelId @param {Channel[]} threads */
  archive(channelId, threads) {
    const open = Boolean(this.places.querySelector(`details[data-of="${channelId}"]`)?.open);
    const list = h(
      "ul",
      { class: "threads" },
      threads.map((thread) => h("li", {}, this.entry(thread))),
    );
    return h(
      "details",
      { class: "archive", open, data: { of: channelId } },
      h("summary", this.keyed(`archive ${channelId}`), t("archived", { count: threads.length })),
      list,
    );
  }

  /** @param {Channel} channel */
  entry(channel) {
    const here = channel.id === this.openId;
    const unread = channel.unread > 0 && !here;
    return h(
      "button",
      {
        type: "button",
        class: `place ${unread ? "unread" : ""}`,
        "aria-current": here ? "page" : null,
        ...this.keyed(channel.id),
        onclick: () => this.acts.openChannel(channel.id),
      },
      h("span", { class: "sign", "aria-hidden": "true" }, placeSign(channel)),
      h("span", { class: "place-name" }, channel.name),
      unread &&
        channel.pings === 0 &&
        h(
          "span",
          { class: "dot", title: t("unread", { count: channel.unread }) },
          h("span", { class: "unseen-text" }, t("unread", { count: channel.unread })),
        ),
      channel.pings > 0 && pingBadge(channel.pings),
    );
  }

  /** @param {Channel[]} dms */
  direct(dms) {
    const name = this.world.bot.name;
    const start = h(
      "button",
      { type: "button", class: "place", ...this.keyed("direct"), onclick: () => this.acts.openDirect() },
      h("span", { class: "sign" }, "@"),
      h("span", { class: "place-name" }, name),
    );
    const list = dms.length ? dms.map((channel) => h("li", {}, this.entry(channel))) : h("li", {}, start);
    return h(
      "section",
      { class: "server" },
      h("header", {}, h("h2", {}, t("directMessages"))),
      h("ul", {}, list),
    );
  }
}

/** What stands before the name of a channel. @param {Channel | undefined} channel */
export function placeSign(channel) {
  const type = channel?.type ?? "thread";
  if (type === "text" || type === "announcement") return "#";
  if (type === "dm") return "@";
  return icon(type === "forum" ? "forum" : type === "voice" || type === "stage" ? "voice" : "thread");
}

/** @param {string} words for those who do not see the drawing */
function unseen(words) {
  return h("span", { class: "unseen-text" }, ` ${words}`);
}

/** @param {number} count */
function pingBadge(count) {
  return h(
    "span",
    { class: "badge" },
    h("span", { "aria-hidden": "true" }, String(count)),
    h("span", { class: "unseen-text" }, ` ${t("pings", { count })}`),
  );
}
