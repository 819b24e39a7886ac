// The English/Norwegian switch, for a person and for a server.
import { h } from "./dom.js";
import { moveBetween } from "./rove.js";

/** Discord's locale, what the switch says, and the language's own name. */
const LANGUAGES = [
  { locale: "en-US", short: "EN", name: "English" },
  { locale: "no", short: "NO", name: "Norsk" },
];

/**
 * @param {string} key  of the person or server, by which its buttons are found when they are drawn again
 * @param {string} current
 * @param {string} label whose language it is
 * @param {(locale: string) => void} choose
 */
export function languageSwitch(key, current, label, choose) {
  const buttons = LANGUAGES.map(({ locale, short, name }) =>
    h(
      "button",
      {
        type: "button",
        title: name,
        lang: locale,
        data: { key: `${key} ${locale}` },
        "aria-pressed": String(locale === current),
        tabindex: locale === current ? 0 : -1,
        "aria-label": name,
        onclick: () => locale !== current && choose(locale),
      },
      short,
    ),
  );
  const onkeydown = moveBetween("button");
  return h("div", { class: "switch", role: "group", "aria-label": label, title: label, onkeydown }, buttons);
}
