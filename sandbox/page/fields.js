// One option of a slash command: a field with a name, and the list of its possible values.
import { avatar } from "./avatar.js";
import { h, icon } from "./dom.js";
import { t } from "./words.js";

/** @typedef {import("./suggestions.js").Choice} Choice */
/** @typedef {import("./suggestions.js").Suggestions} Suggestions */
/**
 * One of the app API's options.
 *
 * @typedef {object} Option
 * @property {string} name  as it is sent
 * @property {string} label  the same in the reader's language
 * @property {string} description
 * @property {string} type
 * @property {boolean} required
 * @property {boolean} autocomplete
 * @property {{ name: string, value: any }[]} choices
 * @property {number | null} min_value
 * @property {number | null} max_value
 * @property {number | null} min_length
 * @property {number | null} max_length
 */
/**
 * @typedef {{ choices: { name: string, value: any }[], failed: boolean }} Suggested  what the bot proposes for an option
 */
/**
 * What a field needs from its form.
 * @typedef {object} FieldHost
 * @property {Suggestions} suggestions
 * @property {import("./world.js").World} world
 * @property {(field: Field, signal: AbortSignal) => Promise<Suggested>} complete
 * @property {() => void} changed  what was complained of may be mended
 * @property {(field: Field, key?: string) => void} picked  a choice was taken, perhaps by a key
 * @property {() => void} entered  Enter, and no choice was meant
 * @property {(field: Field) => void} removed  Backspace in an empty field, or its cross
 * @property {() => void} left  Escape
 */

const DEBOUNCE = 140;

export class Field {
  /** @param {Option} option @param {FieldHost} host */
  constructor(option, host) {
    this.option = option;
    this.host = host;
    /** @type {Choice | null} */
    this.picked = null;
    this.timer = 0;
    /** @type {AbortController | null} the question under way; only the newest one may answer */
    this.question = null;
    const lists = option.autocomplete || isStrict(option);
    this.input = h("input", {
      type: "text",
      autocomplete: "off",
      spellcheck: "false",
      size: 8,
      "aria-required": String(option.required),
      "aria-label": `${option.label}: ${option.description}`,
      inputmode: option.type === "integer" ? "numeric" : null,
      role: lists ? "combobox" : null,
      "aria-autocomplete": lists ? "list" : null,
      "aria-expanded": lists ? "false" : null,
      data: { option: option.name },
      oninput: () => this.changed(),
      onfocus: () => this.suggest(0),
      onclick: () => host.suggestions.owner === this.input || this.suggest(0),
      onblur: () => this.blurred(),
      onkeydown: (/** @type {KeyboardEvent} */ event) => this.key(event),
    });
    const cross = option.required
      ? null
      : h(
          "button",
          {
            type: "button",
            class: "cross",
            "aria-label": t("removeOption", { option: option.label }),
            onclick: () => host.removed(this),
          },
          icon("close"),
        );
    this.element = h(
      "label",
      { class: "field", title: option.description },
      h("span", { class: "field-name" }, option.label),
      this.input,
      cross,
    );
  }

  get empty() {
    return this.input.value.trim() === "";
  }

  /** What to send. Throws a RangeError with a sentence for the reader. */
  get value() {
    if (this.picked) return this.picked.value;
    const text = this.input.value.trim();
    if (isStrict(this.option)) return this.strictValue(text);
    if (this.option.type === "integer") return numberValue(text, this.option);
    const { min_length: least, max_length: most, label } = this.option;
    if (least !== null && least !== undefined && text.length < least)
      throw new RangeError(t("tooShort", { option: label, min: least }));
    if (most !== null && most !== undefined && text.length > most)
      throw new RangeError(t("tooLong", { option: label, max: most }));
    return text;
  }

  /** The value typed so far, for the bot's suggestions for this or another field. */
  get typed() {
    try {
      return this.value;
    } catch {
      return this.input.value.trim();
    }
  }

  /** @param {string} text */
  type(text) {
    this.input.value = text;
    this.picked = null;
    this.fit();
  }

  /** @param {boolean} wrong */
  mark(wrong) {
    this.element.classList.toggle("wrong", wrong);
    this.input.setAttribute("aria-invalid", String(wrong));
  }

  /** @param {string} text */
  strictValue(text) {
    const choices = localChoices(this.option, this.host);
    const choice = choices.find(
      // A bot names choices by the values that are sent, in any language of the page.
      ({ label, value }) =>
        [label.toLowerCase(), String(value)].includes(text.toLowerCase().replace(/^@/, "")),
    );
    if (!choice) throw new RangeError(t("chooseFromList", { option: this.option.label }));
    return choice.value;
  }

  changed() {
    this.picked = null;
    this.mark(false);
    this.fit();
    this.suggest(DEBOUNCE);
    this.host.changed(); // last: it may take the focus on to another field
  }

  /** @param {number} delay before the bot is asked */
  suggest(delay) {
    clearTimeout(this.timer);
    this.question?.abort();
    if (this.picked) return;
    if (this.option.autocomplete) {
      this.host.suggestions.stale(this.input);
      this.timer = setTimeout(() => this.ask(), delay);
    } else if (isStrict(this.option)) {
      const choices = matching(localChoices(this.option, this.host), this.input.value);
      this.show(choices, 0);
    } else this.host.suggestions.say(this.input, this.option.description);
  }

  /** Asks the bot for suggestions, and shows them unless the text has changed in the meantime. */
  async ask() {
    const question = new AbortController();
    this.question = question;
    const { suggestions } = this.host;
    if (suggestions.owner !== this.input && !this.picked) suggestions.say(this.input, t("loading"));
    let answer = { choices: /** @type {Option["choices"]} */ ([]), failed: true };
    try {
      answer = await this.host.complete(this, question.signal);
    } catch {
      // An aborted question has no answer to show; a lost one counts as failed.
    }
    if (question.signal.aborted || document.activeElement !== this.input) return;
    const further = answer.choices.some(({ value }) => value !== this.picked?.value);
    if (this.picked && !further) suggestions.hide(this.input);
    else if (answer.failed) suggestions.say(this.input, t("suggestionsFailed"));
    else this.offer(answer.choices.map(({ name, value }) => ({ label: name, value })));
  }

  /**
   * Shows what the bot suggests. Enter takes the only row, or the first while nothing is typed into a field
   * that must be filled; otherwise it takes the text as typed.
   *
   * @param {Choice[]} choices
   */
  offer(choices) {
    const typed = this.input.value.trim().toLowerCase();
    const only = choices.length === 1 && choices[0].label.toLowerCase() !== typed;
    const wanted = only || (this.empty && this.option.required);
    this.show(choices, wanted && !this.picked ? 0 : -1);
  }

  /** @param {Choice[]} choices @param {number} active */
  show(choices, active) {
    const title = choices.length
      ? this.option.description
      : `${this.option.description} · ${t("nothingFound")}`;
    this.host.suggestions.show(this.input, {
      title,
      choices,
      active: choices.length ? active : -1,
      pick: (choice, key) => this.take(choice, key),
    });
  }

  /** @param {Choice} choice @param {string} [key] */
  take(choice, key) {
    clearTimeout(this.timer);
    this.question?.abort();
    this.input.value = choice.label;
    this.picked = choice;
    this.mark(false);
    this.host.changed();
    this.fit();
    this.host.suggestions.hide(this.input);
    this.host.picked(this, key);
    // A choice may be a beginning, such as the first leg of a move: the bot is asked how it continues.
    if (this.option.autocomplete && document.activeElement === this.input) this.ask();
  }

  blurred() {
    clearTimeout(this.timer);
    this.question?.abort();
    this.host.suggestions.left(this.input);
    if (this.picked || this.empty || !isStrict(this.option)) return;
    const choices = matching(localChoices(this.option, this.host), this.input.value);
    if (choices.length !== 1) return;
    this.picked = choices[0];
    this.input.value = choices[0].label;
    this.fit();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (this.host.suggestions.takes(event) || event.isComposing) return;
    if (event.key === "Enter") this.host.entered();
    else if (event.key === "Backspace" && this.input.value === "") this.host.removed(this);
    else if (event.key === "Escape") this.host.left();
    else return;
    event.preventDefault();
  }

  /** Makes the field as wide as its text. */
  fit() {
    this.input.size = Math.min(40, Math.max(8, this.input.value.length + 1));
  }
}

/** Whether only a choice from the list will do. @param {Option} option */
function isStrict(option) {
  return option.choices?.length > 0 || ["boolean", "user"].includes(option.type);
}

/** @param {Option} option @param {FieldHost} host @returns {Choice[]} */
function localChoices(option, { world }) {
  if (option.choices?.length) return option.choices.map(({ name, value }) => ({ label: name, value }));
  if (option.type === "boolean")
    return [
      { label: t("yes"), value: true },
      { label: t("no"), value: false },
    ];
  if (option.type === "user") {
    // The reader last: an option usually asks for another person.
    const others = world.people.filter((person) => person.id !== world.me.id);
    return [...others, world.me].map((person) => ({
      label: person.name,
      value: person.id,
      face: avatar(person, "small"),
    }));
  }
  return [];
}

/**
 * Those that begin with the text first, then those that have it somewhere.
 *
 * @param {Choice[]} choices
 * @param {string} text
 */
function matching(choices, text) {
  const wanted = text.trim().toLowerCase().replace(/^@/, "");
  const starts = choices.filter(({ label }) => label.toLowerCase().startsWith(wanted));
  const holds = choices.filter(
    ({ label }) => !starts.some((choice) => choice.label === label) && label.toLowerCase().includes(wanted),
  );
  return [...starts, ...holds];
}

/** @param {string} text @param {Option} option */
function numberValue(text, { label, min_value: least, max_value: most }) {
  const value = Number(text);
  if (!/^[+-]?\d+$/.test(text)) throw new RangeError(t("notANumber", { option: label }));
  if (least !== null && least !== undefined && value < least)
    throw new RangeError(t("tooLow", { option: label, min: least }));
  if (most !== null && most !== undefined && value > most)
    throw new RangeError(t("tooHigh", { option: label, max: most }));
  return value;
}
