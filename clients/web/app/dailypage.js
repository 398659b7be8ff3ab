/** The page of one daily: how mine stands, the seal or the reveal, and its board. */

import { Board } from "./board.js";
import { DailyCard } from "./dailycard.js";
import { inFront, stateOf } from "./dailies.js";
import { dayText } from "./dates.js";
import { el } from "./dom.js";
import { Problem } from "./http.js";
import { naming } from "./naming.js";
import { Page, tabs } from "./page.js";
import { reveal, seal } from "./proof.js";

export class DailyPage extends Page {
  constructor(app, rulesets, date, ruleset) {
    const known = rulesets.find((one) => one.ruleset === ruleset);
    super(app, "daily-page", known ? app.texts.title(known) : ruleset, app.texts.say("daily.of", { day: dayText(app.texts, date, "long") }));
    Object.assign(this, { rulesets, date, ruleset: known });
    this.open();
  }

  async open() {
    const { app, date } = this;
    const day = await this.load(() => app.session.ask("GET", `/v1/dailies/${date}`));
    const item = day?.items.find((one) => one.ruleset === this.ruleset?.ruleset);
    if (!day || !item) {
      if (day) app.leave(new Problem({ code: "not_found" }));
      return;
    }
    const { front, folded } = inFront(day, this.rulesets);
    const link = (name) => ({ ruleset }) => ({ text: app.texts[name](ruleset), title: app.texts.title(ruleset), href: `#/daily/${date}/${ruleset.ruleset}` });
    const links = [...front.map(link("title")), ...folded.map(link("variant"))];
    const card = this.ticking(new DailyCard(app, day, { item, ruleset: this.ruleset }, { home: false, changed: () => app.route() }));
    const parts = [tabs(app.texts.say("daily.others"), links, `#/daily/${date}/${this.ruleset.ruleset}`), card.root];
    if (item.code) parts.push(reveal(app, day, item, this.ruleset));
    else if (item.commitment) parts.push(seal(app, day, item));
    if (item.commitment && stateOf(day, item, app.clock.now()) !== "ahead") {
      const board = new Board(this, `/v1/dailies/${date}/${this.ruleset.ruleset}/board`, this.ruleset);
      parts.push(board.root, naming(app, () => board.load()));
      board.load();
    }
    parts.push(el("p", { className: "links" }, el("a", { href: `#/days/${date.slice(0, 7)}`, textContent: app.texts.say("daily.archive") })));
    this.main.replaceChildren(...parts);
  }
}
