// How the games of a channel stand, as far as its messages tell: read off the buttons that they still carry,
// as the bot takes the buttons from a message that is no longer the newest of its game.

/** @typedef {import("/page/world.js").Message} Message */
/**
 * @typedef {{ game: string, ply: number, message: Message, person: string }} Turn  person: the id of who is to move
 * @typedef {{ turns: Turn[], tables: Message[] }} Standing  the newest first; tables: those with a free seat
 */

/** The bot's buttons carry what they do: "rt:moves:7:12:-" is for the moves in game 7 after 12 plies. */
const BUTTON = /^rt:([a-z-]+):(\d+):(\d+):/;

/** @param {Message[]} messages  oldest first @returns {Standing} */
export function standing(messages) {
  /** @type {Map<string, Turn>} */
  const turns = new Map();
  const tables = [];
  for (const message of [...messages].reverse()) {
    if (message.ephemeral || !message.author.bot) continue;
    const buttons = buttonsOf(message.components ?? []);
    if (buttons.some(({ name }) => name === "join")) tables.push(message);
    const moves = buttons.find(({ name }) => name === "moves");
    // Whoever moved stands there by name; the one mention at the end is the call.
    const person = [...message.content.matchAll(/<@!?(\d+)>/g)].pop()?.[1];
    if (moves && person && !turns.has(moves.game)) turns.set(moves.game, { ...moves, message, person });
  }
  return { turns: [...turns.values()], tables };
}

/**
 * Whether the person could take a seat: one reserved for them, or a free one. A seat's line has a number, the host's
 * stands first; that of somebody who has joined holds the name and nothing else, a free one a word in italics.
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
  if (isNamed(host) || names.some((called) => others.includes(called))) return false;
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
