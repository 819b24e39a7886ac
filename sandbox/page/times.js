// Times in the reader's language and zone, as Discord's <t:UNIX:STYLE> shows them.
import { h } from "./dom.js";
import { language } from "./words.js";

/**
 * Discord's styles (its reference, "Timestamp Styles").
 *
 * @type {Record<string, Intl.DateTimeFormatOptions>}
 */
const STYLES = {
  t: { timeStyle: "short" },
  T: { timeStyle: "medium" },
  d: { dateStyle: "short" },
  D: { dateStyle: "long" },
  f: { dateStyle: "long", timeStyle: "short" },
  F: { dateStyle: "full", timeStyle: "short" },
  s: { dateStyle: "short", timeStyle: "short" },
  S: { dateStyle: "short", timeStyle: "medium" },
};

const STEPS = /** @type {const} */ ([
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
]);

/** "in 3 days", "2 minutes ago". @param {Date} moment @param {number} [now] milliseconds */
export function relative(moment, now = Date.now()) {
  const seconds = Math.round((moment.getTime() - now) / 1000);
  const [unit, size] = STEPS.find(([, length]) => Math.abs(seconds) >= length) ?? STEPS[STEPS.length - 1];
  return new Intl.RelativeTimeFormat(tag(), { numeric: "auto" }).format(Math.round(seconds / size), unit);
}

/**
 * A moment in one of Discord's styles; an unknown style is read as "f".
 *
 * @param {Date} moment
 * @param {string} style
 */
export function format(moment, style) {
  if (style === "R") return relative(moment);
  return new Intl.DateTimeFormat(tag(), STYLES[style] ?? STYLES.f).format(moment);
}

/** A <time> with the whole date on hover; `keepFresh` keeps those of style R up to date. */
export function timeElement(/** @type {Date} */ moment, style = "f", className = "") {
  if (Number.isNaN(moment.getTime())) return h("span", { class: className }, "—");
  const attributes = {
    datetime: moment.toISOString(),
    title: format(moment, "F"),
    class: className,
    data: { style },
  };
  return h("time", attributes, format(moment, style));
}

/** Rewrites the relative times on the page twice a minute. */
export function keepFresh() {
  setInterval(() => {
    for (const element of document.querySelectorAll("time[data-style='R']")) {
      element.textContent = relative(new Date(element.getAttribute("datetime") ?? ""));
    }
  }, 30_000);
}

/** "Today", "Yesterday" or the date, for the line between two days. @param {Date} moment */
export function dayName(moment) {
  const midnight = (/** @type {Date} */ date) =>
    new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
  const days = Math.round((midnight(moment) - midnight(new Date())) / 86_400_000);
  if (days === 0 || days === -1) {
    const word = new Intl.RelativeTimeFormat(tag(), { numeric: "auto" }).format(days, "day");
    return word.charAt(0).toUpperCase() + word.slice(1);
  }
  return format(moment, "D");
}

/** The language tag for the browser's formatters. */
function tag() {
  return language() === "no" ? "nb-NO" : "en-GB";
}
