// Puts the page together: one person, one open channel, and what the parts ask of each other.
import { Refused, call } from "./api.js";
import { Composer } from "./composer.js";
import { h } from "./dom.js";
import { extension } from "./extension.js";
import { Guide } from "./guide.js";
import { Header } from "./header.js";
import { Live } from "./live.js";
import { LogView } from "./log.js";
import { showModal } from "./modal.js";
import { Notices } from "./notices.js";
import { PersonMenu } from "./personmenu.js";
import { Sidebar } from "./sidebar.js";
import { keepFresh } from "./times.js";
import { World } from "./world.js";
import { refusal, speak, t } from "./words.js";

/** @typedef {import("./world.js").Message} Message */
/**
 * What the parts of the page may ask of it.
 *
 * @typedef {object} Acts
 * @property {(name: string) => void} sitAs
 * @property {(channelId: string) => void} openChannel
 * @property {(channelId: string, id: string) => void} openMessage
 * @property {() => import("./world.js").Channel | undefined} openedChannel
 * @property {() => void} openDirect  the direct messages with the bot
 * @property {(locale: string) => void} setLocale
 * @property {(stranger: boolean) => void} setStranger  whether this client names only whom a message brings along
 * @property {(guildId: string, locale: string) => void} setGuildLocale
 * @property {() => string} serverLocale  of the open channel's server
 * @property {(command: string, preset?: string, send?: boolean) => void} useCommand  send: also sends it
 * @property {(message: Message, customId: string, values?: string[]) => void} use  a button or a menu
 * @property {(commandId: string, personId: string) => void} useOn  a command of the menu on people
 * @property {(message: Message) => void} dismiss
 * @property {() => void} toggleSidebar
 * @property {() => void} restartGuide
 * @property {(id: string) => void} showMessage  of the open channel
 * @property {() => void} toField  focuses the field that takes text
 */

const LAST_PERSON = "sandbox-person";

class Page {
  constructor() {
    const world = new World();
    this.world = world;
    this.openId = location.hash.slice(1);
    this.person = new URLSearchParams(location.search).get("as") ?? localStorage.getItem(LAST_PERSON) ?? "";
    /** @type {Live | null} */
    this.live = null;
    /** @type {HTMLDialogElement | null} */
    this.dialog = null;
    const acts = this.acts();
    this.sidebar = new Sidebar(world, acts);
    this.header = new Header(world, acts);
    this.log = new LogView({ world, ...acts });
    this.composer = new Composer(world);
    this.guide = new Guide(world, acts);
    this.notices = new Notices({ world, ...acts });
    this.personMenu = new PersonMenu(world, acts);
    this.skips = {
      toNewest: skipButton(() => this.log.enterNewest()),
      skip: skipButton(() => this.composer.focus()),
    };
    this.root = this.frame();
    document.getElementById("app")?.replaceChildren(this.root);
    this.listen();
    this.sitAs(this.person, false);
  }

  /** @returns {Acts} */
  acts() {
    return {
      sitAs: (name) => this.sitAs(name, true),
      openChannel: (id) => this.enter(id),
      openMessage: (channelId, id) => this.openMessage(channelId, id),
      openedChannel: () => this.channel,
      openDirect: () => this.attempt(async () => this.open((await call("POST", `${this.mine}/dm`, {})).id)),
      setLocale: (locale) => this.attempt(() => call("PATCH", this.mine, { locale })),
      setStranger: (stranger) =>
        this.attempt(async () => {
          await call("PATCH", this.mine, { stranger });
          location.reload(); // what has been read so far has its names
        }),
      setGuildLocale: (id, locale) => this.attempt(() => call("PATCH", `/app/guilds/${id}`, { locale })),
      serverLocale: () =>
        this.world.guilds.find(({ id }) => id === this.channel?.guild_id)?.locale ?? this.world.me.locale,
      useCommand: (name, preset, send) => this.useCommand(name, preset, send),
      use: (message, customId, values) => this.use(message, customId, values),
      useOn: (command_id, target) => {
        this.showSidebar(false);
        this.attempt(() => call("POST", `${this.mine}/channels/${this.openId}/commands`, { command_id, target }));
      },
      dismiss: (message) => this.attempt(() => call("DELETE", this.addressOf(message))),
      toggleSidebar: () => this.showSidebar(!this.root.classList.contains("with-sidebar")),
      restartGuide: () => this.guide.restart(),
      showMessage: (id) => this.openMessage(this.openId, id),
      toField: () => this.composer.focus(),
    };
  }

  /** The parts in their places. */
  frame() {
    const { header, notices, log, guide, composer } = this;
    const column = [header.element, notices.banner, log.frame, guide.element, composer.element];
    const curtain = h("div", { class: "curtain", onclick: () => this.showSidebar(false) });
    const parts = [
      Object.values(this.skips),
      this.sidebar.element,
      curtain,
      h("main", {}, column),
      notices.toast,
      notices.announcer,
      this.personMenu.element,
    ];
    return h("div", { class: "page" }, parts);
  }

  listen() {
    /** @param {string} kind @param {(detail: any) => void} react */
    const on = (kind, react) =>
      this.world.addEventListener(kind, (event) => react(/** @type {CustomEvent} */ (event).detail));
    on("state", () => this.renewed());
    on("places", () => this.renderPlaces());
    on("people", () => this.renderPeople());
    on("commands", () => this.composer.show());
    on("bot", () => this.notices.render());
    on("log", (channelId) => (channelId === this.openId ? this.renderLog() : this.guide.render()));
    on("arrived", (message) => this.arrived(message));
    on("edited", ({ message, before }) => this.edited(message, before));
    on("deed", (deed) => this.heard(deed));
    on("modal", (frame) => this.showModal(frame));
    addEventListener(
      "hashchange",
      () => location.hash.slice(1) !== this.openId && this.open(location.hash.slice(1)),
    );
    addEventListener("popstate", () => {
      const name = new URLSearchParams(location.search).get("as");
      if (name && name !== this.person) this.sitAs(name, false);
    });
    document.addEventListener("visibilitychange", () => this.markRead());
    addEventListener("focus", () => this.markRead());
    addEventListener("keydown", (event) => this.key(event));
    keepFresh();
  }

  /**
   * Text typed outside of a field goes to the composer; Escape closes the drawer of a narrow screen.
   *
   * @param {KeyboardEvent} event
   */
  key(event) {
    if (event.key === "Escape") this.showSidebar(false);
    const character =
      event.key.length === 1 && event.key !== " " && !event.ctrlKey && !event.metaKey && !event.altKey;
    const field = document.activeElement?.matches("input, textarea, select, [role='combobox']");
    if (character && !field && !document.querySelector("dialog[open]")) this.composer.focusToType();
  }

  /** The path of this person's requests. */
  get mine() {
    return `/app/people/${this.world.me.id}`;
  }

  /** @param {Message} message */
  addressOf(message) {
    return `${this.mine}/channels/${message.channel_id}/messages/${message.id}`;
  }

  get channel() {
    return this.world.channels.get(this.openId);
  }

  /**
   * Shows the page as another person.
   *
   * @param {string} name
   * @param {boolean} chosen by hand, so that it belongs in the history
   */
  sitAs(name, chosen) {
    this.live?.close();
    this.person = name;
    this.dialog?.close();
    if (chosen) {
      history.pushState(null, "", `${addressOf(name)}${location.hash}`);
      localStorage.setItem(LAST_PERSON, name);
      this.showSidebar(false);
    }
    this.notices.link(undefined);
    this.live = new Live(name, {
      onFrame: (frame) => this.world.apply(frame),
      onLink: (up) => this.notices.link(up),
    });
  }

  /** A whole new state: at the start, after a switch of person, after a lost connection. */
  renewed() {
    this.person = this.world.me.name;
    if (localStorage.getItem(LAST_PERSON) === null) localStorage.setItem(LAST_PERSON, this.person);
    // An address without a person would be a place in the history that leads nowhere.
    if (new URLSearchParams(location.search).get("as") === null)
      history.replaceState(null, "", `${addressOf(this.person)}${location.hash}`);
    speak(this.world.me.locale);
    this.renderAll();
    this.open(this.world.channels.has(this.openId) ? this.openId : this.firstChannel());
  }

  /** Returns the first channel that pings the person, else the first text channel. */
  firstChannel() {
    const channels = [...this.world.channels.values()];
    return (
      (channels.find((channel) => channel.pings > 0) ?? channels.find((channel) => channel.type === "text"))
        ?.id ?? ""
    );
  }

  /** @param {string} id */
  async open(id) {
    const channel = this.world.channels.get(id);
    if (!channel) return;
    this.openId = id;
    if (location.hash.slice(1) !== id) history.replaceState(null, "", `${location.search}#${id}`);
    this.showSidebar(false);
    this.sidebar.openId = id;
    this.composer.open(channel);
    this.renderPlaces();
    await this.attempt(() => this.log.open(id, channel.unread));
  }

  /** Opens a channel as the person asks; who came by a key goes on at its newest message. @param {string} id */
  async enter(id) {
    const byKey = document.activeElement?.matches("button:focus-visible");
    await this.open(id);
    if (byKey && id === this.openId) this.log.enterNewest();
  }

  /** @param {string} channelId @param {string} id */
  async openMessage(channelId, id) {
    if (channelId !== this.openId) await this.open(channelId);
    await this.attempt(() => this.log.goTo(id));
  }

  markRead() {
    const channel = this.channel;
    if (!channel || document.hidden || !document.hasFocus() || (channel.unread === 0 && channel.pings === 0))
      return;
    // A failure needs no message to the reader: the next message or visit tries again.
    call("POST", `${this.mine}/channels/${channel.id}/read`, {}).catch(() => {});
  }

  /** @param {Message} message */
  arrived(message) {
    const here = message.channel_id === this.openId;
    const mine = message.author.id === this.world.me.id;
    const asked = message.ephemeral || message.interaction?.person.id === this.world.me.id;
    if (here) this.log.arrived(mine || asked || message.pings_me);
    if (here && message.ephemeral && this.isWaiting()) this.log.enter(message.id);
    if (!mine && (here || message.pings_me)) this.notices.announce(message, here);
  }

  /** Whether the person has sent something with a key and types nothing new: their private answer may take the focus. */
  isWaiting() {
    const at = document.activeElement;
    return this.composer.isIdle(at) || (this.log.element.contains(at) && at?.matches(":focus-visible"));
  }

  /** An edit that answers the person's own press is read aloud. @param {Message} message @param {Message} before */
  edited(message, before) {
    const here = message.channel_id === this.openId;
    if (here && (message.ephemeral || this.world.pressed.has(message.id))) this.notices.announce(message, here, before);
  }

  /** Keeps the effect of the person's own act in view. @param {any} deed a frame of the app API */
  heard(deed) {
    const isHere = deed.channel_id === this.openId;
    if (isHere && deed.state === "sent" && deed.kind !== "component") this.log.follow.toNewest();
  }

  /** @param {any} frame */
  showModal(frame) {
    const names = {
      me: this.world.me.id,
      person: (/** @type {string} */ id) => this.world.personName(id),
      channel: (/** @type {string} */ id) => this.world.channels.get(id)?.name,
      openChannel: (/** @type {string} */ id) => this.open(id),
      openMessage: (/** @type {string} */ channelId, /** @type {string} */ id) => this.openMessage(channelId, id),
      useCommand: (/** @type {string} */ name) => this.useCommand(name),
    };
    this.dialog?.close();
    const from = /** @type {HTMLElement | null} */ (document.activeElement);
    const id = from?.closest("[data-id]")?.getAttribute("data-id") ?? "";
    const pressed = from?.dataset.customId ?? from?.dataset.pressed ?? "";
    this.dialog = showModal(frame, this.world, names);
    // The message that the form came from may have been drawn again below it.
    this.dialog.addEventListener("close", () => {
      if (!from?.isConnected && !this.log.back(id, pressed)) this.composer.focus();
    });
  }

  /**
   * A button or a menu of a message.
   *
   * @param {Message} message
   * @param {string} customId
   * @param {string[]} [values]
   */
  use(message, customId, values) {
    this.world.press(message, customId);
    const path = `${this.addressOf(message)}/components`;
    this.attempt(async () => {
      try {
        await call("POST", path, values ? { custom_id: customId, values } : { custom_id: customId });
      } catch (error) {
        this.world.release(message);
        throw error;
      }
    });
  }

  /** @param {string} name */
  useCommand(name, preset = "", send = false) {
    this.showSidebar(false);
    this.composer.start(name, preset, send);
  }

  /** On narrow screens the focus goes with it. @param {boolean} shown */
  showSidebar(shown) {
    const wasShown = this.root.classList.contains("with-sidebar");
    const held = this.sidebar.element.contains(document.activeElement);
    this.root.classList.toggle("with-sidebar", shown);
    if (shown) this.sidebar.enter();
    else if (wasShown && held) this.header.menu.focus();
    this.header.menu.setAttribute("aria-expanded", String(shown));
  }

  renderAll() {
    this.skips.toNewest.textContent = t("toNewest");
    this.skips.skip.textContent = t("skip");
    this.sidebar.render();
    this.header.render(this.channel);
    this.composer.relabel();
    this.guide.render();
    this.notices.render();
  }

  renderPlaces() {
    if (!this.channel && this.world.channels.size) {
      this.open(this.firstChannel());
      return;
    }
    this.sidebar.renderPlaces();
    this.header.render(this.channel);
    this.composer.open(this.channel);
    this.renderLog();
    const pings = [...this.world.channels.values()].reduce((sum, channel) => sum + channel.pings, 0);
    const calls = pings ? `(${pings}) ` : "";
    document.title = `${calls}${this.channel?.name ?? ""} · ${this.world.me.name} · ${this.world.bot.name}`;
    this.markRead();
  }

  /** Renders the open channel's messages, and what depends on them. */
  renderLog() {
    this.log.render();
    this.renderTurns();
  }

  /** Renders whose turn it is, and what a newcomer can do now. */
  renderTurns() {
    const turns = extension.turns?.(this.world.log(this.openId).messages) ?? [];
    this.sidebar.markTurns(turns.map(({ person }) => person));
    this.header.showTurn(turns[0]);
    this.guide.render();
  }

  renderPeople() {
    const before = document.documentElement.lang;
    speak(this.world.me.locale);
    this.sidebar.renderTable();
    if (document.documentElement.lang === before) return;
    this.renderAll();
    this.renderPlaces();
  }

  /**
   * Does something that the server may refuse, and shows the refusal to the reader.
   *
   * @param {() => Promise<any>} act
   */
  async attempt(act) {
    try {
      await act();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.notices.say(refusal(error));
    }
  }
}

/** Returns a button that only the keyboard reaches, first on the page. @param {() => void} onclick */
function skipButton(onclick) {
  return h("button", { type: "button", class: "skip", onclick });
}

/** Returns the page's address for a person. @param {string} name */
function addressOf(name) {
  return `?as=${encodeURIComponent(name)}`;
}

new Page();
