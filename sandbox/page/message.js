// One message: author, time, content and components.
import { avatar } from "./avatar.js";
import { channelItems, componentElements, peopleItems, roleItems } from "./components.js";
import { h, icon } from "./dom.js";
import { attachmentElements } from "./files.js";
import { inline, markdown } from "./markdown.js";
import { timeElement } from "./times.js";
import { t } from "./words.js";

/** @typedef {import("./world.js").World} World */
/** @typedef {import("./world.js").Message} Message */
/** @typedef {import("./world.js").Deed} Deed */
/** What a message knows and may ask for. @typedef {import("./main.js").Acts & { world: World }} Desk */

/**
 * @param {Message} message
 * @param {{ compact: boolean, deed: Deed | undefined, busy: string | null, quoted: Message | undefined }} place
 *   compact: it goes on where its author left off; deed: a press on it that is under way or failed;
 *   quoted: what it replies to
 * @param {Desk} desk
 */
export function messageElement(message, { compact, deed, busy, quoted }, desk) {
  const names = namesFor(message, desk);
  if (message.kind === "thread_created") return threadLine(message, desk);
  const article = h("article", {
    class: "message",
    tabindex: "-1",
    data: { id: message.id },
    "aria-label": spokenHeader(message),
    "aria-busy": busy !== null && "true",
  });
  if (message.ephemeral) article.classList.add("private");
  if (message.pings_me) article.classList.add("calls-me");
  if (compact) article.classList.add("compact");
  const failed = deed?.state === "failed";
  article.append(
    compact ? timeElement(new Date(message.timestamp), "t", "aside soft") : avatar(message.author),
    h(
      "div",
      { class: "message-body" },
      message.interaction && usedLine(message.interaction, desk),
      message.kind === "reply" && message.reply_to && replyLine(quoted, names),
      !compact && header(message),
      message.state === "thinking" ? thinking(message.author.name) : content(message, names, busy, desk),
      failed && h("p", { class: "failed", role: "status" }, icon("alert"), t("interactionFailed")),
      message.thread_id && threadButton(message.thread_id, desk),
      message.ephemeral && privateLine(message, desk),
    ),
  );
  return article;
}

/**
 * A line that only this person sees, while the bot has yet to answer or when it did not.
 *
 * @param {Deed} deed
 * @param {Desk} desk
 */
export function deedElement(deed, desk) {
  const { me, bot } = desk.world;
  const failed = deed.state === "failed";
  const sentence = failed ? t(deed.kind === "command" ? "notAnswered" : "interactionFailed") : t("sending");
  return h(
    "article",
    { class: failed ? "message private" : "message pending", tabindex: "-1" },
    avatar({ ...bot, bot: true }),
    h(
      "div",
      { class: "message-body" },
      usedLine({ person: me, command: deed.command, kind: deed.kind }, desk),
      h(
        "p",
        { class: failed ? "failed" : "soft", role: failed ? "status" : null },
        failed ? icon("alert") : dots(),
        sentence,
      ),
      failed &&
        h(
          "p",
          { class: "only-you" },
          icon("eye"),
          t("onlyYou"),
          " · ",
          linkButton(t("dismiss"), () => desk.world.forgetDeed(deed.id)),
        ),
    ),
  );
}

/** Three pulsing dots. */
function dots() {
  return h("span", { class: "dots", "aria-hidden": "true" }, h("i"), h("i"), h("i"));
}

/** @param {Message} message @param {Desk} desk @returns {import("./markdown.js").Names} */
export function namesFor(message, { world, openChannel, openMessage, useCommand }) {
  return {
    me: world.me.id,
    person: (id) => message.mentions?.[id] ?? (world.me.stranger ? undefined : world.personName(id)),
    channel: (id) => world.channels.get(id)?.name,
    openChannel,
    openMessage,
    useCommand,
  };
}

/** @param {Message} message */
function spokenHeader(message) {
  return `${message.author.name}${message.ephemeral ? `, ${t("onlyYou")}` : ""}`;
}

/** @param {Message} message */
function header(message) {
  return h(
    "header",
    {},
    h("strong", { class: "author", data: { person: message.author.id } }, message.author.name),
    message.author.bot && h("span", { class: "tag" }, t("app")),
    timeElement(new Date(message.timestamp), "t", "soft when"),
  );
}

/**
 * @param {Message} message
 * @param {import("./markdown.js").Names} names
 * @param {string | null} busy
 * @param {Desk} desk
 */
function content(message, names, busy, desk) {
  const { world } = desk;
  const setting = {
    names,
    busy,
    people: peopleItems(world.people),
    channels: (/** @type {number[] | undefined} */ types) =>
      channelItems(world.channelsFor(message.channel_id, types)),
    roles: roleItems(world.rolesFor(message.channel_id)),
    use: (/** @type {string} */ customId, /** @type {string[] | undefined} */ values) =>
      desk.use(message, customId, values),
    kept: (/** @type {any} */ menu) => world.kept(message, menu),
    keep: (/** @type {any} */ menu, /** @type {string[]} */ values) => world.keep(message, menu, values),
  };
  const words = [
    message.content && h("div", { class: "prose" }, markdown(message.content, names)),
    attachmentElements(message.attachments ?? []),
    message.components?.length > 0 &&
      h("div", { class: "components" }, componentElements(message.components, setting)),
  ];
  return [
    h("div", { lang: languageOf(message, desk) }, words),
    message.edited &&
      h("span", { class: "edited soft", title: new Date(message.edited).toLocaleString() }, t("edited")),
  ];
}

/**
 * Returns the bot's language there: the reader's in private, the server's in public. A person's is unknown.
 *
 * @param {Message} message
 * @param {Desk} desk
 */
function languageOf(message, { world, serverLocale }) {
  if (!message.author.bot) return null;
  return message.ephemeral ? world.me.locale : serverLocale();
}

/**
 * @param {{ person: { id: string, name: string }, command: string | null, kind: string }} interaction
 * @param {Desk} desk
 */
function usedLine({ person, command, kind }, desk) {
  const name = h("strong", { data: { person: person.id } }, person.name);
  if (!command || kind !== "command") return null;
  const mention = h(
    "button",
    { type: "button", class: "pill", onclick: () => desk.useCommand(command) },
    `/${command}`,
  );
  return h("p", { class: "used soft" }, icon("reply"), name, ` ${t("used")} `, mention);
}

/** @param {Message | undefined} quoted @param {import("./markdown.js").Names} names */
function replyLine(quoted, names) {
  if (!quoted) return h("p", { class: "used soft" }, icon("reply"), t("earlierMessage"));
  const whole = quoted.content.split("\n")[0];
  // Does not cut within a mention or a timestamp, as half of one means nothing.
  const firstLine = whole.length > 120 ? `${whole.slice(0, 120).replace(/<[^>]*$/, "")}…` : whole || t("picture");
  return h(
    "p",
    { class: "used soft" },
    icon("reply"),
    h("strong", {}, quoted.author.name),
    " ",
    h("span", {}, inline(firstLine, names)),
  );
}

/** @param {string} name */
function thinking(name) {
  return h("p", { class: "soft thinking", role: "status" }, dots(), t("thinking", { name }));
}

/** @param {Message} message @param {Desk} desk */
function privateLine(message, desk) {
  return h(
    "p",
    { class: "only-you" },
    icon("eye"),
    t("onlyYou"),
    " · ",
    linkButton(t("dismiss"), () => desk.dismiss(message)),
  );
}

/** @param {Message} message @param {Desk} desk */
function threadLine(message, desk) {
  const thread = desk.world.channels.get(message.thread_id);
  return h(
    "p",
    { class: "system soft", data: { id: message.id } },
    h("strong", {}, message.author.name),
    ` ${t("startedThread")} `,
    linkButton(thread?.name ?? message.content, () => desk.openChannel(message.thread_id)),
    " ",
    timeElement(new Date(message.timestamp), "t"),
  );
}

/** @param {string} id @param {Desk} desk */
function threadButton(id, desk) {
  const thread = desk.world.channels.get(id);
  if (!thread) return null;
  return h(
    "button",
    { type: "button", class: "thread-link", onclick: () => desk.openChannel(id) },
    icon("reply"),
    thread.name,
    h("span", { class: "soft" }, t("openThread")),
  );
}

/** A post in the list of its forum. @param {import("./world.js").Channel} post @param {Desk} desk */
export function postButton(post, desk) {
  return h(
    "p",
    {},
    h(
      "button",
      { type: "button", class: "thread-link", onclick: () => desk.openChannel(post.id) },
      post.name,
      [...post.tags, post.archived && t("threadArchived")].map(
        (tag) => tag && h("span", { class: "tag" }, tag),
      ),
    ),
  );
}

/** @param {string} words @param {() => void} onclick */
function linkButton(words, onclick) {
  return h("button", { type: "button", class: "link", onclick }, words);
}
