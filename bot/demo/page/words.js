// The texts of Round Table's first steps, and those that replace the page's own, in both languages.
import { complete, language } from "/page/words.js";

const EN = {
  guideCalled: "There is something new for you in {channel}.",
  guideCalledDo: "Go there",
  guideDone: "You have played your move.",
  guideJoin: "A seat is free: press “{button}” below the invitation.",
  guideJoinDo: "Show it",
  guideMove: "It is your turn: press “{button}” below the board.",
  guideMoveDo: "Type /move",
  guideOver: "The game is over: “{review}” below its last board shows where it turned, “{button}” starts another one.",
  guideSit: "A seat is still free. Playing alone? Switch to another person, or press “{button}”.",
  guideSitDo: "Switch to {name}",
  guideStart: "New here? Six short lessons teach you Camelot; then play a game.",
  guideStartDo: "Start the lessons",
  guideStartGame: "Start a game",
  guideTurnIn: "It is your turn in {channel}.",
  guideWait: "It is {name}'s turn. Switch to {name} to play that side too.",
  toMove: "{name} to move",
  toMoveShow: "To the board",
};

/** @type {Record<keyof typeof EN, string>} */
const NO = {
  guideCalled: "Det er noe nytt til deg i {channel}.",
  guideCalledDo: "Gå dit",
  guideDone: "Trekket ditt er gjort.",
  guideJoin: "En plass er ledig: Trykk på «{button}» under invitasjonen.",
  guideJoinDo: "Vis den",
  guideMove: "Det er din tur: Trykk på «{button}» under brettet.",
  guideMoveDo: "Skriv /move",
  guideOver: "Partiet er slutt: «{review}» under det siste brettet viser hvor det snudde, «{button}» starter et nytt.",
  guideSit: "Det er fortsatt en ledig plass. Spiller du alene? Bytt person, eller trykk på «{button}».",
  guideSitDo: "Bytt til {name}",
  guideStart: "Ny her? Seks korte leksjoner lærer deg Camelot; spill et parti etterpå.",
  guideStartDo: "Start leksjonene",
  guideStartGame: "Start et parti",
  guideTurnIn: "Det er din tur i {channel}.",
  guideWait: "{name} er i trekket. Bytt til {name} for å spille den siden også.",
  toMove: "{name} er i trekket",
  toMoveShow: "Til brettet",
};

export const words = { en: EN, no: NO };

/**
 * A text in the page's language, its {places} filled in.
 *
 * @param {keyof typeof EN} key
 * @param {Record<string, string | number>} [values]
 */
export function t(key, values = {}) {
  return complete(words[language()][key], values);
}

/** The labels of those buttons of the bot that the first steps name. */
const BUTTONS = {
  en: { house: "Fill seats with bots", join: "Join", move: "Move", rematch: "Rematch", review: "Review" },
  no: { house: "Fyll plassene med boter", join: "Bli med", move: "Trekk", rematch: "Spill igjen", review: "Gjennomgang" },
};

/**
 * Returns a button's label: posts are in the server's language, which may not be the reader's.
 *
 * @param {keyof typeof BUTTONS.en} name
 * @param {string} locale of the server
 */
export function botButton(name, locale) {
  return BUTTONS[locale === "no" ? "no" : "en"][name];
}
