/** The page of an open board: everybody's best game of one deal code. */

import { Board } from "./board.js";
import { el } from "./dom.js";
import { naming } from "./naming.js";
import { Page } from "./page.js";

export class BoardPage extends Page {
  constructor(app, rulesets, code) {
    super(app, "board-page", app.texts.say("board.title"));
    this.rulesets = rulesets;
    this.open(code);
  }

  async open(code) {
    const { app } = this;
    const { texts } = app;
    const deal = await this.load(() => app.session.ask("GET", `/v1/deals/${encodeURIComponent(code)}`));
    if (!deal) return;
    const ruleset = this.rulesets.find((one) => one.ruleset === deal.ruleset);
    this.heading.textContent = texts.title(ruleset);
    this.about.replaceChildren(el("b", { className: "code-text", textContent: deal.code }));
    this.name(`${deal.code} · ${texts.say("board.title")}`);
    const play = el("button", { type: "button", className: "main", textContent: texts.say("board.play") });
    play.onclick = () => app.deal({ code: deal.code }).catch((error) => app.notices.show(texts.problem(error)));
    const board = new Board(this, `/v1/boards/${deal.code}`, ruleset);
    this.main.replaceChildren(
      el("section", { className: "panel" }, el("p", { textContent: texts.say("board.about") }), el("div", { className: "acts" }, play)),
      board.root,
      naming(app, () => board.load()),
    );
    await board.load();
  }
}
