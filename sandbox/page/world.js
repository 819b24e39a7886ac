// What this person may see, kept up to date from the server's frames. Views listen for the kind of change
// they show.
import { call } from "./api.js";

/**
 * @typedef {object} Person
 * @property {string} id
 * @property {string} name
 * @property {string} locale
 * @property {boolean} manages  has Manage Server somewhere
 * @property {boolean} bot
 * @property {boolean} [stranger]  their client knows nobody: it names only whom a message's mentions bring along
 * @property {number} [pings]  unread, over all channels
 */
/** @typedef {{ id: string, name: string }} Role */
/** @typedef {{ id: string, name: string, locale: string, community: boolean, roles: Role[] }} Guild */
/**
 * @typedef {object} Channel
 * @property {string} id
 * @property {string | null} guild_id
 * @property {string | null} parent_id  a thread's channel
 * @property {string} name
 * @property {"text" | "announcement" | "voice" | "stage" | "forum" | "thread" | "private_thread" | "dm"} type
 * @property {number} discord_type  the same as Discord numbers it, and menus and options name it
 * @property {string[]} tags  those that a forum offers, or that a post of it has
 * @property {boolean} archived
 * @property {boolean} locked
 * @property {boolean} joined
 * @property {boolean} has_bot  or it answers there only to those who have installed it for themselves
 * @property {boolean} can_write
 * @property {number} unread
 * @property {number} pings
 */
/** @typedef {Record<string, any> & { id: string, channel_id: string }} Message */
/** @typedef {{ messages: Message[], more: boolean, loaded: boolean }} Log */
/**
 * An act of this person with the bot, and its state.
 *
 * @typedef {object} Deed
 * @property {string} id
 * @property {"command" | "component" | "modal"} kind
 * @property {string} channel_id
 * @property {string | null} command
 * @property {string | null} message_id  the message whose button was pressed
 * @property {"sent" | "answered" | "failed"} state
 */

const PAGE = 50;

/**
 * Events, each a CustomEvent: "state" (the whole state), "places", "people", "commands", "bot", and with a
 * channel's id as detail "log"; "modal" and "deed" (detail: the frame), "arrived" (detail: a message
 * new to this person, or one that the bot has thought about long enough), "edited" (detail: `message`, and how it was
 * `before`).
 */
export class World extends EventTarget {
  constructor() {
    super();
    /** @type {Person} */
    this.me = { id: "", name: "", locale: "en-US", manages: false, bot: false, stranger: false };
    /** @type {Person[]} */
    this.people = [];
    /** @type {{ id: string, name: string, online: boolean }} */
    this.bot = { id: "", name: "", online: false };
    /** The newest message when this page was opened: this page has no private answers before it. */
    this.since = "0";
    /**
     * What was chosen in a menu, by message and custom_id, for as long as the menu stays as it was.
     *
     * @type {Map<string, { menu: string, values: string[] }>}
     */
    this.chosen = new Map();
    /** @type {Guild[]} */
    this.guilds = [];
    /** @type {Map<string, Channel>} */
    this.channels = new Map();
    /** @type {any[]} */
    this.commands = [];
    /** @type {Map<string, Log>} */
    this.logs = new Map();
    /** Those not answered: under way, or failed and not yet dismissed. @type {Map<string, Deed>} */
    this.deeds = new Map();
    /**
     * The custom_id pressed on a message and not yet answered, by the message's id.
     *
     * @type {Map<string, string>}
     */
    this.pressed = new Map();
  }

  /** Takes one frame of the live wire. @param {any} frame */
  apply(frame) {
    const apply = FRAMES[/** @type {keyof typeof FRAMES} */ (frame.type)];
    apply?.(this, frame);
  }

  /**
   * The channel's messages as far as they are known; an empty log before `load`.
   *
   * @param {string} id
   * @returns {Log}
   */
  log(id) {
    return this.logs.get(id) ?? { messages: [], more: false, loaded: false };
  }

  /** Fetches the newest messages of a channel. @param {string} id */
  async load(id) {
    const me = this.me.id;
    const answer = await call("GET", `/app/people/${me}/channels/${id}/messages?limit=${PAGE}&since=${this.since}`);
    if (me !== this.me.id) return;
    // Frames that arrived during the request are newer than its answer.
    const known = new Map(answer.messages.map((/** @type {Message} */ message) => [message.id, message]));
    for (const message of this.log(id).messages) known.set(message.id, message);
    this.logs.set(id, { messages: sorted([...known.values()]), more: answer.more, loaded: true });
    this.tell("log", id);
  }

  /** Fetches the messages before the oldest known one. @param {string} id */
  async loadOlder(id) {
    const log = this.log(id);
    const before = log.messages[0]?.id;
    if (!before || !log.more) return;
    const answer = await call(
      "GET",
      `/app/people/${this.me.id}/channels/${id}/messages?before=${before}&limit=${PAGE}&since=${this.since}`,
    );
    log.messages = sorted([...answer.messages, ...log.messages]);
    log.more = answer.more;
    this.tell("log", id);
  }

  /**
   * The channels that a menu or an option offers: those of its server, of the types that it names.
   *
   * @param {string | undefined} channelId  where it stands
   * @param {number[] | null} [types]  of any type without them
   */
  channelsFor(channelId, types) {
    const guildId = this.channels.get(channelId ?? "")?.guild_id;
    if (!guildId) return [];
    return [...this.channels.values()].filter(
      (channel) => channel.guild_id === guildId && (!types?.length || types.includes(channel.discord_type)),
    );
  }

  /** The roles of the server in which a channel is. @param {string | undefined} channelId @returns {Role[]} */
  rolesFor(channelId) {
    const guildId = this.channels.get(channelId ?? "")?.guild_id;
    return this.guilds.find((guild) => guild.id === guildId)?.roles ?? [];
  }

  /** The person's name, or undefined for strangers. @param {string} id */
  personName(id) {
    return id === this.bot.id ? this.bot.name : this.people.find((person) => person.id === id)?.name;
  }

  /**
   * The last press on a message while it is unanswered or has failed; undefined otherwise.
   *
   * @param {string} messageId
   */
  deedOn(messageId) {
    return [...this.deeds.values()].reverse().find((deed) => deed.message_id === messageId);
  }

  /**
   * Marks a control as pressed; an earlier failure on the same message is forgotten.
   *
   * @param {Message} message
   * @param {string} customId
   */
  press(message, customId) {
    for (const deed of this.deeds.values())
      if (deed.message_id === message.id && deed.state === "failed") this.deeds.delete(deed.id);
    this.pressed.set(message.id, customId);
    this.tell("log", message.channel_id);
  }

  /**
   * What a menu of a message shows as chosen because it was chosen here; an edit that leaves the menu as it
   * was does not change that.
   *
   * @param {Message} message
   * @param {any} menu
   */
  kept(message, menu) {
    const kept = this.chosen.get(`${message.id} ${menu.custom_id}`);
    return kept?.menu === JSON.stringify(menu) ? kept.values : null;
  }

  /** @param {Message} message @param {any} menu @param {string[]} values */
  keep(message, menu, values) {
    this.chosen.set(`${message.id} ${menu.custom_id}`, { menu: JSON.stringify(menu), values });
  }

  /** @param {Message} message */
  release(message) {
    this.pressed.delete(message.id);
    for (const key of this.chosen.keys()) if (key.startsWith(`${message.id} `)) this.chosen.delete(key);
    this.tell("log", message.channel_id);
  }

  /** @param {string} id */
  forgetDeed(id) {
    const deed = this.deeds.get(id);
    this.deeds.delete(id);
    if (deed) this.tell("log", deed.channel_id);
  }

  /** @param {string} kind @param {any} [detail] */
  tell(kind, detail) {
    this.dispatchEvent(new CustomEvent(kind, { detail }));
  }
}

/** Oldest first: ids are snowflakes, so they grow with time. @param {Message[]} messages */
function sorted(messages) {
  const unique = new Map(messages.map((message) => [message.id, message]));
  return [...unique.values()].sort((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1));
}

/** What each type of frame changes. @satisfies {Record<string, (world: World, frame: any) => void>} */
const FRAMES = {
  state(world, { state }) {
    if (world.me.id !== state.me.id) {
      world.since = state.last_id;
      world.chosen.clear();
    }
    world.me = state.me;
    world.people = state.people;
    world.bot = state.bot;
    world.guilds = state.guilds;
    world.commands = state.commands;
    world.channels = new Map();
    for (const guild of state.guilds)
      for (const channel of guild.channels) world.channels.set(channel.id, channel);
    for (const channel of state.dms) world.channels.set(channel.id, channel);
    world.logs.clear();
    world.deeds.clear();
    world.pressed.clear();
    world.tell("state");
  },

  message(world, frame) {
    const { message } = frame;
    if (message.ephemeral && BigInt(message.id) <= BigInt(world.since)) return;
    const log = world.log(message.channel_id);
    const oldest = log.messages[0];
    const before = log.messages.find((known) => known.id === message.id);
    const awaited = before?.state === "thinking" && message.state !== "thinking";
    // An edit in a part that is not loaded: shown here it would hide the messages in between.
    if (!frame.new && log.more && BigInt(message.id) < BigInt(oldest.id)) return;
    world.logs.set(message.channel_id, { ...log, messages: sorted([...log.messages, message]) });
    world.tell("log", message.channel_id);
    if (frame.new || awaited) world.tell("arrived", message);
    else if (before) world.tell("edited", { message, before });
  },

  message_deleted(world, { channel_id, id }) {
    const log = world.logs.get(channel_id);
    if (!log) return;
    log.messages = log.messages.filter((message) => message.id !== id);
    world.tell("log", channel_id);
  },

  channel(world, { channel }) {
    world.channels.set(channel.id, channel);
    world.tell("places");
  },

  channel_deleted(world, { id }) {
    world.channels.delete(id);
    world.logs.delete(id);
    world.tell("places");
  },

  interaction(world, deed) {
    if (deed.state === "answered") world.deeds.delete(deed.id);
    else world.deeds.set(deed.id, deed);
    if (deed.state !== "sent" && deed.message_id) world.pressed.delete(deed.message_id);
    world.tell("log", deed.channel_id);
    world.tell("deed", deed);
  },

  modal(world, frame) {
    world.tell("modal", frame);
  },

  commands(world, { commands }) {
    world.commands = commands;
    world.tell("commands");
  },

  person(world, { person }) {
    const others = world.people.some((known) => known.id === person.id);
    world.people = others
      ? world.people.map((known) => (known.id === person.id ? person : known))
      : [...world.people, person];
    if (person.id === world.me.id) world.me = { ...world.me, ...person };
    world.tell("people");
  },

  guild(world, { guild }) {
    world.guilds = world.guilds.map((known) => (known.id === guild.id ? { ...known, ...guild } : known));
    world.tell("places");
  },

  bot(world, { online }) {
    world.bot = { ...world.bot, online };
    world.tell("bot");
  },
};
