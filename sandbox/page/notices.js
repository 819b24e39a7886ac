// The page's own messages: the line on top while server or bot is away, short notices, and what screen readers
// announce.
import { h, icon } from "./dom.js";
import { markdown } from "./markdown.js";
import { namesFor } from "./message.js";
import { t } from "./words.js";

const TOAST_SHOWN = 6_000;

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
    this.announcer = h("p", { class: "unseen-text", "aria-live": "polite" });
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
   * Announces a new message to screen readers.
   *
   * @param {import("./world.js").Message} message
   * @param {boolean} here  in the open channel
   */
  announce(message, here) {
    const name = message.author.name;
    const place = here ? "" : `#${this.world.channels.get(message.channel_id)?.name ?? ""} `;
    const words =
      message.state === "thinking"
        ? t("thinking", { name })
        : `${name}: ${plain(message, this.desk)} ${picturesOf(message)}`;
    this.announcer.textContent = place + words;
  }
}

/**
 * Returns the message's text for screen readers, with spaces between its lines.
 *
 * @param {import("./world.js").Message} message
 * @param {import("./message.js").Desk} desk
 */
function plain(message, desk) {
  const words = h("div", {}, markdown(message.content, namesFor(message, desk)));
  for (const end of words.querySelectorAll("br, p, li, pre, h3, h4, h5")) end.after(" ");
  return words.textContent.replace(/\s+/g, " ").trim();
}

/** @param {import("./world.js").Message} message */
function picturesOf(message) {
  const attachments = /** @type {{ description: string | null }[]} */ (message.attachments ?? []);
  return attachments.map(({ description }) => description ?? "").join(" ");
}
