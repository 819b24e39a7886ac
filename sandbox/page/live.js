// The connection to the server: one WebSocket for one person, reopened until it succeeds.
import { call } from "./api.js";

const FIRST_WAIT = 400;
const LONGEST_WAIT = 3_000;

/**
 * Frames for one person. `onFrame` gets each of them, the whole state first; `onLink` gets whether there is
 * a connection.
 */
export class Live {
  /**
   * @param {string} name  by name and not by id: a sandbox with a new world knows the name only
   * @param {{ onFrame: (frame: any) => void, onLink: (up: boolean) => void }} listeners
   */
  constructor(name, listeners) {
    this.name = name;
    this.listeners = listeners;
    this.closed = false;
    this.wait = FIRST_WAIT;
    /** @type {WebSocket | null} */
    this.socket = null;
    this.timer = 0;
    this.connect();
  }

  /** Closes the connection without reopening it. */
  close() {
    this.closed = true;
    clearTimeout(this.timer);
    this.socket?.close();
  }

  async connect() {
    let person;
    try {
      person = findPerson((await call("GET", "/app/people")).people, this.name);
    } catch {
      this.retry();
      return;
    }
    if (this.closed) return;
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/app/people/${person.id}/live`);
    this.socket = socket;
    socket.onmessage = (event) => {
      if (this.closed) return;
      const frame = JSON.parse(event.data);
      if (frame.type === "state") {
        this.wait = FIRST_WAIT;
        this.listeners.onLink(true);
      }
      this.listeners.onFrame(frame);
    };
    socket.onclose = () => this.retry();
  }

  retry() {
    if (this.closed) return;
    this.listeners.onLink(false);
    this.timer = setTimeout(() => this.connect(), this.wait);
    this.wait = Math.min(this.wait * 1.6, LONGEST_WAIT);
  }
}

/**
 * The person called `wanted` (a name in any case, or an id), else the first one.
 *
 * @param {{ id: string, name: string, bot: boolean }[]} people
 * @param {string | null} wanted
 */
function findPerson(people, wanted) {
  const humans = people.filter((person) => !person.bot);
  const called = wanted?.toLowerCase();
  return humans.find((person) => person.id === wanted || person.name.toLowerCase() === called) ?? humans[0];
}
