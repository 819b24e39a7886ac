// The bottom line: plain words, or a slash command.
import { Refused, call } from "./api.js";
import { CommandForm, entriesFor } from "./commandform.js";
import { fill, h, icon } from "./dom.js";
import { Suggestions } from "./suggestions.js";
import { refusal, t } from "./words.js";

/** @typedef {import("./commandform.js").Entry} Entry */

export class Composer {
  /** @param {import("./world.js").World} world */
  constructor(world) {
    this.world = world;
    /** @type {import("./world.js").Channel | undefined} */
    this.channel = undefined;
    /** @type {CommandForm | null} */
    this.form = null;
    /** @type {Map<string, string>} what was typed and not sent, by person and channel */
    this.drafts = new Map();
    this.sending = false;
    this.again = "";
    this.suggestions = new Suggestions();
    this.text = h("textarea", {
      rows: 1,
      id: "words",
      maxlength: 2000,
      "aria-autocomplete": "list",
      oninput: () => this.typed(),
      onfocus: () => this.palette(),
      onkeydown: (/** @type {KeyboardEvent} */ event) => this.key(event),
      onblur: () => this.suggestions.left(this.text),
    });
    this.slash = h(
      "button",
      { type: "button", class: "round slash", onclick: () => this.openPalette() },
      "/",
    );
    this.sendButton = h(
      "button",
      { type: "button", class: "round send", onclick: () => this.send() },
      icon("send"),
    );
    this.problem = h("p", { class: "problem", role: "alert" });
    this.line = h("div", { class: "composer-line" });
    this.element = h("div", { class: "composer" }, this.suggestions.element, this.problem, this.line);
    this.relabel();
  }

  /** The words of the page's language. */
  relabel() {
    this.slash.setAttribute("aria-label", t("commands"));
    this.slash.title = t("commands");
    this.sendButton.setAttribute("aria-label", t("send"));
    this.show();
  }

  /** @param {import("./world.js").Channel | undefined} channel */
  open(channel) {
    const same = channel?.id === this.channel?.id && this.owner === this.world.me.id;
    this.channel = channel;
    if (!same) {
      this.owner = this.world.me.id;
      this.form = null;
      this.complain("");
      this.text.value = this.drafts.get(this.draftKey) ?? "";
    }
    this.show();
  }

  /**
   * Starts a command as if it had been typed; returns false if it does not exist here.
   *
   * @param {string} name
   * @param {string} [preset]
   * @param {boolean} [send]  also sends it, unless something is missing
   */
  start(name, preset = "", send = false) {
    const entry =
      this.entries.find((candidate) => candidate.name === name) ??
      this.entries.find((candidate) => candidate.name.startsWith(`${name} `));
    if (!entry) {
      this.complain(t("noSuchCommand", { command: name }));
      return false;
    }
    this.take(entry, preset);
    if (send) this.send();
    return true;
  }

  /** Focuses the field that takes text. */
  focus() {
    if (!this.form) this.text.focus();
    else if (!this.form.focus()) this.sendButton.focus();
  }

  /** The same for a letter that was typed elsewhere: a command without fields gets one. */
  focusToType() {
    this.form?.openField();
    this.focus();
  }

  get entries() {
    return this.channel ? entriesFor(this.world.commands, this.channel) : [];
  }

  get draftKey() {
    return `${this.world.me.id}/${this.channel?.id}`;
  }

  show() {
    const able = this.channel?.can_write ?? false;
    this.text.disabled = !able;
    this.slash.disabled = !able;
    const place = this.channel?.type === "text" ? `#${this.channel.name}` : (this.channel?.name ?? "");
    this.text.placeholder = able ? t("writeBriefly") : t("cannotWrite");
    this.text.setAttribute("aria-label", able ? t("writeHere", { channel: place }) : t("cannotWrite"));
    if (this.form) {
      if (!this.line.contains(this.form.element)) fill(this.line, this.form.element, this.sendButton);
    } else if (!this.line.contains(this.text)) fill(this.line, this.slash, this.text, this.sendButton);
    this.sendButton.disabled = this.sending || (!this.form && this.text.value.trim() === "");
    this.fit();
  }

  typed() {
    this.drafts.set(this.draftKey, this.text.value);
    this.complain("");
    const typed = this.text.value.startsWith("/") ? this.entryTyped(this.text.value.slice(1)) : null;
    if (typed) {
      this.take(typed.entry, typed.rest);
      return;
    }
    this.show();
    this.palette();
  }

  /**
   * The command that a text names in full with a space after it, and what follows.
   *
   * @param {string} text
   */
  entryTyped(text) {
    const lower = text.toLowerCase();
    for (const entry of this.entries) {
      const name = [entry.name, entry.label].find((spelling) => lower.startsWith(`${spelling} `));
      if (name !== undefined) return { entry, rest: text.slice(name.length + 1) };
    }
    return null;
  }

  openPalette() {
    if (!this.text.value.startsWith("/")) this.text.value = "/";
    this.text.focus();
    this.typed();
  }

  /** The list of commands while the text begins with a slash. */
  palette() {
    if (!/^\/[^\n]*$/.test(this.text.value)) {
      this.suggestions.hide(this.text);
      return;
    }
    const wanted = this.text.value.slice(1).trim().toLowerCase();
    const entries = this.entries;
    const begins = entries.filter(({ name, label }) => name.startsWith(wanted) || label.startsWith(wanted));
    const within = entries.filter((entry) => !begins.includes(entry) && entry.name.includes(` ${wanted}`));
    // `/move` typed in full is `/move`, although `/game move-here` stands before it in the alphabet.
    const choices = [...begins, ...within].map((entry) => ({
      label: `/${entry.label}`,
      hint: entry.description,
      value: entry,
    }));
    const empty = this.world.bot.online ? t("nothingFound") : t("botOffline", { name: this.world.bot.name });
    this.suggestions.show(this.text, {
      title: choices.length ? t("commands") : empty,
      choices,
      active: choices.length ? 0 : -1,
      // Enter sends what needs nothing more; Tab, a blank and a press open the form, where options can be added.
      pick: ({ value: entry }, key) =>
        key === "Enter" && isComplete(entry) ? this.sendAtOnce(entry) : this.take(entry, ""),
    });
  }

  /** @param {Entry} entry */
  sendAtOnce(entry) {
    this.take(entry, null);
    return this.send();
  }

  /** @param {Entry} entry @param {string | null} preset  null leaves all fields shut */
  take(entry, preset) {
    this.suggestions.hide();
    this.text.value = "";
    this.drafts.delete(this.draftKey);
    this.complain("");
    this.form = new CommandForm(entry, {
      suggestions: this.suggestions,
      world: this.world,
      complete: (form, focused, signal) => this.complete(form, focused, signal),
      submit: () => this.send(),
      leave: (text) => this.leave(text),
    });
    if (preset !== null) this.form.preset(preset);
    this.show();
    this.focus();
  }

  /** @param {string} text */
  leave(text) {
    const at = document.activeElement ?? document.body;
    const isElsewhere = at !== document.body && !this.element.contains(at);
    this.suggestions.hide();
    this.form = null;
    this.text.value = text;
    this.show();
    if (!isElsewhere) this.text.focus(); // the bot's answer may have taken the focus before the server's came
  }

  /** Whether the focus is here and nothing is being typed. @param {Element | null} focused */
  isIdle(focused) {
    return this.element.contains(focused) && (this.form ? this.sending : this.text.value === "");
  }

  /** @param {CommandForm} form @param {string} focused @param {AbortSignal} signal */
  complete({ entry, typed }, focused, signal) {
    return call(
      "POST",
      `${this.place}/autocomplete`,
      { command_id: entry.id, path: entry.path, options: typed, focused },
      signal,
    );
  }

  get place() {
    return `/app/people/${this.world.me.id}/channels/${this.channel?.id}`;
  }

  async send() {
    if (this.sending) {
      this.again = this.form ? "" : this.draftKey; // followed by what was written in the meantime
      return;
    }
    this.sending = true;
    try {
      await (this.form ? this.run(this.form) : this.say());
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      (this.form ?? this).complain(refusal(error));
    } finally {
      this.sending = false;
      this.show();
    }
    const again = this.again;
    this.again = "";
    if (again === this.draftKey && !this.form) await this.send();
  }

  /** @param {CommandForm} form */
  async run(form) {
    const options = form.read();
    if (!options) return;
    // As Discord's own client does: a command wakes the thread before it is sent.
    if (this.channel?.archived) await call("PATCH", `/app/channels/${this.channel.id}`, { archived: false });
    await call("POST", `${this.place}/commands`, {
      command_id: form.entry.id,
      path: form.entry.path,
      options,
    });
    if (this.form === form) this.leave("");
  }

  async say() {
    const content = this.text.value.trim();
    if (!content) return;
    if (content.startsWith("/")) {
      this.complain(t("noSuchCommand", { command: content.slice(1) }));
      return;
    }
    const key = this.draftKey;
    await call("POST", `${this.place}/messages`, { content });
    // Removes only what was sent: the person may have written more in the meantime.
    if (this.drafts.get(key)?.trim() === content) this.drafts.delete(key);
    if (key === this.draftKey && this.text.value.trim() === content) this.text.value = "";
    this.suggestions.hide();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (this.suggestions.takes(event) || event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.send();
  }

  /** @param {string} sentence */
  complain(sentence) {
    this.problem.textContent = sentence;
  }

  /** The field is as high as its text, up to what CSS allows. */
  fit() {
    this.text.style.height = "auto";
    if (this.text.scrollHeight) this.text.style.height = `${this.text.scrollHeight}px`;
  }
}

/** Returns whether a command can be sent as it is. @param {Entry} entry */
function isComplete({ options }) {
  return !options.some(({ required }) => required);
}
