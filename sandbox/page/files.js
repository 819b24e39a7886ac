// The files that follow a message's text.
import { h, icon } from "./dom.js";
import { pictureElement } from "./viewer.js";
import { t } from "./words.js";

/**
 * @typedef {object} Attachment
 * @property {string} filename
 * @property {string} url
 * @property {string | null} description
 * @property {string | null} content_type
 * @property {number} size  bytes
 * @property {number | null} width
 * @property {number | null} height
 */

/** Pictures shown, everything else offered to be saved. @param {Attachment[]} attachments */
export function attachmentElements(attachments) {
  const pictures = attachments.filter(isPicture);
  const files = attachments.filter((attachment) => !isPicture(attachment));
  return [
    pictures.length > 0 &&
      h(
        "div",
        { class: pictures.length > 1 ? "pictures gallery" : "pictures" },
        pictures.map((picture) => pictureElement(picture)),
      ),
    files.map((file) => fileElement(file.filename, file.url, file.size, file.description)),
  ];
}

/**
 * A file with its size and a link that saves it.
 *
 * @param {string} name
 * @param {string} url
 * @param {number} [size] bytes
 * @param {string | null} [description]
 */
export function fileElement(name, url, size, description) {
  const weight = size === undefined ? null : h("span", { class: "soft" }, weightOf(size));
  return h(
    "a",
    {
      class: "file",
      href: url,
      download: name,
      title: description,
      "aria-label": `${t("download")}: ${name}`,
    },
    icon("file"),
    h("span", { class: "file-name" }, name, weight),
    icon("download"),
  );
}

/** @param {Attachment} attachment */
function isPicture(attachment) {
  return (
    /^image\/(?:png|jpeg|gif|webp)$/.test(attachment.content_type ?? "") ||
    /\.(?:png|jpe?g|gif|webp)$/i.test(attachment.filename)
  );
}

/** @param {number} bytes */
function weightOf(bytes) {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
