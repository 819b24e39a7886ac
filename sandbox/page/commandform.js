// The form of a slash command: its required options as fields, the others as buttons that add them.
import { fill, h, icon } from "./dom.js";
import { Field } from "./fields.js";
import { t } from "./words.js";

/** @typedef {import("./fields.js").Option} Option */
/**
 * A command that can be run: one without subcommands, or a subcommand.
 *
 * @typedef {object} Entry
 * @property {string} id  of the command
 * @property {string[]} path  the name of the subcommand, if it is one
 * @property {string} name  all names in a row, as they are sent
 * @property {string} label  the same in the reader's language
 * @property {string} description
 * @property {Option[]} options
 */

/** @typedef {import("./fields.js").Suggested} Suggested */
/**
 * What a form asks of the composer.
 *
 * @typedef {object} FormHost
 * @property {import("./suggestions.js").Suggestions} suggestions
 * @property {import("./world.js").World} world
 * @property {(form: CommandForm, focused: string, signal: AbortSignal) => Promise<Suggested>} complete
 * @property {() => void} submit
 * @property {(text: string) => void} leave  the text to go on with in the plain field
 */

/**
 * Every command that may be used in `channel`, also those of the menu on people.
 *
 * @param {any[]} commands
 * @param {import("./world.js").Channel} channel
 */
export function usable(commands, channel) {
  return commands.filter(
    (command) =>
      (channel.guild_id === null ? command.dm : command.server && isFor(command, channel.guild_id)) &&
      (channel.has_bot || command.installed),
  );
}

/** Whether the command is for the reader in that server. @param {any} command @param {string} guildId */
function isFor({ allowed_in: servers }, guildId) {
  return servers === null || servers.includes(guildId);
}

/**
 * Every runnable command that may be typed in `channel`.
 *
 * @param {any[]} commands
 * @param {import("./world.js").Channel} channel
 * @returns {Entry[]}
 */
export function entriesFor(commands, channel) {
  return usable(commands, channel)
    .filter((command) => !command.on_people)
    .flatMap((command) =>
      runnable(command, { id: command.id, path: [], name: command.name, label: command.label }),
    );
}

/**
 * @param {any} node
 * @param {{ id: string, path: string[], name: string, label: string }} sofar
 * @returns {Entry[]}
 */
function runnable(node, sofar) {
  const below = node.options.filter((/** @type {any} */ option) => option.type === "subcommand");
  if (!below.length) return [{ ...sofar, description: node.description, options: node.options }];
  return below.flatMap((/** @type {any} */ option) =>
    runnable(option, {
      id: sofar.id,
      path: [...sofar.path, option.name],
      name: `${sofar.name} ${option.name}`,
      label: `${sofar.label} ${option.label}`,
    }),
  );
}

export class CommandForm {
  /**
   * @param {Entry} entry
   * @param {FormHost} host
   */
  constructor(entry, host) {
    this.entry = entry;
    /** @type {FormHost} */
    this.host = host;
    /** @type {Field[]} */
    this.fields = [];
    this.row = h("div", { class: "fields" });
    this.more = h("div", { class: "optional" });
    this.problem = h("p", { class: "problem", role: "alert" });
    const leave = h(
      "button",
      {
        type: "button",
        class: "round small",
        "aria-label": t("leaveCommand"),
        onclick: () => host.leave(""),
      },
      icon("close"),
    );
    this.element = h(
      "div",
      { class: "command-form", role: "group", "aria-label": `/${entry.label}` },
      h(
        "div",
        { class: "command-head" },
        h("strong", {}, `/${entry.label}`),
        h("span", { class: "soft" }, entry.description),
        leave,
      ),
      this.row,
      this.more,
      this.problem,
    );
    for (const option of entry.options) if (option.required) this.add(option);
    this.offer();
  }

  /** Focuses the first empty field, else the first one; returns whether there is any. */
  focus() {
    const field = this.fields.find((candidate) => candidate.empty) ?? this.fields[0];
    field?.input.focus();
    return Boolean(field);
  }

  /** Where there is no field, opens that of the first option: what is typed there may name another one. */
  openField() {
    if (this.fields.length || !this.entry.options.length) return;
    this.add(this.entry.options[0]);
    this.offer();
  }

  /** The options typed so far, by name, as the bot's autocomplete gets them. */
  get typed() {
    return Object.fromEntries(
      this.fields.filter((field) => !field.empty).map((field) => [field.option.name, field.typed]),
    );
  }

  /** The options to send, by name; null, with a message to the reader, if one is missing or wrong. */
  read() {
    this.complain("");
    /** @type {Record<string, any>} */
    const options = {};
    for (const field of this.fields) {
      field.mark(false);
      if (field.empty && !field.option.required) continue;
      try {
        if (field.empty) throw new RangeError(t("optionMissing", { option: field.option.label }));
        options[field.option.name] = field.value;
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        field.mark(true);
        field.input.focus();
        this.complain(error.message);
        return null;
      }
    }
    return options;
  }

  /** @param {string} sentence */
  complain(sentence) {
    this.problem.textContent = sentence;
  }

  /**
   * Puts `text` into the first option, as when a command is typed in one go. An option with
   * suggestions is opened even if nothing is typed after the blank.
   *
   * @param {string} text
   */
  preset(text) {
    const first = this.entry.options[0];
    if (!first || !(text || first.autocomplete)) return;
    const field = this.fields.find((candidate) => candidate.option === first) ?? this.add(first);
    if (text) {
      field.type(text);
      this.spread(field);
    }
    this.offer();
  }

  /**
   * Text typed into a field continues in the fields that it names, as bots write commands: "12 public:True".
   *
   * @param {Field} field
   */
  spread(field) {
    if (field.picked) return;
    const taken = this.fields.filter((other) => other !== field && !other.empty).map(({ option }) => option);
    const names = this.entry.options.filter((option) => !taken.includes(option));
    const [before, ...named] = partsOf(field.input.value, names);
    if (!named.length) return;
    field.type(before);
    let last = field;
    for (const { option, text } of named) {
      last = this.fields.find((candidate) => candidate.option === option) ?? this.add(option);
      last.type(text);
    }
    if (field.empty && !field.option.required && last !== field) {
      this.fields.splice(this.fields.indexOf(field), 1);
      field.element.remove();
    }
    this.offer();
    last.input.focus();
  }

  /** @param {Option} option */
  add(option) {
    /** @type {Field} */
    const field = new Field(option, {
      suggestions: this.host.suggestions,
      world: this.host.world,
      complete: (asking, signal) => this.host.complete(this, asking.option.name, signal),
      changed: () => {
        this.complain("");
        this.spread(field);
      },
      picked: (taken, key) => this.goOn(taken, key),
      entered: () => this.host.submit(),
      removed: (leaving) => this.remove(leaving),
      left: () => this.host.leave(""),
    });
    this.fields.push(field);
    this.row.append(field.element);
    return field;
  }

  /**
   * Goes on to the next empty field. Enter on a choice that completes the command sends it: a suggestion of the bot's
   * may be only a beginning, a choice from a list is not.
   *
   * @param {Field} taken
   * @param {string} [key]
   */
  goOn({ option }, key) {
    const empty = this.fields.find((candidate) => candidate.empty);
    if (empty) empty.input.focus();
    else if (key === "Enter" && !option.autocomplete && this.fields.length === this.entry.options.length)
      this.host.submit();
  }

  /** @param {Field} field */
  remove(field) {
    const at = this.fields.indexOf(field);
    if (field.option.required) {
      const before = this.fields[at - 1];
      if (before) before.input.focus();
      else this.host.leave(`/${this.entry.name}`);
      return;
    }
    this.fields.splice(at, 1);
    field.element.remove();
    this.offer();
    const neighbour = this.fields[Math.max(0, at - 1)];
    if (neighbour) neighbour.input.focus();
    else this.more.querySelector("button")?.focus();
  }

  /** The options that have no field yet. */
  offer() {
    const missing = this.entry.options.filter(
      (option) => !this.fields.some((field) => field.option === option),
    );
    fill(
      this.more,
      missing.map((option) => {
        const add = () => {
          const field = this.add(option);
          this.offer();
          field.input.focus();
        };
        return h(
          "button",
          { type: "button", class: "chip", title: option.description, onclick: add },
          `+ ${option.label}`,
        );
      }),
    );
  }
}

/**
 * Returns the text before the first option named in it, and each named option with the text after its name.
 *
 * @param {string} text
 * @param {Option[]} options
 * @returns {[string, ...{ option: Option, text: string }[]]}
 */
function partsOf(text, options) {
  const spellings = options.flatMap(({ name, label }) => [name, label.toLowerCase()]);
  if (!spellings.length) return [text];
  const [before, ...named] = text.split(new RegExp(`(?:^|\\s+)(${spellings.join("|")}):\\s*`, "iu"));
  /** @type {{ option: Option, text: string }[]} */
  const parts = [];
  for (let at = 0; at < named.length; at += 2) {
    const name = named[at].toLowerCase();
    const option = options.find((one) => one.name === name || one.label.toLowerCase() === name);
    if (option) parts.push({ option, text: named[at + 1] });
  }
  return [before, ...parts];
}
