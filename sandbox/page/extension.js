// What the bot adds to the page: the exports of its own extension.js. The sandbox serves an empty module without one.
import { WORDS } from "./words.js";

/** @typedef {import("./world.js").World} World */
/** @typedef {import("./world.js").Message} Message */
/** @typedef {import("./main.js").Acts} Acts */
/**
 * @typedef {{ message: Message, person: string }} Turn  a message that waits for a person, and that person's id
 *
 * @typedef {object} Advice  one line for a newcomer, with a button where there is something to do
 * @property {string} words
 * @property {{ label: string, act: () => void }} [button]
 * @property {{ label: string, act: () => void }} [other]  a second thing to do
 * @property {{ step: number, steps: number }} [progress]  shown as dots; the first step is 1
 * @property {string} [about]  the id of the message whose buttons it speaks of; a phone that shows them needs no advice
 * @property {number} [lasts]  milliseconds after which the page asks for the next advice
 *
 * @typedef {{ advise: (channel: import("./world.js").Channel) => Advice | null }} Adviser
 *
 * @typedef {object} Extension  each export may be missing
 * @property {(messages: Message[]) => Turn[]} [turns]  of a channel's messages, oldest first; returns the newest first
 * @property {new (world: World, acts: Acts) => Adviser} [FirstSteps]
 * @property {Record<"en" | "no", Record<string, string>>} [words]  in the place of the page's own
 */

const SOURCE = "/extension/extension.js";

/** @type {Extension} */
export const extension = await import(SOURCE);

for (const language of /** @type {const} */ (["en", "no"]))
  Object.assign(WORDS[language], extension.words?.[language]);
