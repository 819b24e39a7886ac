// A picture that fills its stage and can be zoomed and moved: wheel, pinch, drag, double press, and keys.
import { h } from "./dom.js";

const LARGEST = 6;
const STEP = 1.5;
const MOVE = 80;

/** `x` and `y` are how far the picture's centre lies from the stage's centre, in pixels. */
export class Zoom {
  /** @param {HTMLImageElement} image */
  constructor(image) {
    this.image = image;
    this.scale = 1;
    this.x = 0;
    this.y = 0;
    /** Whether the last press was one beside the picture, and not the beginning of a drag. */
    this.beside = false;
    /** @type {Map<number, PointerEvent>} the fingers on the stage */
    this.fingers = new Map();
    this.element = h(
      "div",
      {
        class: "stage",
        onpointerdown: (/** @type {PointerEvent} */ event) => this.down(event),
        onpointermove: (/** @type {PointerEvent} */ event) => this.move(event),
        onpointerup: (/** @type {PointerEvent} */ event) => this.fingers.delete(event.pointerId),
        onpointercancel: (/** @type {PointerEvent} */ event) => this.fingers.delete(event.pointerId),
        ondblclick: (/** @type {MouseEvent} */ event) => this.to(this.scale > 1 ? 1 : 2.5, event),
      },
      image,
    );
    const wheel = (/** @type {WheelEvent} */ event) => {
      event.preventDefault();
      this.to(this.scale * Math.exp(-event.deltaY / 400), event);
    };
    this.element.addEventListener("wheel", wheel, { passive: false });
  }

  in() {
    this.to(this.scale * STEP);
  }

  out() {
    this.to(this.scale / STEP);
  }

  /** The keys of the enlarged view. */
  key = (/** @type {KeyboardEvent} */ event) => {
    const act = {
      "+": () => this.in(),
      "-": () => this.out(),
      0: () => this.to(1),
      ArrowLeft: () => this.shift(MOVE, 0),
      ArrowRight: () => this.shift(-MOVE, 0),
      ArrowUp: () => this.shift(0, MOVE),
      ArrowDown: () => this.shift(0, -MOVE),
    }[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  };

  /**
   * Zooms so that the point under the pointer stays there.
   *
   * @param {number} scale
   * @param {{ clientX: number, clientY: number }} [point]  the stage's centre without it
   */
  to(scale, point) {
    const { left, top, width, height } = this.element.getBoundingClientRect();
    const across = point ? point.clientX - left - width / 2 : 0;
    const down = point ? point.clientY - top - height / 2 : 0;
    const wanted = Math.min(LARGEST, Math.max(1, scale));
    const factor = wanted / this.scale;
    this.scale = wanted;
    this.x = across - (across - this.x) * factor;
    this.y = down - (down - this.y) * factor;
    this.show();
  }

  /** @param {number} across @param {number} down */
  shift(across, down) {
    this.x += across;
    this.y += down;
    this.show();
  }

  /** @param {PointerEvent} event */
  down(event) {
    this.element.setPointerCapture(event.pointerId);
    this.fingers.set(event.pointerId, event);
    this.beside = event.target === this.element && this.fingers.size === 1;
  }

  /** @param {PointerEvent} event */
  move(event) {
    const before = this.fingers.get(event.pointerId);
    if (!before) return;
    const other = [...this.fingers.values()].find((finger) => finger.pointerId !== event.pointerId);
    if (other) {
      const middle = {
        clientX: (event.clientX + other.clientX) / 2,
        clientY: (event.clientY + other.clientY) / 2,
      };
      this.to((this.scale * distance(event, other)) / Math.max(1, distance(before, other)), middle);
    }
    // With two fingers each carries the picture half of its way.
    const share = other ? 0.5 : 1;
    this.shift((event.clientX - before.clientX) * share, (event.clientY - before.clientY) * share);
    if (this.scale > 1) this.beside = false;
    this.fingers.set(event.pointerId, event);
  }

  /** Draws the picture at its position, which never leaves the stage. */
  show() {
    const { clientWidth, clientHeight } = this.element;
    const freeX = Math.max(0, (this.image.offsetWidth * this.scale - clientWidth) / 2);
    const freeY = Math.max(0, (this.image.offsetHeight * this.scale - clientHeight) / 2);
    this.x = Math.min(freeX, Math.max(-freeX, this.x));
    this.y = Math.min(freeY, Math.max(-freeY, this.y));
    this.image.style.transform = `translate(${this.x}px, ${this.y}px) scale(${this.scale})`;
    this.element.classList.toggle("zoomed", this.scale > 1);
  }
}

/** @param {PointerEvent} one @param {PointerEvent} other */
function distance(one, other) {
  return Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
}
