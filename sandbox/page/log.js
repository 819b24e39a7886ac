// The open channel's messages: kept in order, drawn again only where something changed, scrolled as a reader
// expects.
import { mark } from "./avatar.js";
import { h } from "./dom.js";
import { Follow } from "./follow.js";
import { deedElement, messageElement, postButton } from "./message.js";
import { moveBetween } from "./rove.js";
import { dayName } from "./times.js";
import { language, t } from "./words.js";

/** @typedef {import("./world.js").Message} Message */
/** @typedef {{ key: string, sign: string, make: () => HTMLElement }} Row */

const COMPACT_WITHIN = 5 * 60 * 1000;

export class LogView {
  /** @param {import("./message.js").Desk} desk */
  constructor(desk) {
    this.desk = desk;
    this.channelId = "";
    /** @type {Map<string, { element: HTMLElement, sign: string }>} */
    this.shown = new Map();
    /** What has stood at the end so far: an answer stands above the line "sending" at first. @type {Set<string>} */
    this.ends = new Set();
    /** @type {string | null} the first message that was unread when the channel was opened */
    this.unreadFrom = null;
    this.fetching = false;
    this.list = h("div", { class: "log-list", onkeydown: moveBetween(".message") });
    // New messages are spoken by the page's own announcer: a log that speaks would read whole channels when
    // they open.
    this.element = h(
      "div",
      { class: "log", role: "log", "aria-live": "off", tabindex: "0", onscroll: () => this.scrolled() },
      this.list,
    );
    this.follow = new Follow(this.element, this.list);
    this.frame = h("div", { class: "log-frame" }, this.element, this.follow.pill);
  }

  /** Shows a channel from its newest message on. @param {string} channelId @param {number} unread */
  async open(channelId, unread) {
    this.channelId = channelId;
    this.element.setAttribute("aria-label", t("messagesIn", { channel: this.channel?.name ?? "" }));
    this.list.replaceChildren();
    this.shown.clear();
    this.ends.clear();
    this.unreadFrom = null;
    this.follow.toNewest();
    if (!this.desk.world.log(channelId).loaded) await this.desk.world.load(channelId);
    if (channelId !== this.channelId) return;
    const { messages } = this.desk.world.log(channelId);
    this.unreadFrom = unread > 0 ? (messages[Math.max(0, messages.length - unread)]?.id ?? null) : null;
    this.render();
    this.follow.toNewest();
  }

  get channel() {
    return this.desk.world.channels.get(this.channelId);
  }

  render() {
    const log = this.desk.world.log(this.channelId);
    if (!log.loaded) return;
    const rows = this.rows(log);
    const last = rows[rows.length - 1]?.key;
    const added = !this.ends.has(last);
    this.ends.add(last);
    if (this.reconcile(rows)) this.follow.changed(added);
  }

  /** A message has come in. @param {boolean} forReader  the reader must get to see it */
  arrived(forReader) {
    this.follow.arrived(forReader);
  }

  /** The message as it stands in the log. @param {string} id @returns {HTMLElement | undefined} */
  message(id) {
    return this.shown.get(id)?.element;
  }

  /**
   * Brings the focus back to what was pressed on a message; returns whether that is still here.
   *
   * @param {string} id
   * @param {string} pressed
   */
  back(id, pressed) {
    const element = this.message(id);
    if (element) focusAgain(element, pressed, true);
    return element !== undefined;
  }

  /**
   * Moves the focus to what a new message offers first, if anything; it does not scroll away from the message's top.
   *
   * @param {string} id
   */
  enter(id) {
    const element = this.message(id);
    if (element) firstControl(element)?.focus({ preventScroll: true });
  }

  /** Moves the focus to the newest message; the arrow keys lead from it to others. */
  enterNewest() {
    this.follow.toNewest();
    const messages = /** @type {NodeListOf<HTMLElement>} */ (this.list.querySelectorAll(".message"));
    (messages.item(messages.length - 1) ?? this.element).focus({ preventScroll: true });
  }

  /**
   * Scrolls a message to the middle, loading older ones as needed. Does nothing for a deleted message.
   *
   * @param {string} id
   */
  async goTo(id) {
    const { channelId } = this;
    const { world } = this.desk;
    const beyond = () => {
      const { messages, more } = world.log(channelId);
      return more && BigInt(messages[0].id) > BigInt(id);
    };
    while (channelId === this.channelId && beyond()) await world.loadOlder(channelId);
    if (channelId !== this.channelId) return;
    this.message(id)?.scrollIntoView({ block: "center" });
    this.message(id)?.focus({ preventScroll: true });
  }

  async scrolled() {
    const { scrollTop, scrollHeight } = this.element;
    if (scrollTop > 200 || this.fetching || !this.desk.world.log(this.channelId).more) return;
    this.fetching = true;
    try {
      await this.desk.world.loadOlder(this.channelId);
      this.follow.keepPlace(scrollHeight);
    } catch {
      // The server is away; the next scroll asks again.
    } finally {
      this.fetching = false;
    }
  }

  /** @param {import("./world.js").Log} log @returns {Row[]} */
  rows(log) {
    /** @type {Row[]} */
    const rows = [];
    if (!log.more) rows.push(this.startRow());
    /** @type {Message | undefined} */
    let before;
    for (const message of log.messages) {
      const day = dayName(new Date(message.timestamp));
      const newDay = !before || day !== dayName(new Date(before.timestamp));
      const news = message.id === this.unreadFrom;
      if (newDay)
        rows.push({
          key: `day-${message.timestamp.slice(0, 10)}-${message.id}`,
          sign: day,
          make: () => h("div", { class: "divider" }, h("span", {}, day)),
        });
      if (news)
        rows.push({
          key: "news",
          sign: t("newMessages"),
          make: () => h("div", { class: "divider news" }, h("span", {}, t("newMessages"))),
        });
      rows.push(this.messageRow(message, !newDay && !news && goesOn(before, message), log));
      before = message;
    }
    const known = new Set(log.messages.map((message) => message.id));
    for (const deed of this.desk.world.deeds.values()) {
      if (deed.channel_id !== this.channelId || (deed.message_id && known.has(deed.message_id))) continue;
      rows.push({
        key: `deed-${deed.id}`,
        sign: `${deed.state} ${language()}`,
        make: () => deedElement(deed, this.desk),
      });
    }
    return rows;
  }

  /**
   * @param {Message} message
   * @param {boolean} compact
   * @param {import("./world.js").Log} log
   * @returns {Row}
   */
  messageRow(message, compact, log) {
    const { world } = this.desk;
    const deed = world.deedOn(message.id);
    const busy = world.pressed.get(message.id) ?? null;
    const quoted = message.reply_to ? log.messages.find((other) => other.id === message.reply_to) : undefined;
    const thread = message.thread_id && world.channels.get(message.thread_id)?.name;
    const sign = JSON.stringify([
      message,
      compact,
      deed?.state,
      busy,
      quoted?.content,
      thread,
      language(),
      world.people.length,
    ]);
    return {
      key: message.id,
      sign,
      make: () => messageElement(message, { compact, deed, busy, quoted }, this.desk),
    };
  }

  /** @returns {Row} */
  startRow() {
    const name = this.channel?.name ?? "";
    const title = this.channel?.type === "text" ? `#${name}` : name;
    const all = this.channel?.type === "forum" ? [...this.desk.world.channels.values()] : [];
    const posts = all.filter((other) => other.parent_id === this.channelId).reverse();
    const make = () =>
      h(
        "div",
        { class: "channel-start" },
        mark(),
        h("h2", {}, title),
        h("p", { class: "soft" }, t("channelStart", { channel: title })),
        posts.map((post) => postButton(post, this.desk)),
      );
    const listed = posts.map((post) => [post.id, post.name, post.archived, post.tags]);
    return { key: "start", sign: JSON.stringify([title, language(), listed]), make };
  }

  /** Makes the list show `rows`, touching only what differs; false if nothing did. @param {Row[]} rows */
  reconcile(rows) {
    let changed = rows.length !== this.shown.size;
    const wanted = new Set(rows.map((row) => row.key));
    for (const [key, { element }] of this.shown) if (!wanted.has(key)) element.remove();
    /** @type {LogView["shown"]} */
    const next = new Map();
    let place = this.list.firstElementChild;
    for (const row of rows) {
      let known = this.shown.get(row.key);
      if (!known || known.sign !== row.sign) {
        const element = row.make();
        changed = true;
        if (known) {
          if (place === known.element) place = element;
          replaceKeepingFocus(known.element, element);
        }
        known = { element, sign: row.sign };
      }
      if (place === known.element) place = place.nextElementSibling;
      else this.list.insertBefore(known.element, place);
      next.set(row.key, known);
    }
    this.shown = next;
    return changed;
  }
}

/**
 * Whether a message needs no header of its own.
 *
 * @param {Message | undefined} before
 * @param {Message} message
 */
function goesOn(before, message) {
  if (!before || before.kind === "thread_created" || message.kind !== "default" || message.interaction)
    return false;
  const soon = new Date(message.timestamp).getTime() - new Date(before.timestamp).getTime() < COMPACT_WITHIN;
  return before.author.id === message.author.id && before.ephemeral === message.ephemeral && soon;
}

/**
 * Somebody who pressed a button waits on its message for the answer; then they are on that button again or, at the
 * keyboard, on what the message offers first.
 *
 * @param {HTMLElement} old
 * @param {HTMLElement} fresh
 */
function replaceKeepingFocus(old, fresh) {
  const focused = old.contains(document.activeElement)
    ? /** @type {HTMLElement} */ (document.activeElement)
    : null;
  const byKey = focused?.matches(":focus-visible") ?? false;
  old.replaceWith(fresh);
  if (!focused) return;
  const pressed = focused === old ? old.dataset.pressed : focused.dataset.customId;
  if (pressed === undefined) fresh.focus({ preventScroll: true });
  else focusAgain(fresh, pressed, byKey);
}

/** @param {HTMLElement} message @param {string} pressed @param {boolean} byKey */
function focusAgain(message, pressed, byKey) {
  message.dataset.pressed = pressed;
  message.focus({ preventScroll: true });
  if (message.ariaBusy) return;
  const same = message.querySelector(`[data-custom-id="${CSS.escape(pressed)}"]:enabled`);
  const next = same instanceof HTMLElement ? same : byKey && firstControl(message);
  if (!next) return;
  next.focus({ preventScroll: true });
  if (byKey) next.scrollIntoView({ block: "nearest" });
}

/**
 * Returns what a message offers first: nothing that a second Enter should not press.
 *
 * @param {HTMLElement} message
 * @returns {HTMLElement | null}
 */
function firstControl(message) {
  return message.querySelector("[data-custom-id]:enabled:not(.danger)");
}
