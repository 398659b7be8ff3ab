/** The banner of a game: time, score, moves and the code of its deal, or the name of a day whose code is sealed. */

import { dayText } from "./dates.js";
import { el } from "./dom.js";
import { icon } from "./icons.js";

export class Banner {
  /** `now()` is the server's time in ms; `copied()` is called when the code has been copied. */
  constructor(texts, { now, copied, home }) {
    this.texts = texts;
    this.now = now;
    this.figures = {};
    this.code = el("button", { type: "button", className: "code" });
    this.code.onclick = () => navigator.clipboard?.writeText(this.code.textContent).then(copied, () => {});
    const leave = el("a", { className: "home", href: "#/", "aria-label": texts.say("bar.home"), title: texts.say("bar.home") }, icon("home"));
    leave.onclick = home;
    this.root = el("header", { className: "banner" }, leave);
    for (const name of ["time", "score", "moves"]) {
      this.figures[name] = el("b");
      this.root.append(el("span", { className: `figure ${name}` }, el("small", { textContent: texts.say(`banner.${name}`) }), this.figures[name]));
    }
    this.label = el("small");
    this.root.append(el("span", { className: "figure deal" }, this.label, this.code));
    this.timer = setInterval(() => this.tick(), 500);
  }

  show(view) {
    this.view = view;
    this.figures.score.textContent = view.score;
    this.figures.moves.textContent = view.moves;
    const { texts } = this;
    const daily = view.daily && !view.code;
    this.label.textContent = texts.say(daily ? "banner.daily" : "banner.code");
    this.code.title = texts.say(daily ? "banner.sealed" : "banner.code");
    this.code.textContent = daily ? dayText(texts, view.daily.date, "short") : view.code ?? texts.say("banner.sealed");
    this.code.classList.toggle("long", this.code.textContent.length > 16);
    this.code.disabled = !view.code;
    this.tick();
  }

  /** While a game is open its clock runs; after that it stands where the log stands. */
  get elapsed() {
    const { view } = this;
    const open = view.status === "playing" || view.status === "dead_end";
    return open ? this.now() - Date.parse(view.started_at) : view.elapsed_ms;
  }

  tick() {
    if (!this.view) return;
    const text = this.texts.time(this.elapsed);
    if (this.figures.time.textContent !== text) this.figures.time.textContent = text;
  }

  stop() {
    clearInterval(this.timer);
  }
}
