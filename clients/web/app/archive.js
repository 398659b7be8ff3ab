/** All dailies of a month, newest first: how mine stand, and the way to each one's page and reveal. */

import { inFront, stateOf } from "./dailies.js";
import { dateOf, dayText, monthAfter } from "./dates.js";
import { el } from "./dom.js";
import { icon } from "./icons.js";
import { Page } from "./page.js";
import { phase } from "./phase.js";

/** The moon of a game of mine by its status. */
const LIT = { playing: 0.5, dead_end: 0.5, resigned: 0.75, expired: 0.75, won: 1 };

export class Archive extends Page {
  constructor(app, rulesets, month) {
    super(app, "archive", app.texts.say("archive.title"), app.texts.say("archive.about"));
    this.rulesets = rulesets;
    this.month = month ?? dateOf(app.clock.now()).slice(0, 7);
    this.open();
  }

  async open() {
    const { app, month } = this;
    const { texts } = app;
    const list = el("div");
    const step = (months, path, sign) => el("a", { className: "round", href: `#/days/${monthAfter(month, months)}`, "aria-label": texts.say(path), title: texts.say(path) }, icon(sign));
    const later = month < dateOf(app.clock.now()).slice(0, 7) ? step(1, "archive.later", "go") : el("span", { className: "round" });
    this.main.replaceChildren(el("section", { className: "panel days" }, el("header", { className: "month" }, step(-1, "archive.earlier", "earlier"), el("h2", { textContent: dayText(texts, month, "month") }), later), list));
    const days = await this.load(() => app.session.ask("GET", `/v1/dailies?month=${month}`), list);
    if (!days) return;
    const made = days.items.filter((day) => day.items.some((item) => item.commitment));
    if (made.length) list.replaceChildren(el("ul", {}, ...made.map((day) => this.day(day))));
    else list.replaceChildren(el("p", { className: "nobody", textContent: texts.say("archive.none") }));
  }

  day(day) {
    const { app } = this;
    const { texts } = app;
    const now = app.clock.now();
    const states = day.items.map((item) => stateOf(day, item, now));
    const on = now >= Date.parse(day.opens_at) && now < Date.parse(day.last_start_at);
    const mark = states[0] === "ahead" ? "archive.ahead" : on ? "archive.on" : states[0] === "revealed" ? null : "archive.closing";
    const heading = el("div", { className: "date" }, el("b", { textContent: dayText(texts, day.date, "day") }), el("span", { textContent: dayText(texts, day.date, "weekday") }), mark && el("small", { textContent: texts.say(mark) }));
    const { front, folded } = inFront(day, this.rulesets);
    const items = [...front.map((one) => this.item(day, one, "title")), ...folded.map((one) => this.item(day, one, "variant"))];
    return el("li", { className: on ? "on" : "" }, heading, el("div", { className: "items" }, ...items));
  }

  item(day, { item, ruleset }, name) {
    const { texts } = this.app;
    if (!item.commitment) return null;
    const status = item.mine?.status ?? null;
    return el("a", { href: `#/daily/${day.date}/${ruleset.ruleset}` }, phase(LIT[status] ?? null, texts.say(`archive.mine.${status ?? "none"}`)), el("span", { textContent: texts[name](ruleset), title: texts.title(ruleset) }));
  }
}
