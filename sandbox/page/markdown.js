// Discord's markdown as DOM nodes. Patterns follow Discord's own client (simple-markdown); what matches none
// is plain text.
import { h } from "./dom.js";
import { timeElement } from "./times.js";
import { t } from "./words.js";

/**
 * The names that a text refers to, and the acts of its links; given by the caller.
 * @typedef {object} Names
 * @property {(id: string) => string | undefined} person
 * @property {(id: string) => string | undefined} channel
 * @property {string} me  the reader's id: mentions of the reader stand out
 * @property {(id: string) => void} openChannel
 * @property {(channelId: string, id: string) => void} openMessage
 * @property {(name: string) => void} useCommand
 */

/**
 * @typedef {(Node | string)[] | Node | string} Made
 * @typedef {{ pattern: RegExp, make: (match: RegExpExecArray, names: Names) => Made }} Rule
 */

const MAX_LIST_DEPTH = 10;
/** Where Discord has a channel, or a message of it. */
const PLACE = /^https:\/\/(?:\w+\.)?discord\.com\/channels\/(?:\d+|@me)\/(\d+)(?:\/(\d+))?$/;
const LONGEST_WHOLE = 30;

/** A text as block elements. @param {string} text @param {Names} names @returns {Node[]} */
export function markdown(text, names) {
  const blocks = [];
  let rest = text.replace(/\r\n?/g, "\n").trim();
  while (rest) {
    const [block, used] = nextBlock(rest, names);
    blocks.push(block);
    rest = rest.slice(used);
  }
  return blocks;
}

/**
 * A text on one line: no headings, lists or code blocks.
 *
 * @param {string} text
 * @param {Names} names
 * @returns {(Node | string)[]}
 */
export function inline(text, names) {
  /** @type {(Node | string)[]} */
  const nodes = [];
  let at = 0;
  while (at < text.length) {
    const [made, end] = nextInline(text, at, names);
    nodes.push(...(Array.isArray(made) ? made : [made]));
    at = end;
  }
  return nodes;
}

/** @param {string} rest @param {Names} names @returns {[Node, number]} */
function nextBlock(rest, names) {
  const fence = /^```(?:([\w+-]+)?\n)?([\s\S]*?)\n?```\n?/.exec(rest);
  if (fence) return [codeBlock(fence[2]), fence[0].length];
  const longQuote = /^>>> ([\s\S]*)/.exec(rest);
  if (longQuote) return [h("blockquote", {}, markdown(longQuote[1], names)), rest.length];
  const quote = /^(?:> [^\n]*(?:\n|$))+/.exec(rest);
  if (quote)
    return [
      h("blockquote", {}, markdown(quote[0].replace(/^> /gm, "").replace(/\n$/, ""), names)),
      quote[0].length,
    ];
  const heading = /^(#{1,3}) +([^\n]+)(?:\n|$)/.exec(rest);
  // The page has its own h1 and h2: a message's largest heading is the third level for those who read by
  // headings.
  if (heading)
    return [
      h(`h${heading[1].length + 2}`, { class: `md-h${heading[1].length}` }, inline(heading[2], names)),
      heading[0].length,
    ];
  const small = /^-# +([^\n]+)(?:\n|$)/.exec(rest);
  if (small) return [h("p", { class: "subtext" }, inline(small[1], names)), small[0].length];
  const list = /^(?: *(?:[-*]|\d{1,9}\.) +[^\n]+(?:\n|$)(?: {2,}(?! *(?:[-*]|\d+\.) )[^\n]+(?:\n|$))*)+/.exec(
    rest,
  );
  if (list) {
    const lines = oneKind(list[0].split("\n").filter(Boolean));
    return [listOf(lines, names, 0), lines.reduce((sum, line) => sum + line.length + 1, 0)];
  }
  const blank = /^\n+/.exec(rest);
  if (blank) return [h("div", { class: "gap" }), blank[0].length];
  const end = paragraphEnd(rest);
  return [h("p", {}, inline(rest.slice(0, end).replace(/\n$/, ""), names)), end];
}

/** Where the paragraph that starts `rest` gives way to a block of another kind. @param {string} rest */
function paragraphEnd(rest) {
  const next = /\n(?=\n|#{1,3} |-# |> |>>> | *(?:[-*]|\d{1,9}\.) +\S)|(?=```[\s\S]*?```)/g;
  next.lastIndex = 1;
  const match = next.exec(rest);
  return match ? match.index + match[0].length : rest.length;
}

/**
 * Returns the lines of one list: it ends where bullets change to numbers, or numbers to bullets.
 *
 * @param {string[]} lines
 */
function oneKind(lines) {
  const numbered = /^\d/.test(lines[0].trim());
  const end = lines.findIndex((line) => /^(?:[-*]|\d+\.) /.test(line) && /^\d/.test(line) !== numbered);
  return end > 0 ? lines.slice(0, end) : lines;
}

/** @param {string[]} lines @param {Names} names @param {number} depth @returns {HTMLElement} */
function listOf(lines, names, depth) {
  const indent = /^ */.exec(lines[0])?.[0].length ?? 0;
  const number = /^ *(\d+)\./.exec(lines[0]);
  /** @type {{ text: string, below: string[] }[]} */
  const items = [];
  for (const line of lines) {
    const item = /^( *)(?:[-*]|\d+\.) +(.*)$/.exec(line);
    if (item && (item[1].length <= indent || depth >= MAX_LIST_DEPTH))
      items.push({ text: item[2], below: [] });
    else if (item) items[items.length - 1].below.push(line);
    else if (items[items.length - 1].below.length) items[items.length - 1].below.push(line);
    else items[items.length - 1].text += `\n${line.trim()}`;
  }
  return h(
    number ? "ol" : "ul",
    { start: number?.[1] },
    items.map(({ text, below }) =>
      h("li", {}, inline(text, names), below.length > 0 && listOf(below, names, depth + 1)),
    ),
  );
}

/** @param {string} text */
function codeBlock(text) {
  // A wide block scrolls sideways, so the keyboard must be able to reach it.
  return h("pre", { tabindex: "0" }, h("code", {}, text));
}

/**
 * @param {string} text
 * @param {number} at
 * @param {Names} names
 * @returns {[(Node | string)[] | Node | string, number]}
 */
function nextInline(text, at, names) {
  for (const { pattern, make } of RULES) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match) return [make(match, names), at + match[0].length];
  }
  return [text[at], at + 1];
}

/** @param {string} tag @returns {Rule["make"]} */
const wrap = (tag) => (match, names) => h(tag, {}, inline(match[1] ?? match[2], names));

/** First match wins, so the longer marks stand before the shorter ones. @type {Rule[]} */
const RULES = [
  { pattern: /[^\\`*_~|<[@h\n]+/y, make: (match) => match[0] },
  { pattern: /\n/y, make: () => h("br") },
  { pattern: /\\([^0-9A-Za-z\s])/y, make: (match) => match[1] },
  {
    pattern: /(`+)([\s\S]*?[^`])\1(?!`)/y,
    make: (match) => codeWords(match[2].replace(/^ (?=.*\S)| $/g, "")),
  },
  { pattern: /\*\*((?:\\[\s\S]|[^\\])+?)\*\*(?!\*)/y, make: wrap("strong") },
  { pattern: /__((?:\\[\s\S]|[^\\])+?)__(?!_)/y, make: wrap("u") },
  {
    pattern:
      /\b_((?:__|\\[\s\S]|[^\\_])+?)_\b|\*(?=\S)((?:\*\*|\\[\s\S]|\s+(?:\\[\s\S]|[^\s*\\]|\*\*)|[^\s*\\])+?)\*(?!\*)/y,
    make: wrap("em"),
  },
  { pattern: /~~(?=\S)([\s\S]*?\S)~~/y, make: wrap("s") },
  { pattern: /\|\|([\s\S]+?)\|\|/y, make: (match, names) => spoiler(inline(match[1], names)) },
  {
    pattern: /\[((?:\\.|[^\][\\\n])+)\]\(<?(https?:\/\/[^\s<>)]+)>?\)/y,
    make: (match, names) => link(match[2], inline(match[1], names), names),
  },
  { pattern: /<(https?:\/\/[^\s<>]+)>/y, make: (match, names) => link(match[1], [match[1]], names) },
  {
    pattern: /https?:\/\/[^\s<]+[^<.,:;"'\]\s)]/y,
    make: (match, names) => link(match[0], [match[0]], names),
  },
  { pattern: /<@!?(\d+)>/y, make: (match, names) => mention(match[1], names) },
  { pattern: /<@&\d+>/y, make: () => h("span", { class: "pill" }, t("role")) },
  { pattern: /<#(\d+)>/y, make: (match, names) => channelMention(match[1], names) },
  { pattern: /<\/([^:<>\n]{1,100}):(\d+)>/y, make: (match, names) => commandMention(match[1], names) },
  {
    pattern: /<t:(-?\d{1,13})(?::([tTdDfFsSR]))?>/y,
    make: (match) => timeElement(new Date(Number(match[1]) * 1000), match[2] ?? "f", "stamp"),
  },
  { pattern: /<a?:(\w{2,32}):\d+>/y, make: (match) => `:${match[1]}:` },
  { pattern: /@(?:everyone|here)\b/y, make: (match) => h("span", { class: "pill" }, match[0]) },
];

/** Code in a line. A move is not torn at its hyphens unless it would not fit on a phone. @param {string} text */
function codeWords(text) {
  return h("code", { class: text.length > LONGEST_WHOLE ? "long" : null }, text);
}

/**
 * A link into the web; to a channel or a message that the reader has here, within the page.
 *
 * @param {string} address
 * @param {(Node | string)[]} label
 * @param {Names} names
 * @param {string | null} [className]
 */
export function link(address, label, names, className = null) {
  // Only web addresses become links: "javascript:…" stays text.
  if (!/^https?:\/\//i.test(address)) return h("span", { class: className }, label);
  const [, channelId, id] = PLACE.exec(address) ?? [];
  if (channelId === undefined || names.channel(channelId) === undefined)
    return h("a", { href: address, target: "_blank", rel: "noopener noreferrer", class: className }, label);
  const follow = (/** @type {MouseEvent} */ event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    if (id === undefined) names.openChannel(channelId);
    else names.openMessage(channelId, id);
  };
  return h("a", { href: `#${channelId}`, class: className, onclick: follow }, label);
}

/** @param {string} id @param {Names} names */
function mention(id, names) {
  return h(
    "span",
    { class: id === names.me ? "pill mine" : "pill", data: { person: id } },
    `@${names.person(id) ?? t("unknownPerson")}`,
  );
}

/** @param {string} id @param {Names} names */
function channelMention(id, names) {
  const name = names.channel(id);
  if (name === undefined) return h("span", { class: "pill" }, `#${t("unknownChannel")}`);
  return h("button", { type: "button", class: "pill", onclick: () => names.openChannel(id) }, name.startsWith("#") ? name : `#${name}`);
}

/** @param {string} name @param {Names} names */
function commandMention(name, names) {
  return h("button", { type: "button", class: "pill", onclick: () => names.useCommand(name) }, `/${name}`);
}

/** @param {(Node | string)[]} hidden */
function spoiler(hidden) {
  const reveal = () => cover.replaceWith(h("span", { class: "revealed" }, hidden));
  const cover = h("button", { type: "button", class: "spoiler", onclick: reveal }, t("spoiler"));
  return cover;
}
