/** The screen of a replay: a finished game, or the winning line of a day, on a table that only shows. */

import { Banner } from "./banner.js";
import { el } from "./dom.js";
import { film, filmOfLine } from "./film.js";
import { Problem } from "./http.js";
import { icon } from "./icons.js";
import { layOut } from "./layout.js";
import { Table } from "./table.js";
import { tell } from "./telling.js";

const PAGE = 200;
const LINE_PACE_MS = 900;
/** How long a move stays, however fast or slow it was made (ms). */
const [SHORTEST, LONGEST] = [350, 1800];
const SPEEDS = [1, 2, 4];

const cards = (places) => places.filter((place) => place.role !== "foundation").reduce((sum, place) => sum + place.count, 0);

export class Replay {
  /** Of a game by its id; of a winning line by date and ruleset. */
  constructor(app, rulesets, id, ruleset = null) {
    Object.assign(this, { app, rulesets });
    const { texts } = app;
    this.banner = new Banner(texts, { now: () => app.clock.now(), copied: () => app.notices.show(texts.say("banner.copied")) });
    this.controls = this.bar();
    this.root = el("div", { className: "play replay" }, this.banner.root, this.controls);
    this.at = 0;
    this.speed = 1;
    this.keys = (event) => this.press(event);
    addEventListener("keydown", this.keys);
    (ruleset ? this.openLine(id, ruleset) : this.openGame(id)).catch((error) => this.closed || app.leave(error));
  }

  // -- what is shown --------------------------------------------------------------------------------

  async openGame(id) {
    const ask = (path) => this.app.session.ask("GET", `/v1/games/${id}${path}`);
    const view = await ask("");
    const events = [];
    for (let after = 0; after !== null; ) {
      const page = await ask(`/events?after=${after}&limit=${PAGE}`);
      events.push(...page.items);
      after = page.next;
    }
    if (!events[0].data.places) throw new Problem({ code: "sealed" });
    const ruleset = this.ruleset(view.ruleset);
    this.begin(ruleset, view, film(ruleset.places, events), false);
  }

  async openLine(date, name) {
    const ruleset = this.ruleset(name);
    const day = await this.app.session.ask("GET", `/v1/dailies/${date}`);
    const item = day.items.find((one) => one.ruleset === name);
    if (!item?.line) throw new Problem({ code: "not_found" });
    const dealt = await this.dealt(date, item);
    const view = { code: item.code, daily: { date, ruleset: name } };
    this.begin(ruleset, view, filmOfLine(ruleset.places, dealt, item.line, LINE_PACE_MS), true);
  }

  /**
   * All cards as dealt: out of the log of anybody's game of that day. Where nobody played, a deal of our own is made off
   * the boards, and given up as soon as its log has been read.
   */
  async dealt(date, item) {
    const { app } = this;
    const first = (game) => app.session.ask("GET", `/v1/games/${game}/events?limit=1`).then(({ items }) => items[0].data);
    const board = await app.session.ask("GET", `/v1/dailies/${date}/${item.ruleset}/board?limit=1`);
    if (board.items.length) return first(board.items[0].game);
    const { id } = await app.open("/v1/games", { code: item.code, ranked: false });
    const data = await first(id);
    await app.session.ask("POST", `/v1/games/${id}/commands`, { command_id: "seen", do: "resign" });
    return data;
  }

  ruleset(name) {
    const known = this.rulesets.find((one) => one.ruleset === name);
    if (!known) throw new Problem({ code: "not_found" });
    return known;
  }

  begin(ruleset, view, frames, line) {
    if (this.closed) return;
    const { texts } = this.app;
    Object.assign(this, { view, frames, line, spec: ruleset });
    document.title = `${texts.say("replay.title")} · ${texts.game(ruleset)} · Moontide`;
    this.table = new Table(texts, ruleset, null);
    for (const button of this.table.buttons.values()) button.disabled = true;
    this.root.insertBefore(this.table.root, this.controls);
    this.slider.max = String(frames.length - 1);
    this.controls.hidden = false;
    this.root.classList.toggle("line", line);
    this.total = cards(frames[0].places);
    this.app.arrange();
    this.play();
  }

  // -- going through it -----------------------------------------------------------------------------

  /** Show frame `at`; cards travel where it is the next one or the one before. */
  go(at) {
    if (!this.frames) return;
    const wanted = Math.max(0, Math.min(this.frames.length - 1, at));
    const still = Math.abs(wanted - this.at) !== 1;
    this.at = wanted;
    this.show(still);
    if (wanted === this.frames.length - 1) this.pause();
  }

  show(still) {
    const frame = this.frames[this.at];
    const { texts, scene, notices } = this.app;
    this.table.draw(frame.places, { still });
    for (const spec of this.table.specs) this.table.buttons.get(spec.name).tabIndex = -1;
    this.banner.show({ ...this.view, ...frame, status: "shown", elapsed_ms: frame.at });
    scene.fill(1 - cards(frame.places) / this.total);
    this.slider.value = String(this.at);
    const where = texts.say("replay.where", { at: this.at, all: this.frames.length - 1 });
    this.slider.setAttribute("aria-valuetext", where);
    this.where.textContent = `${this.at}/${this.frames.length - 1}`;
    this.back.disabled = this.at === 0;
    this.next.disabled = this.at === this.frames.length - 1;
    if (!this.playing && !still) notices.announce(tell(texts, this.table, { score: frame.score, ruleset: this.spec.ruleset }, frame));
  }

  play() {
    if (this.at === this.frames.length - 1) this.go(0);
    this.playing = true;
    this.dress();
    this.wait();
  }

  wait() {
    clearTimeout(this.timer);
    if (!this.playing) return;
    const [here, next] = [this.frames[this.at], this.frames[this.at + 1]];
    const pause = this.at === 0 ? 1200 : Math.max(SHORTEST, Math.min(LONGEST, next.at - here.at));
    this.timer = setTimeout(() => {
      this.go(this.at + 1);
      this.wait();
    }, pause / this.speed);
  }

  pause() {
    clearTimeout(this.timer);
    this.playing = false;
    this.dress();
  }

  step(by) {
    this.pause();
    this.go(this.at + by);
  }

  press(event) {
    if (event.target.closest?.("input, select, dialog, button, a") && event.key === " ") return;
    if (event.target.closest?.("input, select, dialog")) return;
    const acts = { ArrowRight: () => this.step(1), ArrowLeft: () => this.step(-1), Home: () => this.step(-Infinity), End: () => this.step(Infinity), " ": () => this.toggle() };
    if (!acts[event.key] || !this.frames) return;
    event.preventDefault();
    acts[event.key]();
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  // -- how it looks ---------------------------------------------------------------------------------

  bar() {
    const { texts } = this.app;
    const button = (name, sign, act) => {
      const node = el("button", { type: "button", className: "round quiet", "data-control": name, "aria-label": texts.say(`replay.${name}`), title: texts.say(`replay.${name}`) }, icon(sign));
      node.onclick = act;
      return node;
    };
    this.back = button("back", "back", () => this.step(-1));
    this.toggler = button("play", "play", () => this.toggle());
    this.next = button("next", "next", () => this.step(1));
    this.faster = el("button", { type: "button", className: "quiet speed", textContent: "1×", "aria-label": texts.say("replay.speed"), title: texts.say("replay.speed") });
    this.faster.onclick = () => {
      this.speed = SPEEDS[(SPEEDS.indexOf(this.speed) + 1) % SPEEDS.length];
      this.faster.textContent = `${this.speed}×`;
      this.wait();
    };
    this.slider = el("input", { type: "range", min: "0", max: "0", value: "0", "aria-label": texts.say("replay.position") });
    this.slider.oninput = () => {
      this.pause();
      this.go(Number(this.slider.value));
    };
    this.where = el("small", { className: "where", "aria-hidden": "true" });
    return el("nav", { className: "bar controls", hidden: true }, this.back, this.toggler, this.next, this.slider, this.where, this.faster);
  }

  dress() {
    const name = this.playing ? "pause" : "play";
    this.toggler.replaceChildren(icon(name));
    this.toggler.dataset.control = name;
    for (const attribute of ["aria-label", "title"]) this.toggler.setAttribute(attribute, this.app.texts.say(`replay.${name}`));
  }

  draw() {
    if (this.frames) this.show(true);
  }

  arrange(area) {
    if (!this.table) return;
    const layout = layOut(this.table.specs, area);
    this.root.dataset.kind = layout.frame.kind;
    this.table.arrange(layout);
    const { moon, frame } = layout;
    const horizon = moon.r ? Math.max(moon.y + moon.r * 1.7, area.height * 0.4) : area.height * 0.4;
    this.app.scene.arrange(area.width, area.height, moon, Math.min(horizon, frame.y + frame.height * 0.72));
    this.show(true);
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
    removeEventListener("keydown", this.keys);
    this.banner.stop();
  }
}
