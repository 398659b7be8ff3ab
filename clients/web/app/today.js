/** Today's dailies on the start page: one of each game in front, the harder ones folded. */

import { DailyCard } from "./dailycard.js";
import { inFront, stateOf, today } from "./dailies.js";
import { Countdown, dayText, timeText } from "./dates.js";
import { el } from "./dom.js";

const AGAIN_MS = [2000, 3000, 5000, 10_000, 30_000];

export class Today {
  constructor(app, rulesets) {
    this.app = app;
    this.rulesets = rulesets;
    this.root = el("section", { className: "today", hidden: true });
    this.cards = [];
    this.tried = 0;
    /** Which day this is, once it is known: its games are shown here and nowhere else. */
    this.day = this.load();
  }

  /** Fetch and show; a day that could not be had is left out, and the page is whole without it. */
  async load() {
    const day = await today(this.app).catch(() => null);
    if (day && !this.stopped) this.show(day);
    return day;
  }

  show(day) {
    const { texts, clock } = this.app;
    this.stop();
    this.stopped = false;
    const drawn = day.items.some((item) => item.commitment);
    // a server without dailies never draws one: after a while nothing is said of them
    this.root.hidden = !day.items.length || (!drawn && this.tried >= AGAIN_MS.length);
    if (day.items.some((item) => !item.commitment) && this.tried < AGAIN_MS.length) {
      this.retry = setTimeout(() => this.load(), AGAIN_MS[this.tried]);
      this.tried += 1;
    }
    const heading = el("header", {}, el("h2", { textContent: texts.say("daily.today") }), el("a", { href: "#/days", textContent: texts.say("daily.archive") }));
    if (!drawn) {
      this.root.replaceChildren(heading, el("p", { className: "when", textContent: texts.say("daily.drawn") }));
      return;
    }
    const next = new Countdown(texts, clock, Date.parse(day.last_start_at), () => this.load());
    this.cards.push(next);
    const times = { start: timeText(texts, day.last_start_at, clock.now()), close: timeText(texts, day.closes_at, clock.now()) };
    const when = el("p", { className: "when" }, el("b", { textContent: texts.say("daily.utcDay", { day: dayText(texts, day.date, "long") }) }), ` · ${texts.say("daily.times", times)} · ${texts.say("daily.next")} `, next.root);
    const { front, folded } = inFront(day, this.rulesets);
    const make = (one) => {
      const card = new DailyCard(this.app, day, one, { changed: () => this.load() });
      this.cards.push(card);
      return card.root;
    };
    const busy = folded.some(({ item }) => stateOf(day, item, clock.now()) === "playing");
    const more = el("details", { className: "harder", open: busy }, el("summary", { textContent: texts.say("daily.harder") }), el("div", { className: "games" }, ...folded.map(make)));
    this.root.replaceChildren(heading, when, el("div", { className: "games" }, ...front.map(make)), ...(folded.length ? [more] : []));
  }

  stop() {
    this.stopped = true;
    clearTimeout(this.retry);
    for (const card of this.cards) card.stop();
    this.cards = [];
  }
}
