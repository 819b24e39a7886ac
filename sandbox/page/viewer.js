// Pictures: in the message, with a button for their alt text, and enlarged.
import { h, icon } from "./dom.js";
import { t } from "./words.js";
import { Zoom } from "./zoom.js";

/**
 * @typedef {object} Picture
 * @property {string} url
 * @property {string | null} [description]  its alt text
 * @property {number | null} [width]
 * @property {number | null} [height]
 * @property {boolean} [spoiler]
 */

/**
 * A picture as it stands in a message. Screen readers read its alt text once, at the image: the button over it names only
 * its action, and there is no <figure>, as a caption names one even while it is hidden.
 *
 * @param {Picture} picture
 */
export function pictureElement(picture) {
  const alt = picture.description ?? "";
  const { url, width, height } = picture;
  const open = h("button", {
    type: "button",
    class: "picture",
    "aria-label": t("enlarge"),
    title: t("enlarge"),
    onclick: () => enlarge(picture),
  });
  const image = h("img", { src: url, alt, width, height, decoding: "async" });
  const block = h("div", { class: "pictured" }, h("div", { class: "frame" }, image, open));
  if (width && height) {
    // The size is set before the picture loads, so that nothing moves when it does.
    block.classList.add("sized");
    block.style.setProperty("--width", `${width}px`);
    block.style.setProperty("--ratio", String(width / height));
  }
  if (picture.spoiler) cover(block, open);
  if (alt) block.append(...altText(alt));
  return block;
}

/**
 * The "ALT" toggle and the text it shows. The keyboard finds the same text in the enlarged view.
 *
 * @param {string} alt
 */
function altText(alt) {
  const caption = h("p", { class: "caption", hidden: true, "aria-hidden": "true" }, alt);
  const attributes = {
    type: "button",
    class: "alt",
    tabindex: "-1",
    "aria-expanded": "false",
    title: t("altShow"),
  };
  const toggle = h("button", attributes, "ALT");
  toggle.addEventListener("click", () => {
    caption.hidden = !caption.hidden;
    toggle.setAttribute("aria-expanded", String(!caption.hidden));
  });
  return [toggle, caption];
}

/**
 * The first press on a covered picture uncovers it, the next enlarges it.
 *
 * @param {HTMLElement} block
 * @param {HTMLElement} button
 */
function cover(block, button) {
  block.classList.add("covered");
  button.addEventListener(
    "click",
    (event) => {
      event.stopImmediatePropagation();
      block.classList.remove("covered");
    },
    { once: true, capture: true },
  );
}

/** Shows the picture as large as the window allows, to be zoomed into. @param {Picture} picture */
function enlarge(picture) {
  const { url, width, height, description } = picture;
  const image = h("img", { src: url, alt: description ?? "", width, height, draggable: "false" });
  if (width && height) image.style.setProperty("--ratio", String(width / height));
  const zoom = new Zoom(image);
  /** @param {"plus" | "minus" | "close"} name @param {string} label @param {() => void} onclick */
  const tool = (name, label, onclick) =>
    h("button", { type: "button", class: "round", "aria-label": label, title: label, onclick }, icon(name));
  const dialog = h(
    "dialog",
    { class: "viewer", "aria-label": t("picture"), onkeydown: zoom.key },
    zoom.element,
    h(
      "div",
      { class: "viewer-tools" },
      tool("minus", t("zoomOut"), () => zoom.out()),
      tool("plus", t("zoomIn"), () => zoom.in()),
      tool("close", t("close"), () => dialog.close()),
    ),
    h(
      "footer",
      {},
      description &&
        h("details", {}, h("summary", {}, t("altShow")), h("p", { "aria-hidden": "true" }, description)),
      h("a", { href: url, target: "_blank", rel: "noopener" }, t("openOriginal")),
    ),
  );
  zoom.element.addEventListener("click", () => zoom.beside && dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
