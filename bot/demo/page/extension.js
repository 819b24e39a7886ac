// What Round Table adds to the sandbox's page: whose turn it is, and the first steps of a newcomer. Both depend on
// the messages on the screen only, so they are right after a refusal, in a new tab and in any channel.
import { mayJoin, speaksOf, standing } from "./standing.js";
import { botButton, t } from "./words.js";

export { words } from "./words.js";

/** @typedef {import("/page/world.js").World} World */
/** @typedef {import("/page/world.js").Channel} Channel */
/** @typedef {import("/page/main.js").Acts} Acts */
/** @typedef {import("/page/extension.js").Advice} Advice */

const PRAISE_SHOWN = 8_000;

/** The steps of a first game. */
const STAGES = /** @type {const} */ (["start", "join", "turn"]);

/** @param {import("/page/world.js").Message[]} messages */
export function turns(messages) {
  return standing(messages).turns;
}

/** @param {Channel} channel */
const isThread = ({ type }) => type.endsWith("thread");

export class FirstSteps {
  /** @param {World} world @param {Acts} acts */
  constructor(world, acts) {
    this.world = world;
    this.acts = acts;
    /** @type {Map<string, number>} the ply at which each game waited for the reader */
    this.waited = new Map();
    this.praisedUntil = 0;
    /** @type {Set<string>} who has asked for which places */
    this.asked = new Set();
  }

  /** @param {Channel} channel @returns {Advice | null} */
  advise(channel) {
    const threads = [...this.world.channels.values()].filter((place) => isThread(place) && place.joined);
    if (this.awaits(threads.filter(({ archived }) => !archived))) return null;
    const now = standing(this.world.log(channel.id).messages);
    this.notice(now);
    // Against the house it is the reader's turn again before they can read the praise.
    const waiting = now.turns.some(({ person }) => person === this.world.me.id);
    const lasts = this.praisedUntil - Date.now();
    return lasts > 0 && !waiting ? { words: t("guideDone"), lasts } : this.next(now, channel);
  }

  /** Fetches those places, unless they are here: a step depends on them too. @param {Channel[]} places */
  awaits(places) {
    const { world } = this;
    const missing = places.filter(({ id }) => !world.log(id).loaded);
    for (const { id } of missing) {
      const key = `${world.me.id} ${id}`;
      if (this.asked.has(key)) continue;
      this.asked.add(key);
      world.load(id).catch(() => this.asked.delete(key));
    }
    return missing.length > 0;
  }

  /** Sees whether a move of the reader has been played. @param {import("./standing.js").Standing} now */
  notice(now) {
    const me = this.world.me.id;
    for (const { game, ply, person } of now.turns) {
      const key = `${me} ${game}`;
      if ((this.waited.get(key) ?? ply) < ply) this.praisedUntil = Date.now() + PRAISE_SHOWN;
      if (person === me) this.waited.set(key, ply);
      else this.waited.delete(key);
    }
  }

  /**
   * Returns the next step of the reader: their own move; in a game's thread, what follows its end; a call in another
   * channel; a free seat or another person's move, whichever is newer; a rematch; a first game. Returns null while
   * nobody here can do anything.
   *
   * @param {import("./standing.js").Standing} now
   * @param {Channel} channel
   * @returns {Advice | null}
   */
  next(now, channel) {
    const { world, acts } = this;
    const { me } = world;
    const { last } = now;
    const locale = acts.serverLocale();
    const mine = now.turns.find(({ person }) => person === me.id);
    if (mine) {
      const words = t("guideMove", { button: botButton("move", locale) });
      return advice("turn", words, t("guideMoveDo"), () => acts.useCommand("move"), mine.message);
    }
    const labels = { review: botButton("review", locale), button: botButton("rematch", locale) };
    const over =
      last?.over &&
      advice("turn", t("guideOver", labels), t("guideJoinDo"), () => acts.showMessage(last.message.id), last.message);
    if (over && isThread(channel) && !now.tables.length) return over;
    const others = [...world.channels.values()].filter(({ id }) => id !== channel.id);
    const turnsIn = new Map(others.map(({ id }) => [id, standing(world.log(id).messages).turns]));
    // A mention may be old or no more than news: only a board that was read says whose turn it is.
    const waiting = others.find(({ id }) => turnsIn.get(id)?.some(({ person }) => person === me.id));
    const calling = waiting ?? others.find(({ pings }) => pings > 0);
    if (calling)
      return advice(
        "turn",
        t(waiting ? "guideTurnIn" : "guideCalled", { channel: calling.name }),
        t("guideCalledDo"),
        () => acts.openChannel(calling.id),
      );
    const [turn] = now.turns;
    const table = now.tables.find(({ id }) => !turn || BigInt(id) > BigInt(turn.message.id));
    if (table && mayJoin(table, me)) {
      const words = t("guideJoin", { button: botButton("join", locale) });
      return advice("join", words, t("guideJoinDo"), () => acts.showMessage(table.id), table);
    }
    const standIn = table && world.people.find((person) => !person.bot && mayJoin(table, person));
    if (standIn) return this.sitAs(standIn, "join", t("guideSit", { button: botButton("house", locale) }));
    const awaited = turn ?? [...turnsIn.values()].flat()[0];
    const next = world.people.find(({ id }) => id === awaited?.person);
    if (next) return this.sitAs(next, "turn", t("guideWait", { name: next.name }));
    if (over) return over;
    if (last) return null; // a bot is thinking, or a seat is vacant: the board says it
    if (this.hasPlayed()) return null;
    return {
      ...advice("start", t("guideStart"), t("guideStartDo"), () =>
        acts.useCommand("learn lessons", "camelot", true),
      ),
      other: { label: t("guideStartGame"), act: () => acts.useCommand("play", "", true) },
    };
  }

  /** Whether the reader has a thread or a place at a table or a board, as far as that is known yet. */
  hasPlayed() {
    const { world } = this;
    const places = [...world.channels.values()];
    if (places.some((place) => isThread(place) && place.joined)) return true;
    const shared = places.filter(({ has_bot, guild_id, type }) => has_bot && guild_id && type !== "forum");
    if (this.awaits(shared)) return true;
    return shared.some(({ id }) => world.log(id).messages.some((message) => speaksOf(message, world.me)));
  }

  /** @param {import("/page/world.js").Person} person @param {typeof STAGES[number]} stage @param {string} words */
  sitAs({ name }, stage, words) {
    return advice(stage, words, t("guideSitDo", { name }), () => this.acts.sitAs(name));
  }
}

/**
 * @param {typeof STAGES[number]} stage
 * @param {string} words
 * @param {string} label
 * @param {() => void} act
 * @param {import("/page/world.js").Message} [about]  the message whose buttons it speaks of
 * @returns {Advice}
 */
function advice(stage, words, label, act, about) {
  const progress = { step: STAGES.indexOf(stage) + 1, steps: STAGES.length };
  return { words, button: { label, act }, progress, about: about?.id };
}
