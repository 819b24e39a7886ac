// Elements without markup: every text on the page passes through text nodes, so nothing a message says can
// become HTML.

/** @typedef {Node | string | number | null | undefined | false | any[]} Child */

const SVG = "http://www.w3.org/2000/svg";

/**
 * One element. In `attributes`, functions become listeners ("onclick"), booleans are switched on or off,
 * "data" is an object of data-* values, null and undefined are left out, the rest are plain attributes.
 *
 * @param {string} tag
 * @param {Record<string, any>} [attributes]
 * @param {...Child} children
 * @returns {any} the element; `any` spares a cast for each kind of element
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  apply(element, attributes);
  append(element, children);
  return element;
}

/**
 * The same for drawings.
 *
 * @param {string} tag
 * @param {Record<string, any>} [attributes]
 * @param {...Child} children
 */
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  apply(element, attributes);
  append(element, children);
  return element;
}

/** Puts `children` where the present ones are. @param {Element} element @param {...Child} children */
export function fill(element, ...children) {
  element.replaceChildren();
  append(element, children);
}

/**
 * The same where there are controls: an unchanged element stays untouched, or every message would take the focus
 * away. After a change the focus moves to the control with the same `data-key`.
 *
 * @param {Element} element
 * @param {...Child} children
 */
export function renew(element, ...children) {
  const fresh = /** @type {Element} */ (element.cloneNode());
  append(fresh, children);
  if (fresh.isEqualNode(element)) return;
  const focused = element.contains(document.activeElement) && document.activeElement?.getAttribute("data-key");
  element.replaceChildren(...fresh.childNodes);
  if (!focused) return;
  const control = element.querySelector(`[data-key="${CSS.escape(focused)}"]`);
  /** @type {HTMLElement | null} */ (control)?.focus({ preventScroll: true });
}

/**
 * A picture from the page's own set of line drawings, hidden from screen readers.
 *
 * @param {keyof typeof ICONS} name
 */
export function icon(name) {
  return svg(
    "svg",
    { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" },
    svg("path", { d: ICONS[name] }),
  );
}

const ICONS = {
  menu: "M4 7h16M4 12h16M4 17h16",
  close: "M6 6l12 12M18 6L6 18",
  crown: "M4 18h16M4 15l-1-8 5 4 4-6 4 6 5-4-1 8z",
  plus: "M5 12h14M12 5v14",
  minus: "M5 12h14",
  send: "M5 12h14M13 6l6 6-6 6",
  download: "M12 4v11M7 11l5 5 5-5M5 20h14",
  reply: "M9 7L4 12l5 5M4 12h10a6 6 0 0 1 6 6",
  eye: "M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12zM12 9.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z",
  alert: "M12 4l9 16H3zM12 10v4M12 17v.5",
  help: "M9 9.5a3 3 0 1 1 4 2.8c-.8.3-1 .9-1 1.7M12 17v.5M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z",
  external: "M14 5h5v5M19 5l-8 8M17 14v5H5V7h5",
  down: "M12 5v14M6 13l6 6 6-6",
  tick: "M5 12.5l5 5L19 7",
  thread: "M6 4v9a3 3 0 0 0 3 3h10M15 12l4 4-4 4",
  voice: "M4 10v4h3l5 4V6L7 10zM15.5 9.5a4 4 0 0 1 0 5M18 7a8 8 0 0 1 0 10",
  forum: "M4 5h16v10h-9l-4 4v-4H4zM8 9h8M8 12h5",
  file: "M6 3h8l5 5v13H6zM14 3v5h5",
};

/** @param {Element} element @param {Record<string, any>} attributes */
function apply(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.replace(/^on/, ""), value);
    else if (name === "data")
      for (const [key, item] of Object.entries(value)) element.setAttribute(`data-${key}`, String(item));
    else element.setAttribute(name, value === true ? "" : String(value));
  }
}

/** @param {Element} element @param {Child[]} children */
function append(element, children) {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (Array.isArray(child)) append(element, child);
    else element.append(child instanceof Node ? child : String(child));
  }
}
