// The position in the log: it stays at the newest message until the reader scrolls away, and returns there for
// messages to the reader.
import { fill, h, icon } from "./dom.js";
import { t } from "./words.js";

const END_MARGIN = 90;

/** The scrolling box around a log's list, and the button that leads back to the newest message. */
export class Follow {
  /**
   * @param {HTMLElement} box  what scrolls
   * @param {HTMLElement} list  its only child
   */
  constructor(box, list) {
    this.box = box;
    this.list = list;
    /** Whether the newest message stays in view; only the reader's own scrolling ends that. */
    this.pinned = true;
    /** @type {HTMLElement | null} The newest message, if it is taller than the box: no other may push it away. */
    this.reading = null;
    /** How far its top lay below the box's top. */
    this.readAt = 0;
    this.unseen = 0;
    this.seen = this.geometry();
    this.pill = h("button", { type: "button", class: "newest", hidden: true, onclick: () => this.toNewest() });
    box.addEventListener("scroll", () => this.scrolled());
    for (const part of [box, list]) new ResizeObserver(() => this.resized()).observe(part);
  }

  geometry() {
    const { scrollTop, scrollHeight, clientHeight } = this.box;
    const atEnd = scrollHeight - scrollTop - clientHeight < END_MARGIN;
    return { scrollTop, scrollHeight, clientHeight, atEnd };
  }

  /** Shows the newest message and keeps it in view. One that is taller than the box is read from its top. */
  toNewest() {
    const last = /** @type {HTMLElement | null} */ (this.list.lastElementChild);
    this.show(last && last.offsetHeight > this.box.clientHeight ? last : null);
  }

  /** Shows the top of that message, or the end of the log. @param {HTMLElement | null} reading */
  show(reading) {
    this.pinned = true;
    this.unseen = 0;
    this.reading = reading;
    if (reading) this.box.scrollTop += this.offset(reading);
    else this.box.scrollTop = this.box.scrollHeight;
    this.remember();
  }

  /**
   * The list has been drawn again. A message that grew leaves a reader at the end there, as in Discord.
   *
   * @param {boolean} added  its last message is new
   */
  changed(added) {
    if (!this.pinned || this.keepReading()) return;
    if (added) this.toNewest();
    else this.show(null);
  }

  /** Moves the message that is read back to where it was, whatever changed above it; false if none is too tall now. */
  keepReading() {
    if (this.reading && !this.reading.isConnected)
      this.reading = this.list.querySelector(`[data-id="${this.reading.dataset.id}"]`); // it was drawn again
    if (!this.reading || this.reading.offsetHeight <= this.box.clientHeight) return false;
    this.box.scrollTop += this.offset(this.reading) - this.readAt;
    this.remember();
    return true;
  }

  /**
   * Something has been added below.
   *
   * @param {boolean} forReader  then it is shown at once
   */
  arrived(forReader) {
    if (forReader) this.toNewest();
    else if (!this.pinned || this.reading) this.unseen += 1;
    this.render();
  }

  /** What came in above the reader has moved everything down by its height. @param {number} before */
  keepPlace(before) {
    if (!this.pinned) this.box.scrollTop += this.box.scrollHeight - before;
  }

  /** How far the element's top lies below the box's top, in pixels. @param {HTMLElement} element */
  offset(element) {
    return element.getBoundingClientRect().top - this.box.getBoundingClientRect().top;
  }

  scrolled() {
    const now = this.geometry();
    const { seen } = this;
    const resized = now.scrollHeight !== seen.scrollHeight || now.clientHeight !== seen.clientHeight;
    // A position that moved because of a change in size was not moved by the reader: `resized` handles it.
    if (resized && !now.atEnd) return;
    if (now.atEnd) this.pinned = true;
    else if (now.scrollTop < seen.scrollTop) this.pinned = false;
    if (now.atEnd) this.unseen = 0;
    // A message that is a little taller than the box is near the end, too, where it stands at its top.
    if (now.atEnd && now.scrollTop > seen.scrollTop) this.reading = null;
    this.remember();
  }

  /** The end stays in view, or all of a newest message that was; a reader elsewhere keeps the line at the bottom. */
  resized() {
    const last = /** @type {HTMLElement | null} */ (this.list.lastElementChild);
    const wasWhole = last !== null && last.offsetHeight <= this.seen.clientHeight;
    if (this.pinned && this.keepReading()) return;
    if (this.pinned && (this.reading || this.seen.atEnd)) {
      if (this.reading || wasWhole) this.toNewest();
      else this.box.scrollTop = this.box.scrollHeight;
    } else if (!this.pinned) this.box.scrollTop += this.seen.clientHeight - this.box.clientHeight;
    this.remember();
  }

  remember() {
    this.seen = this.geometry();
    this.readAt = this.reading ? this.offset(this.reading) : 0;
    this.render();
  }

  render() {
    this.pill.hidden = this.pinned && this.unseen === 0;
    this.pill.setAttribute("aria-label", t("toNewest"));
    fill(this.pill, this.unseen > 0 && t("newMessages"), icon("down"));
    this.pill.classList.toggle("unseen", this.unseen > 0);
  }
}
