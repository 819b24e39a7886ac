// Discord's message components, of both generations, as elements.
import { avatar } from "./avatar.js";
import { h, icon } from "./dom.js";
import { fileElement } from "./files.js";
import { link, markdown } from "./markdown.js";
import { Picker, pickerPlaceholder } from "./picker.js";
import { pictureElement } from "./viewer.js";
import { t } from "./words.js";

/** @typedef {import("./markdown.js").Names} Names */
/**
 * Where the components stand.
 * @typedef {object} Setting
 * @property {Names} names
 * @property {import("./picker.js").Item[]} people  for menus of people
 * @property {(types?: number[]) => import("./picker.js").Item[]} channels  for menus of channels of those types
 * @property {import("./picker.js").Item[]} roles  for menus of roles
 * @property {string | null} busy  the custom_id that waits for the bot's answer
 * @property {(customId: string, values?: string[]) => void} use
 * @property {(menu: any) => string[] | null} kept  what a menu that has not changed since shows as chosen
 * @property {(menu: any, values: string[]) => void} keep
 */

/**
 * Discord's component types (its reference, "Component Types"); the last seven occur only in forms or in
 * Components V2.
 */
export const TYPE = {
  row: 1,
  button: 2,
  stringSelect: 3,
  textInput: 4,
  userSelect: 5,
  roleSelect: 6,
  channelSelect: 8,
  section: 9,
  text: 10,
  gallery: 12,
  file: 13,
  container: 17,
  label: 18,
};

const BUTTON_STYLES = ["", "primary", "secondary", "success", "danger", "link"];

/**
 * @param {any} component one of Discord's component objects
 * @param {Setting} setting
 * @returns {HTMLElement | null} null for an unknown type
 */
function componentElement(component, setting) {
  const make = MAKERS[component.type];
  return make ? make(component, setting) : null;
}

/** @param {any[]} components @param {Setting} setting */
export function componentElements(components, setting) {
  return components.map((component) => componentElement(component, setting));
}

/** @type {Record<number, (component: any, setting: Setting) => HTMLElement>} */
const MAKERS = {
  [TYPE.row]: ({ components }, setting) => h("div", { class: "row" }, componentElements(components, setting)),
  [TYPE.button]: button,
  [TYPE.stringSelect]: (select, setting) => menu(select, setting, itemsOf(select)),
  [TYPE.userSelect]: (select, setting) => menu(select, setting, withDefaults(select, setting.people)),
  [TYPE.roleSelect]: (select, setting) => menu(select, setting, withDefaults(select, setting.roles)),
  [TYPE.channelSelect]: (select, setting) =>
    menu(select, setting, withDefaults(select, setting.channels(select.channel_types))),
  [TYPE.section]: ({ components, accessory }, setting) =>
    h(
      "div",
      { class: "section" },
      h("div", {}, componentElements(components, setting)),
      accessory && componentElement(accessory, setting),
    ),
  [TYPE.text]: ({ content }, { names }) => h("div", { class: "prose" }, markdown(content, names)),
  [TYPE.gallery]: ({ items }) =>
    h(
      "div",
      { class: items.length > 1 ? "gallery" : "" },
      items.map((/** @type {any} */ item) => pictureElement(pictureOf(item))),
    ),
  [TYPE.file]: ({ file, name, size }) => fileElement(name ?? fileName(file.url), file.url, size),
  [TYPE.container]: container,
};

/**
 * The label of a button or option: a Unicode emoji as it is, an app's own emoji by its name.
 *
 * @param {any} emoji
 */
function emojiText(emoji) {
  if (!emoji) return null;
  return emoji.id ? `:${emoji.name}:` : emoji.name;
}

/** The options a string menu carries. @param {any} select @returns {import("./picker.js").Item[]} */
export function itemsOf(select) {
  return (select.options ?? []).map((/** @type {any} */ option) => ({
    value: option.value,
    label: option.label,
    description: option.description,
    default: option.default,
    face: option.emoji ? h("span", { class: "emoji", "aria-hidden": "true" }, emojiText(option.emoji)) : null,
  }));
}

/** @param {any} select @param {import("./picker.js").Item[]} items */
export function withDefaults(select, items) {
  const chosen = new Set((select.default_values ?? []).map((/** @type {any} */ value) => String(value.id)));
  return items.map((item) => ({ ...item, default: chosen.has(item.value) }));
}

/**
 * People as a menu shows them.
 *
 * @param {{ id: string, name: string, bot: boolean }[]} people
 * @returns {import("./picker.js").Item[]}
 */
export function peopleItems(people) {
  return people.map((person) => ({ value: person.id, label: person.name, face: avatar(person, "small") }));
}

/**
 * Channels as a menu shows them.
 *
 * @param {import("./world.js").Channel[]} channels
 * @returns {import("./picker.js").Item[]}
 */
export function channelItems(channels) {
  return channels.map((channel) => ({ value: channel.id, label: `#${channel.name}` }));
}

/**
 * Roles as a menu shows them.
 *
 * @param {import("./world.js").Role[]} roles
 * @returns {import("./picker.js").Item[]}
 */
export function roleItems(roles) {
  return roles.map((role) => ({ value: role.id, label: role.name.startsWith("@") ? role.name : `@${role.name}` }));
}

/** @param {any} component @param {Setting} setting */
function button({ style, label, emoji, custom_id, url, disabled }, setting) {
  const face = [
    emoji && h("span", { class: "emoji", "aria-hidden": label ? "true" : null }, emojiText(emoji)),
    label,
  ];
  if (url) return link(url, [h("span", {}, face), icon("external")], setting.names, "button secondary");
  const busy = setting.busy === custom_id;
  return h(
    "button",
    {
      type: "button",
      class: `button ${BUTTON_STYLES[style] ?? "secondary"}`,
      disabled: Boolean(disabled) || busy,
      "aria-busy": busy ? "true" : null,
      data: { "custom-id": custom_id },
      onclick: () => setting.use(custom_id),
    },
    face,
  );
}

/** @param {any} select @param {Setting} setting @param {import("./picker.js").Item[]} items */
function menu(select, setting, items) {
  const { min_values: min = 1, max_values: max = 1, placeholder, custom_id, disabled } = select;
  const kept = setting.kept(select);
  const picker = new Picker({
    items: kept ? items.map((item) => ({ ...item, default: kept.includes(item.value) })) : items,
    min: min ?? 1,
    max: max ?? 1,
    placeholder: placeholder || pickerPlaceholder(min, max),
    disabled: Boolean(disabled) || setting.busy === custom_id,
    onChosen: (values) => {
      setting.keep(select, values);
      setting.use(custom_id, values);
    },
  });
  picker.button.dataset.customId = custom_id;
  return picker.element;
}

/** Discord sends colours as one number. @param {number} value @returns {string} CSS's #rrggbb */
function colour(value) {
  return `#${(value & 0xffffff).toString(16).padStart(6, "0")}`;
}

/** @param {any} component @param {Setting} setting */
function container({ components, accent_color, spoiler }, setting) {
  const card = h("section", { class: "container" }, componentElements(components, setting));
  if (accent_color !== undefined && accent_color !== null)
    card.style.setProperty("--stripe", colour(accent_color));
  if (!spoiler) return card;
  const cover = h(
    "button",
    { type: "button", class: "spoiler", onclick: () => cover.replaceWith(card) },
    t("spoiler"),
  );
  return cover;
}

/** @param {any} item of a gallery @returns {import("./viewer.js").Picture} */
function pictureOf({ media, description, spoiler }) {
  return { url: media.url, width: media.width, height: media.height, description, spoiler };
}

/** @param {string} address */
function fileName(address) {
  return decodeURIComponent(new URL(address, location.href).pathname.split("/").pop() ?? "");
}
