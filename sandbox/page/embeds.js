// What follows a message's text: embeds and files.
import { h, icon } from "./dom.js";
import { inline, link, markdown } from "./markdown.js";
import { timeElement } from "./times.js";
import { pictureElement } from "./viewer.js";
import { t } from "./words.js";

/** @typedef {import("./markdown.js").Names} Names */
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

/** @param {any} embed one of Discord's embed objects @param {Names} names */
export function embedElement(embed, names) {
  const card = h("article", { class: "embed" });
  if (embed.color !== undefined && embed.color !== null)
    card.style.setProperty("--stripe", colour(embed.color));
  const title =
    embed.title &&
    (embed.url ? link(embed.url, inline(embed.title, names), names) : inline(embed.title, names));
  card.append(
    ...present([
      embed.thumbnail && pictureElement(embed.thumbnail, "thumbnail"),
      embed.author &&
        h(
          "p",
          { class: "embed-author" },
          embed.author.url ? link(embed.author.url, [embed.author.name], names) : embed.author.name,
        ),
      title && h("p", { class: "embed-title" }, title),
      embed.description && h("div", { class: "prose" }, markdown(embed.description, names)),
      embed.fields?.length && fields(embed.fields, names),
      embed.image && pictureElement(embed.image),
      (embed.footer || embed.timestamp) &&
        h(
          "footer",
          {},
          embed.footer?.text,
          embed.footer && embed.timestamp && " · ",
          embed.timestamp && timeElement(new Date(embed.timestamp), "f"),
        ),
    ]),
  );
  return card;
}

/** Discord sends colours as one number. @param {number} value @returns {string} CSS's #rrggbb */
export function colour(value) {
  return `#${(value & 0xffffff).toString(16).padStart(6, "0")}`;
}

/** @param {{ name: string, value: string, inline?: boolean }[]} all @param {Names} names */
function fields(all, names) {
  const items = all.map((field) =>
    h(
      "div",
      { class: field.inline ? "inline" : "" },
      h("dt", {}, inline(field.name, names)),
      h("dd", {}, markdown(field.value, names)),
    ),
  );
  return h("dl", { class: "fields" }, items);
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

/** @param {any[]} nodes @returns {Node[]} */
function present(nodes) {
  return nodes.filter(Boolean);
}
