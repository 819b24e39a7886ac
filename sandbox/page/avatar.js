// Faces: initials on a colour for people, the mark for the bot.
import { h, svg } from "./dom.js";

/** White letters reach WCAG's 4.5:1 on each of them. */
const COLOURS = ["#0b6aa2", "#00745a", "#7a4fa3", "#8a5a00", "#4d6b1f", "#3d5a99", "#a84300", "#b0305c"];

/**
 * A round face, hidden from screen readers: the name always stands beside it.
 *
 * @param {{ id: string, name: string, bot?: boolean }} person
 * @param {string} [className]
 */
export function avatar(person, className = "") {
  const face = h("span", {
    class: `avatar ${className}`,
    "aria-hidden": "true",
    data: { person: person.id },
  });
  if (person.bot) {
    face.classList.add("bot");
    face.append(mark());
  } else {
    face.style.setProperty("--face", colourOf(person.name));
    face.append(initials(person.name));
  }
  return face;
}

/** The sandbox's mark: a table seen from above, with six chairs. */
export function mark() {
  // The chairs are the dashes of a ring: a sixth of its length each, a bit more chair than gap.
  const chairs = svg("circle", {
    cx: 16,
    cy: 16,
    r: 14,
    class: "chairs",
    pathLength: 60,
    "stroke-dasharray": "6.6 3.4",
    "stroke-dashoffset": 3.3,
  });
  return svg(
    "svg",
    { viewBox: "0 0 32 32", class: "mark", "aria-hidden": "true" },
    svg("circle", { cx: 16, cy: 16, r: 10.2 }),
    chairs,
  );
}

/** "Ada" gives "A", "Sir Lancelot" gives "SL". @param {string} name */
function initials(name) {
  const words = name.trim().split(/\s+/).filter(Boolean);
  return words
    .slice(0, 2)
    .map((word) => [...word][0].toUpperCase())
    .join("");
}

/**
 * The same colour for the same name in every tab; the four people of a new sandbox get four different ones.
 *
 * @param {string} name
 */
function colourOf(name) {
  let sum = 0;
  for (const letter of name) sum = (sum * 7 + (letter.codePointAt(0) ?? 0)) % 9973;
  return COLOURS[sum % COLOURS.length];
}
