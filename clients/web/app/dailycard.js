/** One daily in one panel: how mine stands, and what can be done now. */

import { begin } from "./begin.js";
import { stateOf } from "./dailies.js";
import { Countdown } from "./dates.js";
import { el } from "./dom.js";
import { phase } from "./phase.js";
import { Verdict } from "./verdict.js";

/** How far the moon of a state is lit; a finished one by its game. */
const LIT = { ahead: null, drawn: null, ready: 0.12, playing: 0.5, late: null, revealed: null };

export class DailyCard {
  /** `changed()` is called when the day goes on (it opens, it closes); `home` is whether the board is elsewhere. */
  constructor(app, day, { item, ruleset }, { changed = () => {}, home = true } = {}) {
    Object.assign(this, { app, day, item, ruleset, changed, home });
    this.timers = [];
    this.state = stateOf(day, item, app.clock.now());
    this.moon = el("span", { className: "moon" }, phase(LIT[this.state] ?? null));
    this.body = el("div", { className: "body-text" });
    this.acts = el("div", { className: "acts" });
    const heading = el("h3", { textContent: home ? app.texts.title(ruleset) : this.say("mine") });
    this.root = el("section", { className: `daily ${this.state}`, "data-daily": ruleset.ruleset }, el("header", {}, this.moon, heading), this.body, this.acts);
    this[this.state]();
  }

  say(path, values) {
    return this.app.texts.say(`daily.${path}`, values);
  }

  line(text, className = "") {
    this.body.append(el("p", { className, textContent: text }));
  }

  certified() {
    if (this.item.certified) this.line(this.say("certified"), "certified");
    else if (this.item.certified === false) this.line(this.say("uncertified"), "certified");
  }

  link(text, href, main = false) {
    this.acts.append(el("a", { className: `button ${main ? "main" : ""}`, href, textContent: text }));
  }

  board(path = "board") {
    if (this.home) this.link(this.say(path), `#/daily/${this.day.date}/${this.ruleset.ruleset}`);
  }

  countdown(path, time) {
    const one = new Countdown(this.app.texts, this.app.clock, Date.parse(time), () => this.changed());
    this.timers.push(one);
    this.body.append(el("p", { className: "until" }, `${this.say(path)} `, one.root));
  }

  // -- the states -----------------------------------------------------------------------------------

  ahead() {
    this.line(this.say("ahead"));
    this.countdown("opensIn", this.day.opens_at);
  }

  drawn() {
    this.line(this.say("drawn"));
  }

  ready() {
    this.line(this.say("ready"));
    this.certified();
    const button = el("button", { type: "button", className: "main", textContent: this.say("play"), "aria-label": this.say("playGame", { game: this.app.texts.title(this.ruleset) }) });
    button.onclick = () => begin(this.app, this.day, this.item, this.ruleset);
    this.acts.append(button);
    this.board();
  }

  playing() {
    const figures = el("p", { textContent: this.say("playing") });
    this.body.append(figures);
    this.countdown("closesIn", this.day.closes_at);
    this.link(this.say("goOn"), `#/game/${this.item.mine.game}`, true);
    this.board();
    this.app.session.ask("GET", `/v1/games/${this.item.mine.game}`).then((view) => {
      figures.textContent = `${this.say("playing")} · ${this.app.texts.say("start.figures", view)}`;
    }, () => {});
  }

  finished() {
    this.mine();
    this.board();
  }

  late() {
    this.line(this.say("late"));
    this.countdown("revealIn", this.day.closes_at);
    this.board();
  }

  revealed() {
    if (this.item.mine) this.mine();
    else this.line(this.say("notMine"));
    this.board("reveal");
  }

  /** My result, when it has come. */
  async mine() {
    const verdict = new Verdict(this.app, this.day, this.ruleset, this.item.mine.game, () => this.changed());
    this.timers.push(verdict);
    this.body.append(verdict.root);
    try {
      const row = await verdict.load();
      this.moon.replaceChildren(phase(verdict.part));
      if (!row) return;
    } catch {
      return; // the countdown and the way to the board are there all the same
    }
    const button = el("button", { type: "button", className: this.state === "finished" ? "main share" : "share", textContent: this.app.texts.say("share.button") });
    button.onclick = () => verdict.share();
    this.acts.prepend(button);
  }

  stop() {
    for (const one of this.timers) one.stop();
  }
}
