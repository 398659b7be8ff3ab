/** How my attempt at a daily came out: figures, rank, how long until the reveal, and handing it on. */

import { cleared, standing } from "./dailies.js";
import { Countdown } from "./dates.js";
import { el } from "./dom.js";
import { dailyLink, share, shareText } from "./share.js";

const FIGURES = { score: (me) => me.score, undos: (me) => me.undos, time: (me, texts) => texts.time(me.seconds * 1000) };

/** Figures of a result in a row: [[name, text], …]. */
export function figures(texts, rows) {
  const row = ([name, text]) => el("div", { className: name }, el("dt", { textContent: texts.say(`result.${name}`) }), el("dd", { textContent: String(text) }));
  return el("dl", { className: "result" }, ...rows.map(row));
}

/** The rank in words: "#14 of 212, provisional". */
export function rankText(texts, { me, players, provisional }) {
  return texts.say(provisional ? "daily.provisional" : "daily.rank", { rank: me.rank, players });
}

export class Verdict {
  /** `day` is the daily's day, `ruleset` the ruleset's description, `game` my game; `revealed()` is called at the reveal. */
  constructor(app, day, ruleset, game, revealed = () => {}) {
    Object.assign(this, { app, day, ruleset, game, revealed });
    this.body = el("div", { className: "verdict" });
    this.copy = el("div");
    this.reveal = el("p", { className: "until" });
    this.root = el("div", {}, this.body, this.reveal, this.copy);
    const until = Date.parse(day.closes_at);
    if (until > app.clock.now()) {
      this.countdown = new Countdown(app.texts, app.clock, until, () => this.revealed());
      this.reveal.append(`${app.texts.say("daily.revealIn")} `, this.countdown.root);
    }
  }

  /** Fetch the row and show it; returns whether there is one. */
  async load() {
    const { app, day, ruleset } = this;
    const { texts } = app;
    const [board, part] = await Promise.all([standing(app, day.date, ruleset.ruleset), cleared(app, this.game)]);
    this.part = part;
    if (!board.me) {
      this.body.replaceChildren(el("p", { textContent: texts.say("daily.noRow") }));
      return false;
    }
    this.text = shareText(texts, { date: day.date, title: texts.title(ruleset), part, players: board.players, ...board.me });
    const rows = Object.entries(FIGURES).map(([name, read]) => [name, read(board.me, texts)]);
    this.body.replaceChildren(figures(texts, rows), el("p", { className: "standing", textContent: rankText(texts, board) }));
    return true;
  }

  share() {
    if (this.text) share(this.app, this.text, dailyLink(this.day.date, this.ruleset.ruleset), this.copy);
  }

  stop() {
    this.countdown?.stop();
  }
}
