/** The start page: today's dailies, running games, deal a game, type a code. */

import { chooser } from "./chooser.js";
import { dayText } from "./dates.js";
import { el } from "./dom.js";
import { frameOf } from "./frame.js";
import { icon } from "./icons.js";
import { standScene } from "./page.js";
import { Today } from "./today.js";

const RUNNING_AT_MOST = 6;
const OPEN = new Set(["playing", "dead_end"]);

export class Start {
  constructor(app, rulesets) {
    this.app = app;
    const { texts } = app;
    const settings = el("button", { type: "button", className: "quiet round corner", "aria-label": texts.say("bar.settings"), title: texts.say("bar.settings") }, icon("settings"));
    settings.onclick = () => app.openPreferences();
    this.today = new Today(app, rulesets);
    this.running = el("section", { className: "running", hidden: true });
    this.root = el(
      "div",
      { className: "start" },
      settings,
      el("header", { className: "title" }, el("h1", { textContent: "Moontide" }), el("p", { textContent: texts.say("start.motto") })),
      el("main", {}, this.today.root, this.running, el("h2", { className: "free", textContent: texts.say("start.free") }), chooser(texts, rulesets, app.choices)),
    );
    this.rulesets = rulesets;
    this.list();
  }

  /** The games that can be gone on with; without a player yet there are none. */
  async list() {
    const { app } = this;
    if (!app.session.token) return;
    let items;
    try {
      ({ items } = await app.session.ask("GET", "/v1/games?limit=50"));
    } catch (error) {
      if (error.code === "unauthenticated") app.forget();
      else app.notices.show(app.texts.problem(error));
      return;
    }
    const date = (await this.today.day)?.date; // what is shown above need not be listed below
    const open = items.filter((game) => OPEN.has(game.status) && (!game.daily || game.daily.date !== date)).slice(0, RUNNING_AT_MOST);
    if (!open.length || this.closed) return;
    this.running.hidden = false;
    this.running.replaceChildren(el("h2", { textContent: app.texts.say("start.running") }), el("ul", {}, ...open.map((game) => this.item(game))));
  }

  item(game) {
    const { texts } = this.app;
    const ruleset = this.rulesets.find((one) => one.ruleset === game.ruleset);
    const title = ruleset ? texts.title(ruleset) : game.ruleset;
    const details = [game.code ?? (game.daily && texts.say("daily.name", { day: dayText(texts, game.daily.date, "short") }))];
    if (game.score !== undefined) details.push(texts.say("start.figures", game));
    if (game.status === "dead_end") details.push(texts.say("start.deadEnd"));
    return el("li", {}, el("a", { href: `#/game/${game.id}` }, el("b", { textContent: title }), el("small", { textContent: details.filter(Boolean).join(" · ") }), icon("go")));
  }

  arrange(area) {
    this.root.dataset.kind = frameOf(area).kind;
    standScene(this.app, area);
  }

  close() {
    this.closed = true;
    this.today.stop();
  }
}
