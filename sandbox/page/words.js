// Every word of the page, in both languages. What the bot says comes from the bot.

const EN = {
  altShow: "Show the description",
  app: "APP",
  archived: "Archived threads ({count})",
  botAway: "{name} is not connected: commands and buttons will not work until it is back.",
  botOffline: "{name} is not connected",
  cancel: "Cancel",
  cannotShow: "The sandbox cannot show this part of the form.",
  cannotWrite: "You cannot write here",
  channels: "Channels",
  channelStart: "This is where {channel} begins.",
  choose: "Choose",
  chooseAtLeast: "{option}: choose at least {min}.",
  chooseAtMost: "{option}: choose {max} at most.",
  chooseFromList: "{option}: choose one from the list.",
  chooseSeveral: "Choose {min} to {max}",
  close: "Close",
  commands: "Commands",
  connecting: "Connecting…",
  directMessages: "Direct messages",
  dismiss: "Dismiss",
  download: "Download",
  earlierMessage: "An earlier message",
  edited: "(edited)",
  enlarge: "Enlarge the picture",
  error_10003: "That no longer exists.",
  error_10008: "That no longer exists.",
  error_10062: "This form is no longer open.",
  error_10063: "This command no longer exists.",
  error_50001: "You cannot see this channel.",
  error_50013: "You are not allowed to do this here.",
  error_50035: "The message is empty or too long.",
  error_bad_choice: "That choice does not fit the menu.",
  error_bad_option: "One of the options cannot have that value.",
  error_command_not_allowed: "You are not allowed to use this command.",
  error_no_such_command: "This command does not exist here.",
  error_no_such_component: "That button or menu no longer works.",
  error_no_such_modal: "This form is no longer open.",
  error_option_missing: "Something that this command needs is missing.",
  error_thread_archived: "This thread is archived: commands do not work in it.",
  error_thread_locked: "This thread is locked.",
  error_unreachable: "The server is not answering. Trying again…",
  guide: "First steps",
  guideCalled: "Somebody is waiting for you in {channel}.",
  guideCalledDo: "Go there",
  guideDone: "Your move is played.",
  guideHide: "Hide the first steps",
  guideJoin: "A seat is free: press “{button}” below the invitation.",
  guideJoinDo: "Show it",
  guideMove: "It is your turn: press “{button}” below the board.",
  guideMoveDo: "Type /move",
  guideSit: "A seat is still free. Playing alone? Switch to another person, or press “{button}”.",
  guideSitDo: "Switch to {name}",
  guideStart: "New here? /learn lessons teaches you a game; /play starts one.",
  guideStartDo: "Type /play",
  guideStep: "Step {step} of {steps}",
  guideWait: "It is {name}'s turn. Switch to {name} to play that side, too.",
  interactionFailed: "This interaction failed",
  leaveCommand: "Leave this command",
  loading: "Loading…",
  lost: "Connection lost. Trying again…",
  menu: "People and channels",
  messagesIn: "Messages in {channel}",
  newMessages: "New",
  no: "False",
  noSuchCommand: "There is no command /{command} here.",
  notAnswered: "The application did not respond",
  notANumber: "{option}: please type a number.",
  nothingFound: "nothing found",
  onlyYou: "Only you can see this",
  openOriginal: "Open the original",
  openThread: "Open the thread",
  optionMissing: "{option}: please fill this in.",
  personMenu: "Apps: {name}",
  personMenuHint: "Right-click: the app's menu for this person",
  picture: "Picture",
  pings: "mentions: {count}",
  removeOption: "Remove {option}",
  required: "Required",
  role: "@role",
  send: "Send",
  sending: "Sending…",
  serverLanguage: "Language of {server}",
  sitAs: "Switch to {name}",
  skip: "To the message field",
  spoiler: "Spoiler",
  startedThread: "started a thread:",
  stranger: "See it as a stranger: names show only where the message carries them",
  submit: "Submit",
  suggestions: "suggestions: {count}",
  suggestionsFailed: "No suggestions right now. You can keep typing.",
  switchPerson: "Switch person",
  thinking: "{name} is thinking…",
  threadArchived: "Archived",
  threadLocked: "Locked",
  toMove: "{name} to move",
  toMoveShow: "To the board",
  toNewest: "To the newest message",
  tooHigh: "{option}: {max} at most.",
  tooLong: "{option}: {max} characters at most.",
  tooLow: "{option}: at least {min}.",
  tooShort: "{option}: at least {min} characters.",
  typing: "{name} is writing…",
  unknownChannel: "unknown",
  unknownPerson: "unknown-user",
  unread: "{count} unread",
  used: "used",
  writeBriefly: "Write, or type / for a command",
  writeHere: "Write to {channel}, or type / for a command",
  yes: "True",
  youAre: "You are",
  youAreHere: "You sit here",
  yourLanguage: "Your language",
  yourTurn: "Your turn",
  zoomIn: "Larger",
  zoomOut: "Smaller",
};

/** @type {Record<keyof typeof EN, string>} */
const NO = {
  altShow: "Vis beskrivelsen",
  app: "APP",
  archived: "Arkiverte tråder ({count})",
  botAway: "{name} er ikke tilkoblet: Kommandoer og knapper virker ikke før den er tilbake.",
  botOffline: "{name} er ikke tilkoblet",
  cancel: "Avbryt",
  cannotShow: "Sandkassen kan ikke vise denne delen av skjemaet.",
  cannotWrite: "Du kan ikke skrive her",
  channels: "Kanaler",
  channelStart: "Her begynner {channel}.",
  choose: "Velg",
  chooseAtLeast: "{option}: velg minst {min}.",
  chooseAtMost: "{option}: velg høyst {max}.",
  chooseFromList: "{option}: velg en fra listen.",
  chooseSeveral: "Velg {min} til {max}",
  close: "Lukk",
  commands: "Kommandoer",
  connecting: "Kobler til …",
  directMessages: "Direktemeldinger",
  dismiss: "Fjern",
  download: "Last ned",
  earlierMessage: "En tidligere melding",
  edited: "(redigert)",
  enlarge: "Forstørr bildet",
  error_10003: "Det finnes ikke lenger.",
  error_10008: "Det finnes ikke lenger.",
  error_10062: "Skjemaet er ikke åpent lenger.",
  error_10063: "Kommandoen finnes ikke lenger.",
  error_50001: "Du kan ikke se denne kanalen.",
  error_50013: "Du har ikke lov til dette her.",
  error_50035: "Meldingen er tom eller for lang.",
  error_bad_choice: "Valget passer ikke med menyen.",
  error_bad_option: "En av verdiene kan ikke brukes.",
  error_command_not_allowed: "Du har ikke lov til å bruke denne kommandoen.",
  error_no_such_command: "Kommandoen finnes ikke her.",
  error_no_such_component: "Knappen eller menyen kan ikke brukes lenger.",
  error_no_such_modal: "Skjemaet er ikke åpent lenger.",
  error_option_missing: "Det mangler noe som denne kommandoen trenger.",
  error_thread_archived: "Tråden er arkivert: Kommandoer virker ikke i den.",
  error_thread_locked: "Tråden er låst.",
  error_unreachable: "Serveren svarer ikke. Prøver igjen …",
  guide: "De første stegene",
  guideCalled: "Noen venter på deg i {channel}.",
  guideCalledDo: "Gå dit",
  guideDone: "Trekket ditt er gjort.",
  guideHide: "Skjul de første stegene",
  guideJoin: "En plass er ledig: Trykk på «{button}» under invitasjonen.",
  guideJoinDo: "Vis den",
  guideMove: "Det er din tur: Trykk på «{button}» under brettet.",
  guideMoveDo: "Skriv /move",
  guideSit: "Det er fortsatt en ledig plass. Spiller du alene? Bytt person, eller trykk på «{button}».",
  guideSitDo: "Bytt til {name}",
  guideStart: "Ny her? /learn lessons lærer deg et spill; /play starter et parti.",
  guideStartDo: "Skriv /play",
  guideStep: "Steg {step} av {steps}",
  guideWait: "{name} skal trekke. Bytt til {name} for å spille den siden også.",
  interactionFailed: "Handlingen mislyktes",
  leaveCommand: "Forlat kommandoen",
  loading: "Laster …",
  lost: "Forbindelsen er brutt. Prøver igjen …",
  menu: "Personer og kanaler",
  messagesIn: "Meldinger i {channel}",
  newMessages: "Nytt",
  no: "False",
  noSuchCommand: "Kommandoen /{command} finnes ikke her.",
  notAnswered: "Appen svarte ikke",
  notANumber: "{option}: skriv et tall.",
  nothingFound: "ingen treff",
  onlyYou: "Bare du kan se dette",
  openOriginal: "Åpne originalen",
  openThread: "Åpne tråden",
  optionMissing: "{option}: må fylles ut.",
  personMenu: "Apper: {name}",
  personMenuHint: "Høyreklikk: appens meny for denne personen",
  picture: "Bilde",
  pings: "omtaler: {count}",
  removeOption: "Fjern {option}",
  required: "Må fylles ut",
  role: "@rolle",
  send: "Send",
  sending: "Sender …",
  serverLanguage: "Språket på {server}",
  sitAs: "Bytt til {name}",
  skip: "Til meldingsfeltet",
  spoiler: "Skjult innhold",
  startedThread: "startet en tråd:",
  stranger: "Se det som en fremmed: Navn vises bare der de følger med meldingen",
  submit: "Send inn",
  suggestions: "forslag: {count}",
  suggestionsFailed: "Ingen forslag akkurat nå. Skriv gjerne videre.",
  switchPerson: "Bytt person",
  thinking: "{name} tenker …",
  threadArchived: "Arkivert",
  threadLocked: "Låst",
  toMove: "{name} skal trekke",
  toMoveShow: "Til brettet",
  toNewest: "Til den nyeste meldingen",
  tooHigh: "{option}: høyst {max}.",
  tooLong: "{option}: høyst {max} tegn.",
  tooLow: "{option}: minst {min}.",
  tooShort: "{option}: minst {min} tegn.",
  typing: "{name} skriver …",
  unknownChannel: "ukjent",
  unknownPerson: "ukjent-bruker",
  unread: "uleste: {count}",
  used: "brukte",
  writeBriefly: "Skriv, eller / for en kommando",
  writeHere: "Skriv til {channel}, eller / for en kommando",
  yes: "True",
  youAre: "Du er",
  youAreHere: "Du sitter her",
  yourLanguage: "Ditt språk",
  yourTurn: "Din tur",
  zoomIn: "Større",
  zoomOut: "Mindre",
};

/** Both catalogues, for the test that compares them. */
export const WORDS = { en: EN, no: NO };

/** @type {"en" | "no"} */
let current = navigator.language.match(/^(?:no|nb|nn)\b/) ? "no" : "en";

/** The page's language. */
export function language() {
  return current;
}

/** Speaks the language of one of Discord's locales from now on. @param {string} locale */
export function speak(locale) {
  current = locale === "no" ? "no" : "en";
  document.documentElement.lang = current;
}

/**
 * A text in the page's language, its {places} filled in.
 *
 * @param {keyof typeof EN} key
 * @param {Record<string, string | number>} [values]
 */
export function t(key, values = {}) {
  return WORDS[current][key].replace(/\{(\w+)\}/g, (place, name) => String(values[name] ?? place));
}

/** What the bot writes on those of its buttons that the guide names. */
const BUTTONS = {
  en: { house: "Let the house sit", join: "Join", move: "Move" },
  no: { house: "La huset ta plass", join: "Bli med", move: "Trekk" },
};

/**
 * One of them: posts speak the server's language, not the reader's.
 *
 * @param {keyof typeof BUTTONS.en} name
 * @param {string} locale of the server
 */
export function botButton(name, locale) {
  return BUTTONS[locale === "no" ? "no" : "en"][name];
}

/**
 * What to tell the reader about a refused request: our own words where we have some, else the server's.
 *
 * @param {import("./api.js").Refused} error
 */
export function refusal(error) {
  const own = WORDS[current][/** @type {keyof typeof EN} */ (`error_${error.code}`)];
  return own ?? error.message;
}
