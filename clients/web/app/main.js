/** The page: who plays, which screen is shown, one connection, and where the window ends. */

import { chooser } from "./chooser.js";
import { freshId } from "./http.js";
import { Notices } from "./notices.js";
import { Play } from "./play.js";
import { openPreferences } from "./preferences.js";
import { Scene } from "./scene.js";
import { Session } from "./session.js";
import { Settings } from "./settings.js";
import { openSheet } from "./sheet.js";
import { Start } from "./start.js";
import { languageOf, Texts } from "./texts.js";
import { Wire } from "./wire.js";

class App {
  constructor(root) {
    this.root = root;
    this.settings = new Settings();
    this.session = new Session();
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
      this.show(new Start(this, await this.rulesets()));
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

  /** Deal a game ({ruleset} or {code}) and go to it; fails with a problem. Asked twice, it is dealt once. */
  async deal(body) {
    const ordered = { ...body, command_id: freshId() };
    let view;
    try {
      await this.session.ensure();
      view = await this.session.ask("POST", "/v1/games", ordered);
    } catch (error) {
      if (error.code !== "unauthenticated") throw error;
      this.forget();
      await this.session.ensure();
      view = await this.session.ask("POST", "/v1/games", ordered);
    }
    this.dealt = view;
    this.sheet?.close();
    location.hash = `#/game/${view.id}`;
  }

  chooseGame() {
    this.rulesets().then((rulesets) => {
      this.sheet = openSheet(this.root, {
        name: "new-game",
        title: this.texts.say("newGame.title"),
        closeText: this.texts.say("settings.close"),
        content: [chooser(this.texts, rulesets, (body) => this.deal(body))],
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
      heard: (frame) => this.screen?.hear?.(frame),
      changed: (status) => this.wired(status),
    });
    return this.line;
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
