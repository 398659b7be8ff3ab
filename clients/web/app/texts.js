/**
 * What the client says, in the player's language. A language is one file in `texts/` and its name in this list.
 *
 * A text is a string with `{name}` where a value goes, or a function of the values where grammar needs more.
 */

export const LANGUAGES = { en: "English", fr: "Français" };

/** The language that a setting means: itself, or the first that the browser asks for and we have. */
export function languageOf(setting, wanted = navigator.languages ?? []) {
  if (setting in LANGUAGES) return setting;
  return wanted.map((tag) => tag.slice(0, 2).toLowerCase()).find((code) => code in LANGUAGES) ?? "en";
}

export class Texts {
  constructor(code, words) {
    this.code = code;
    this.words = words;
  }

  static async load(code) {
    const { default: words } = await import(`./texts/${code}.js`);
    return new Texts(code, words);
  }

  /** For dates and numbers: the browser's own kind of this language where it has one (en-GB, fr-CA). */
  get locale() {
    return (navigator.languages ?? []).find((tag) => tag.slice(0, 2).toLowerCase() === this.code) ?? this.code;
  }

  /** The letters to draw on cards where they differ from the wire's. */
  get letters() {
    return this.words.letters;
  }

  /** A text by its path ("bar.undo"). An unknown path gives itself: visible, and harmless. */
  say(path, values = {}) {
    const text = path.split(".").reduce((words, name) => words?.[name], this.words);
    if (typeof text === "function") return text(values);
    if (typeof text !== "string") return path;
    return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
  }

  has(path) {
    return path.split(".").reduce((words, name) => words?.[name], this.words) !== undefined;
  }

  /** A card in words: "7 of hearts". */
  card(card) {
    const [rank, suit] = card;
    return this.words.card({ rank: this.words.ranks[rank] ?? rank, suit: this.words.suits[suit], suitLetter: suit, rankLetter: rank });
  }

  cards(cards) {
    return new Intl.ListFormat(this.code, { type: "conjunction" }).format(cards.map((card) => this.card(card)));
  }

  /** Why a move is not taken, for the player. */
  reason(reason) {
    return this.has(`reasons.${reason}`) ? this.say(`reasons.${reason}`) : this.say("reasons.other");
  }

  /** What went wrong, for the player: a problem of the server or a lost connection. */
  problem(error) {
    if (error.code === "invalid_code" && this.has(`codes.${error.params.part}`)) return this.say(`codes.${error.params.part}`);
    return this.has(`problems.${error.code}`) ? this.say(`problems.${error.code}`) : this.say("problems.other");
  }

  /** A game and its variant: "Seahaven Towers", "easy". */
  game(ruleset) {
    return this.has(`games.${ruleset.game}`) ? this.say(`games.${ruleset.game}`) : ruleset.title;
  }

  variant(ruleset) {
    const path = `variants.${ruleset.game}.${ruleset.variant}`;
    return this.has(path) ? this.say(path) : ruleset.variant;
  }

  /** A game with its variant, where it has several: "Half Moon", "Seahaven Towers, easy". */
  title(ruleset) {
    const path = `variants.${ruleset.game}.${ruleset.variant}`;
    return this.has(path) ? this.say("title", { game: this.game(ruleset), variant: this.say(path).toLowerCase() }) : this.game(ruleset);
  }

  /** A span of time as a clock shows it: 2:41, 1:02:41. */
  time(ms) {
    const all = Math.max(0, Math.floor(ms / 1000));
    const [hours, minutes, seconds] = [Math.floor(all / 3600), Math.floor(all / 60) % 60, all % 60];
    const two = (number) => String(number).padStart(2, "0");
    return hours ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`;
  }
}
