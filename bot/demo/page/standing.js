// The state of a channel's games, read from the buttons of its messages: the bot removes the buttons of a message
// that is no longer the newest of its game.

/** @typedef {import("/page/world.js").Message} Message */
/**
 * @typedef {{ game: string, ply: number, message: Message, person: string }} Turn  person: the id of who is to move
 * @typedef {{ turns: Turn[], tables: Message[], last?: { message: Message, over: boolean } }} Standing  the newest
 *   first; tables: those with a free seat; last: the newest board that has buttons
 */

/** The custom ids of the bot's buttons name their act: "rt-press:open:7:12:-:" opens game 7 at its 12th board. */
const BUTTON = /^(?:rt|rt-press):([a-z-]+):(\d+):(\d+):/;

/** @param {Message[]} messages  oldest first @returns {Standing} */
export function standing(messages) {
  /** @type {Map<string, Turn>} */
  const turns = new Map();
  const tables = [];
  let last;
  for (const message of [...messages].reverse()) {
    if (message.ephemeral || !message.author.bot) continue;
    const buttons = buttonsOf(message.components ?? []);
    if (buttons.some(({ name }) => name === "join")) tables.push(message);
    const isOver = buttons.some(({ name }) => name === "rematch");
    if (isOver || buttons.some(({ name }) => name === "more" || name.startsWith("vote-"))) last ??= { message, over: isOver };
    const opened = buttons.find(({ name }) => name === "open");
    // The player who moved is named without a mention; the one mention at the end calls the next.
    const person = [...message.content.matchAll(/<@!?(\d+)>/g)].pop()?.[1];
    if (opened && person && !turns.has(opened.game)) turns.set(opened.game, { ...opened, message, person });
  }
  return { turns: [...turns.values()], tables, last };
}

/**
 * Returns whether a public post calls the person or gives them a seat.
 *
 * @param {Message} message
 * @param {{ id: string, name: string }} person
 */
export function speaksOf({ author, ephemeral, content }, { id, name }) {
  if (!author.bot || ephemeral) return false;
  const seats = [...content.matchAll(/^\d+\. (.*)$/gm)].map(([, seat]) => seat.split(/, | · /)[0]);
  return content.includes(`<@${id}>`) || seats.includes(name);
}

/**
 * Returns whether the person can take a seat: one reserved for them, or a free one. Each seat has a numbered line, the
 * host's first; a taken seat has only the name and how reliable they are, a free one a word in italics.
 *
 * @param {Message} table
 * @param {{ id: string, name: string }} person
 */
export function mayJoin(table, { id, name }) {
  const seats = [...table.content.matchAll(/^\d+\. (.*)$/gm)].map(([, seat]) => seat.replace("<@!", "<@"));
  const [host = "", ...others] = seats;
  const names = [name, `<@${id}>`]; // a mention where it notifies
  /** @param {string} seat */
  const isNamed = (seat) => names.some((called) => seat.startsWith(`${called},`));
  /** @param {string} seat */
  const isTaken = (seat) => names.some((called) => seat === called || seat.startsWith(`${called} · `));
  if (isNamed(host) || others.some(isTaken)) return false;
  return others.some((seat) => isNamed(seat) || /^\*[^*]+\*$/.test(seat));
}

/** @param {any[]} components @returns {{ name: string, game: string, ply: number }[]} */
function buttonsOf(components) {
  return components.flatMap((component) => {
    if (component.components) return buttonsOf(component.components);
    const [, name, game, ply] = BUTTON.exec(component.custom_id ?? "") ?? [];
    return name && !component.disabled ? [{ name, game, ply: Number(ply) }] : [];
  });
}
