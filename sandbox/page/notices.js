// The page's own messages: the line on top while server or bot is away, short notices, and what screen readers
// announce.
import { h, icon } from "./dom.js";
import { markdown } from "./markdown.js";
import { namesFor } from "./message.js";
import { t } from "./words.js";

/** @typedef {import("./world.js").Message} Message */

const TOAST_SHOWN = 6_000;
const SPOKEN_AFTER = 100;
const LINES_KEPT = 5;

export class Notices {
  /** @param {import("./message.js").Desk} desk */
  constructor(desk) {
    this.desk = desk;
    this.world = desk.world;
    /** @type {boolean | undefined} whether the server is heard; undefined before the first try has ended */
    this.linked = undefined;
    this.timer = 0;
    this.banner = h("p", { class: "banner", role: "status", hidden: true });
    this.toast = h("p", { class: "toast", role: "alert", hidden: true });
    this.announcer = h("div", { class: "unseen-text", "aria-live": "polite" });
  }

  /** @param {boolean | undefined} linked */
  link(linked) {
    this.linked = linked;
    this.render();
  }

  render() {
    const words = this.trouble();
    this.banner.hidden = words === null;
    this.banner.classList.toggle("lost", this.linked === false);
    if (words !== null && this.banner.textContent !== words)
      this.banner.replaceChildren(icon("alert"), words);
  }

  trouble() {
    if (this.linked === undefined) return t("connecting");
    if (!this.linked) return t("lost");
    return this.world.bot.online ? null : t("botAway", { name: this.world.bot.name });
  }

  /** Shows a sentence for a while. @param {string} sentence */
  say(sentence) {
    clearTimeout(this.timer);
    this.toast.textContent = sentence;
    this.toast.hidden = false;
    this.timer = setTimeout(() => (this.toast.hidden = true), TOAST_SHOWN);
  }

  /**
   * Announces a new message to screen readers, or what an edit has added to one.
   *
   * @param {Message} message
   * @param {boolean} here  in the open channel
   * @param {Message} [before]  how it was
   */
  announce(message, here, before) {
    const name = message.author.name;
    const where = this.world.channels.get(message.channel_id);
    const place = here || !where ? "" : `${where.type === "text" ? "#" : ""}${where.name} `;
    const known = new Set(before && linesOf(before, this.desk));
    const words = linesOf(message, this.desk).filter((line) => !known.has(line));
    if (message.state === "thinking") this.speak(place + t("thinking", { name }));
    else if (!before) this.speak(`${place}${name}: ${words.join(" ")}`);
    else if (words.length) this.speak(words.join(" "));
  }

  /** What comes soon after another is read after it, and all of it after a change of focus. @param {string} words */
  speak(words) {
    setTimeout(() => {
      this.announcer.append(h("p", {}, words));
      if (this.announcer.childElementCount > LINES_KEPT) this.announcer.firstElementChild?.remove();
    }, SPOKEN_AFTER);
  }
}

/**
 * Returns the message for screen readers: the lines of its text, then the sentences about its pictures. A block of
 * code, such as a board of letters, is read in the message only.
 *
 * @param {Message} message
 * @param {import("./message.js").Desk} desk
 */
function linesOf(message, desk) {
  const parts = partsOf(message.components ?? []);
  const text = [message.content, ...parts.map(({ content }) => content)].filter(Boolean).join("\n");
  const words = h("div", {}, markdown(text, namesFor(message, desk)));
  for (const block of words.querySelectorAll("pre")) block.remove();
  for (const end of words.querySelectorAll("br, p, li, pre, h3, h4, h5")) end.after("\n");
  const shown = [...(message.attachments ?? []), ...parts.flatMap(({ items }) => items ?? [])];
  const pictures = shown.flatMap(({ description }) => description?.split(/(?<=\.)\s/) ?? []);
  return [...words.textContent.split("\n"), ...pictures].map((line) => line.replace(/\s+/g, " ").trim()).filter(Boolean);
}

/** Returns the components with those inside of them. @param {any[]} components @returns {any[]} */
function partsOf(components) {
  return components.flatMap((part) => [part, ...partsOf(part.components ?? [])]);
}
