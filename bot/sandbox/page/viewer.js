// Pictures: in the message, with their alt text one press away, and enlarged.
import { fill, h, icon } from "./dom.js";
import { t } from "./words.js";

/**
 * @typedef {object} Picture
 * @property {string} url
 * @property {string | null} [description]  its alt text
 * @property {number | null} [width]
 * @property {number | null} [height]
 * @property {boolean} [spoiler]
 */

/** A picture as it stands in a message. @param {Picture} picture @param {string} [className] */
export function pictureElement(picture, className = "") {
  const alt = picture.description ?? "";
  const image = h("img", {
    src: picture.url,
    alt,
    width: picture.width,
    height: picture.height,
    decoding: "async",
  });
  const label = alt ? `${t("enlarge")}: ${alt}` : t("enlarge");
  const open = h(
    "button",
    { type: "button", class: "picture", "aria-label": label, onclick: () => enlarge(picture) },
    image,
  );
  const figure = h("figure", { class: `pictured ${className}` }, open);
  if (picture.spoiler) cover(open);
  if (alt) figure.append(...altText(alt));
  return figure;
}

/** The "ALT" toggle and the text it shows. @param {string} alt */
function altText(alt) {
  const caption = h("figcaption", { hidden: true }, alt);
  const toggle = h(
    "button",
    { type: "button", class: "alt", "aria-expanded": "false", title: t("altShow") },
    "ALT",
  );
  toggle.addEventListener("click", () => {
    caption.hidden = !caption.hidden;
    toggle.setAttribute("aria-expanded", String(!caption.hidden));
  });
  return [toggle, caption];
}

/** The first press on a covered picture uncovers it, the next enlarges it. @param {HTMLElement} button */
function cover(button) {
  button.classList.add("covered");
  button.addEventListener(
    "click",
    (event) => {
      event.stopImmediatePropagation();
      button.classList.remove("covered");
    },
    { once: true, capture: true },
  );
}

/** Shows the picture as large as the window allows, with its alt text below. @param {Picture} picture */
function enlarge(picture) {
  const dialog = h("dialog", { class: "viewer", "aria-label": t("picture") });
  const close = h(
    "button",
    { type: "button", class: "round", "aria-label": t("close"), onclick: () => dialog.close() },
    icon("close"),
  );
  const original = h("a", { href: picture.url, target: "_blank", rel: "noopener" }, t("openOriginal"));
  fill(
    dialog,
    h("img", { src: picture.url, alt: picture.description ?? "" }),
    h("footer", {}, picture.description && h("p", {}, picture.description), original),
    close,
  );
  dialog.addEventListener("click", (/** @type {MouseEvent} */ event) => {
    if (event.target === dialog) dialog.close();
  });
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
