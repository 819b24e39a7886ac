// Lists that are one Tab stop each: the arrow keys, Home and End move the focus within them.

/** @type {Record<string, number>} */
const STEPS = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1, Home: -Infinity, End: Infinity };

/**
 * Returns what a list does with the keys. Of its controls one has tabindex 0, the others -1, so that Tab enters there; a
 * list without such a control is entered otherwise.
 *
 * @param {string} selector  of the controls
 * @returns {(event: KeyboardEvent) => void}
 */
export function moveBetween(selector) {
  return (event) => {
    if (!(event.key in STEPS) || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const list = /** @type {HTMLElement} */ (event.currentTarget);
    const all = /** @type {HTMLElement[]} */ ([...list.querySelectorAll(selector)]);
    const shown = all.filter((control) => control.checkVisibility());
    const at = shown.findIndex((control) => control === document.activeElement);
    if (at < 0) return;
    event.preventDefault();
    const next = shown[Math.max(0, Math.min(at + STEPS[event.key], shown.length - 1))];
    const stop = all.find((control) => control.tabIndex === 0);
    if (stop) [stop.tabIndex, next.tabIndex] = [-1, 0];
    next.focus();
  };
}
