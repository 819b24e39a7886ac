// Every word of the page, in both languages. What the bot says comes from the bot.

const EN = {
  altShow: "Show the description",
  app: "APP",
  archived: "Archived threads ({count})",
  botAway: "{name} is not connected: commands and buttons will not be answered until it is back.",
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
  connecting: "Taking a seat…",
  directMessages: "Direct messages",
  dismiss: "Dismiss",
  download: "Download",
  earlierMessage: "An earlier message",
  edited: "(edited)",
  enlarge: "Enlarge the picture",
  error_10003: "That is not there any more.",
  error_10008: "That is not there any more.",
  error_10062: "This form is no longer open.",
  error_10063: "This command does not exist any more.",
  error_50001: "You cannot see this channel.",
  error_50013: "You may not do this here.",
  error_50035: "The message is empty or too long.",
  error_bad_choice: "That choice does not fit the menu.",
  error_bad_option: "One of the options cannot have that value.",
  error_command_not_allowed: "You may not use this command.",
  error_no_such_command: "This command does not exist here.",
  error_no_such_component: "That button or menu cannot be used any more.",
  error_no_such_modal: "This form is no longer open.",
  error_option_missing: "Something that this command needs is missing.",
  error_thread_archived: "This thread is archived: commands do not work in it.",
  error_thread_locked: "This thread is locked.",
  error_unreachable: "The server does not answer. It will be tried again.",
  guide: "First steps",
  guideCalled: "Somebody waits for you in {channel}.",
  guideCalledDo: "Go there",
  guideDone: "Your move is played. Now the next player is called. Enjoy the game!",
  guideHide: "Hide the first steps",
  guideJoin:
    "There is a free seat: press “{button}” under the invitation. When all are taken, the game begins.",
  guideJoinDo: "Show it",
  guideMove: "It is your turn. Type /move, then choose a piece and where it goes; the list helps along.",
  guideMoveDo: "Type /move",
  guideSit:
    "A seat is free. Nobody to play with? Sit down as somebody else: press a face, or open it in a tab of its own.",
  guideSitDo: "Sit as {name}",
  guideStart: "Start a game: type /play and choose which one.",
  guideStartDo: "Type /play",
  guideStep: "Step {step} of {steps}",
  guideWait: "It is {name}'s turn. To move on the other side, sit down as {name}.",
  interactionFailed: "This interaction failed",
  leaveCommand: "Leave this command",
  loading: "Loading…",
  lost: "The connection is lost. Trying again…",
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
  picture: "Picture",
  pings: "calls for you: {count}",
  removeOption: "Remove {option}",
  required: "Required",
  role: "@role",
  send: "Send",
  sending: "Sending…",
  serverLanguage: "Language of {server}",
  sitAs: "Sit down as {name}",
  skip: "To the message field",
  spoiler: "Spoiler",
  startedThread: "started a thread:",
  submit: "Submit",
  suggestions: "suggestions: {count}",
  suggestionsFailed: "No suggestions just now. You may type on.",
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
  unknownPerson: "unknown",
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
  botAway: "{name} er ikke tilkoblet: kommandoer og knapper får ikke svar før den er tilbake.",
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
  connecting: "Finner en plass ved bordet…",
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
  error_thread_archived: "Tråden er arkivert: kommandoer virker ikke i den.",
  error_thread_locked: "Tråden er låst.",
  error_unreachable: "Serveren svarer ikke. Det prøves igjen.",
  guide: "De første stegene",
  guideCalled: "Noen venter på deg i {channel}.",
  guideCalledDo: "Gå dit",
  guideDone: "Trekket ditt er gjort. Nå er neste spiller tilkalt. God fornøyelse!",
  guideHide: "Skjul de første stegene",
  guideJoin:
    "Det er en ledig plass: trykk på «{button}» under invitasjonen. Når alle er tatt, begynner partiet.",
  guideJoinDo: "Vis den",
  guideMove: "Det er din tur. Skriv /move, velg en brikke og hvor den skal; listen hjelper deg videre.",
  guideMoveDo: "Skriv /move",
  guideSit:
    "En plass er ledig. Ingen å spille med? Sett deg som en annen: trykk på et ansikt, eller åpne det i en egen fane.",
  guideSitDo: "Bli {name}",
  guideStart: "Start et parti: skriv /play og velg hvilket spill.",
  guideStartDo: "Skriv /play",
  guideStep: "Steg {step} av {steps}",
  guideWait: "{name} skal trekke. Sett deg som {name} for å trekke på den andre siden.",
  interactionFailed: "Handlingen mislyktes",
  leaveCommand: "Forlat kommandoen",
  loading: "Laster…",
  lost: "Forbindelsen er brutt. Prøver igjen…",
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
  picture: "Bilde",
  pings: "kaller på deg: {count}",
  removeOption: "Fjern {option}",
  required: "Må fylles ut",
  role: "@rolle",
  send: "Send",
  sending: "Sender…",
  serverLanguage: "Språket på {server}",
  sitAs: "Sett deg som {name}",
  skip: "Til meldingsfeltet",
  spoiler: "Skjult innhold",
  startedThread: "startet en tråd:",
  submit: "Send inn",
  suggestions: "forslag: {count}",
  suggestionsFailed: "Ingen forslag akkurat nå. Skriv gjerne videre.",
  switchPerson: "Bytt person",
  thinking: "{name} tenker…",
  threadArchived: "Arkivert",
  threadLocked: "Låst",
  toMove: "{name} skal trekke",
  toMoveShow: "Til brettet",
  toNewest: "Til den nyeste meldingen",
  tooHigh: "{option}: høyst {max}.",
  tooLong: "{option}: høyst {max} tegn.",
  tooLow: "{option}: minst {min}.",
  tooShort: "{option}: minst {min} tegn.",
  typing: "{name} skriver…",
  unknownChannel: "ukjent",
  unknownPerson: "ukjent",
  unread: "{count} uleste",
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

/**
 * What the bot writes on the button that takes a seat: posts speak the server's language, not the reader's.
 *
 * @param {string} locale of the server
 */
export function joinButton(locale) {
  return locale === "no" ? "Bli med" : "Join";
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
