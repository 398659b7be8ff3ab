/** The start page: deal a game, type a code, go on with a running game. */

import { chooser } from "./chooser.js";
import { el } from "./dom.js";
import { frameOf } from "./frame.js";
import { icon } from "./icons.js";

const RUNNING_AT_MOST = 6;
const OPEN = new Set(["playing", "dead_end"]);

export class Start {
  constructor(app, rulesets) {
    this.app = app;
    const { texts } = app;
    const settings = el("button", { type: "button", className: "quiet round corner", "aria-label": texts.say("bar.settings"), title: texts.say("bar.settings") }, icon("settings"));
    settings.onclick = () => app.openPreferences();
    this.running = el("section", { className: "running", hidden: true });
    this.root = el(
      "div",
      { className: "start" },
      settings,
      el("header", { className: "title" }, el("h1", { textContent: "Moontide" }), el("p", { textContent: texts.say("start.motto") })),
      el("main", {}, this.running, chooser(texts, rulesets, (body) => app.deal(body))),
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
    const open = items.filter((game) => OPEN.has(game.status)).slice(0, RUNNING_AT_MOST);
    if (!open.length) return;
    this.running.hidden = false;
    this.running.replaceChildren(el("h2", { textContent: app.texts.say("start.running") }), el("ul", {}, ...open.map((game) => this.item(game))));
  }

  item(game) {
    const { texts } = this.app;
    const ruleset = this.rulesets.find((one) => one.ruleset === game.ruleset);
    const title = ruleset ? texts.game(ruleset) : game.ruleset;
    const details = [game.code ?? game.daily?.date];
    if (game.score !== undefined) details.push(texts.say("start.figures", game));
    if (game.status === "dead_end") details.push(texts.say("start.deadEnd"));
    return el("li", {}, el("a", { href: `#/game/${game.id}` }, el("b", { textContent: title }), el("small", { textContent: details.filter(Boolean).join(" · ") }), icon("go")));
  }

  arrange(area) {
    const { kind } = frameOf(area);
    this.root.dataset.kind = kind;
    const { width, height } = area;
    const wide = width >= 900;
    const r = wide ? Math.min(84, height * 0.095) : Math.min(width * 0.115, height * 0.1, 70);
    const moon = wide ? { x: Math.min(width * 0.8, width / 2 + 340), y: height * 0.155, r } : { x: width - r - 24, y: 26 + r, r };
    this.app.scene.arrange(width, height, moon, height * (wide ? 0.5 : 0.4));
    this.app.scene.fill(0.94);
  }

  close() {}
}
