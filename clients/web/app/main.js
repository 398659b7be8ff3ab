/** The page: who plays, which screen is shown, one connection, and where the window ends. */

import { Archive } from "./archive.js";
import { BoardPage } from "./boardpage.js";
import { chooser } from "./chooser.js";
import { Clock } from "./clock.js";
import { DailyPage } from "./dailypage.js";
import { freshId } from "./http.js";
import { Notices } from "./notices.js";
import { Play } from "./play.js";
import { openPreferences } from "./preferences.js";
import { Replay } from "./replay.js";
import { Scene } from "./scene.js";
import { Session } from "./session.js";
import { Settings } from "./settings.js";
import { openSheet } from "./sheet.js";
import { Start } from "./start.js";
import { languageOf, Texts } from "./texts.js";
import { Wire } from "./wire.js";

/** The screens by the hash. Each is made with the page, the rulesets, and what stands in the groups. */
const SCREENS = [
  [/^#\/daily\/(\d{4}-\d\d-\d\d)\/([\w-]+)$/, DailyPage],
  [/^#\/days(?:\/(\d{4}-\d\d))?$/, Archive],
  [/^#\/board\/([\w-]+)$/, BoardPage],
  [/^#\/replay\/([\w-]+)$/, Replay],
  [/^#\/line\/(\d{4}-\d\d-\d\d)\/([\w-]+)$/, Replay],
];

class App {
  constructor(root) {
    this.root = root;
    this.settings = new Settings();
    this.clock = new Clock();
    this.session = new Session(this.clock);
    this.scene = new Scene(root);
    this.notices = new Notices(root);
    this.probe = document.getElementById("insets");
    this.screen = null;
    this.line = null; // the connection, once there is a player and a game
  }

  async run() {
    this.settings.dress();
    await this.speak();
    this.settings.addEventListener("change", ({ detail }) => this.chosen(detail));
    addEventListener("hashchange", () => this.route());
    addEventListener("resize", () => this.arrange());
    addEventListener("keydown", (event) => this.press(event));
    await this.route();
  }

  async speak() {
    this.texts = await Texts.load(languageOf(this.settings.get("language")));
    document.documentElement.lang = this.texts.code;
  }

  async chosen(name) {
    this.settings.dress();
    if (name === "language") {
      await this.speak();
      await this.route();
      this.openPreferences();
    } else {
      this.screen?.draw?.();
    }
  }

  press(event) {
    const typing = event.target.closest?.("input, select, dialog");
    if (typing || !(this.screen instanceof Play)) return;
    const undo = event.key === "u" || event.key === "U" || ((event.ctrlKey || event.metaKey) && event.key === "z");
    if (undo) {
      event.preventDefault();
      this.screen.undo();
    }
  }

  // -- screens --------------------------------------------------------------------------------------

  async route() {
    const game = location.hash.match(/^#\/game\/([\w-]+)$/)?.[1];
    const view = this.dealt?.id === game ? this.dealt : null;
    this.dealt = null;
    this.show(null);
    if (game && this.session.token) {
      this.show(new Play(this, game, view));
      return;
    }
    try {
      const rulesets = await this.rulesets();
      if (this.screen) return; // somewhere else meanwhile
      const [given, Screen] = SCREENS.map(([form, one]) => [location.hash.match(form), one]).find(([match]) => match) ?? [[], Start];
      this.show(new Screen(this, rulesets, ...given.slice(1)));
      if (game) this.notices.show(this.texts.say("problems.not_found"));
    } catch (error) {
      this.notices.show(this.texts.problem(error), 8000);
      this.again = setTimeout(() => this.route(), 3000);
    }
  }

  show(screen) {
    clearTimeout(this.again);
    this.sheet?.close();
    this.screen?.close();
    this.screen?.root.remove();
    this.screen = screen;
    if (!screen) return;
    this.root.append(screen.root);
    document.title = "Moontide";
    this.arrange();
  }

  /** The game can't be shown: say why, at the start page. */
  leave(problem) {
    location.hash = "#/";
    this.notices.show(this.texts.problem(problem), 5000);
  }

  /** The rulesets of the server, asked for once. */
  rulesets() {
    this.asked ??= this.session.ask("GET", "/v1/rulesets").then(({ items }) => items);
    this.asked.catch(() => (this.asked = null));
    return this.asked;
  }

  // -- playing --------------------------------------------------------------------------------------

  /** Deal a game ({ruleset} or {code}) and go to it; fails with a problem. */
  async deal(body) {
    this.sit(await this.open("/v1/games", body));
  }

  /** Start a daily, or go on with it: only once everything is there, since the clock starts with the deal. */
  async attempt(date, ruleset) {
    await this.session.ensure();
    await this.connection();
    this.sit(await this.open(`/v1/dailies/${date}/${ruleset}/attempt`, {}));
  }

  /** Ask for a new game as a player who is known; asked twice, it is dealt once. */
  async open(path, body) {
    const ordered = { ...body, command_id: freshId() };
    try {
      await this.session.ensure();
      return await this.session.ask("POST", path, ordered);
    } catch (error) {
      if (error.code !== "unauthenticated") throw error;
      this.forget();
      await this.session.ensure();
      return this.session.ask("POST", path, ordered);
    }
  }

  /** Go to a game whose view is known already. */
  sit(view) {
    this.dealt = view;
    this.sheet?.close();
    location.hash = `#/game/${view.id}`;
  }

  /** What a choice of a game leads to. */
  get choices() {
    return { deal: (body) => this.deal(body), look: (code) => this.look(code) };
  }

  /** Go to the board of a code, once the server has read it. */
  async look(text) {
    const { code } = await this.session.ask("GET", `/v1/deals/${encodeURIComponent(text.trim())}`);
    this.sheet?.close();
    location.hash = `#/board/${code}`;
  }

  chooseGame() {
    this.rulesets().then((rulesets) => {
      this.sheet = openSheet(this.root, {
        name: "new-game",
        title: this.texts.say("newGame.title"),
        closeText: this.texts.say("settings.close"),
        content: [chooser(this.texts, rulesets, this.choices)],
      });
    });
  }

  openPreferences() {
    this.sheet = openPreferences(this.root, this.texts, this.settings);
  }

  /** The connection, made when it is first needed. */
  get wire() {
    const { protocol, host } = location;
    this.line ??= new Wire({
      url: `${protocol === "https:" ? "wss" : "ws"}://${host}/v1/live`,
      token: this.session.token,
      clock: this.clock,
      heard: (frame) => this.screen?.hear?.(frame),
      changed: (status) => this.wired(status),
    });
    return this.line;
  }

  /** The connection, once it is open or can't be had soon. */
  async connection() {
    for (let tried = 0; this.wire.status !== "open" && tried < 30; tried += 1) await new Promise((done) => setTimeout(done, 100));
  }

  wired(status) {
    if (status === "open") {
      clearTimeout(this.worry);
      if (this.worried) this.notices.keep(null);
      this.worried = false;
      this.screen?.connected?.();
    } else if (status === "closed") {
      this.worry ??= 0;
      clearTimeout(this.worry);
      this.worry = setTimeout(() => {
        this.worried = true;
        this.notices.keep(this.texts.say("wire.lost"));
      }, 1200);
    } else {
      this.forget();
      location.hash = "#/";
      this.notices.show(this.texts.say("wire.refused"), 6000);
    }
  }

  /** The server does not know this player any more. */
  forget() {
    this.line?.close();
    this.line = null;
    this.session.forget();
  }

  // -- the window -----------------------------------------------------------------------------------

  /** The window, less what notches and home bars take. */
  get area() {
    const style = getComputedStyle(this.probe);
    const inset = (side) => parseFloat(style.getPropertyValue(`padding-${side}`)) || 0;
    const { clientWidth: width, clientHeight: height } = this.root;
    return { width, height, top: inset("top"), right: inset("right"), bottom: inset("bottom"), left: inset("left") };
  }

  arrange() {
    this.settings.dress();
    this.screen?.arrange(this.area);
  }
}

new App(document.getElementById("app")).run();
