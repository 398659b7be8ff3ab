/** The screen of one game: wires the game, the hand, the commands and the table together. */

import { Banner } from "./banner.js";
import { Bar } from "./bar.js";
import { Commands } from "./commands.js";
import * as endings from "./endings.js";
import { Game } from "./game.js";
import { Hand } from "./hand.js";
import { Input } from "./input.js";
import { Keys } from "./keys.js";
import { layOut } from "./layout.js";
import { Table } from "./table.js";
import { tell } from "./telling.js";
import { Touches } from "./touches.js";
import { el } from "./dom.js";

export class Play {
  /** `app` is the page (`main.js`), `id` the game; `view` may be known already from the answer to its deal. */
  constructor(app, id, view = null) {
    this.app = app;
    this.game = new Game(id, (change) => this.changed(change));
    this.hand = new Hand(this.game);
    this.commands = new Commands({ game: this.game, send: (message) => app.wire.send(message), stalled: () => app.wire.renew() });
    const { texts, notices } = app;
    this.banner = new Banner(texts, { now: () => app.wire.now(), copied: () => notices.show(texts.say("banner.copied")) });
    this.bar = new Bar(texts, { undo: () => this.undo(), fresh: () => app.chooseGame(), settings: () => app.openPreferences(), giveUp: () => this.askToGiveUp() });
    this.root = el("div", { className: "play" }, this.banner.root, this.bar.root);
    this.watching = false;
    app.wire.watch(this.game.channel, () => (this.game.view?.legal ? this.game.seq : undefined));
    if (view) this.game.become(view);
  }

  // -- what the server says -----------------------------------------------------------------------

  hear(frame) {
    if (frame.command_id) this.commands.hear(frame);
    else if (frame.channel !== this.game.channel) return;
    else if (frame.t === "state") this.game.become(frame.view);
    else if (frame.t === "event" && !this.game.apply(frame)) this.app.wire.watch(this.game.channel, () => this.game.seq);
    else if (frame.t === "refused") this.app.leave(frame.problem);
  }

  /** The connection is there again. */
  connected() {
    this.commands.repeat();
  }

  async changed(change) {
    const { view } = this.game;
    this.hand.drop();
    if (!this.table) await this.open(view);
    if (this.game.view !== view) return; // another change has come meanwhile, and draws
    this.banner.show(view);
    this.bar.show(view, { playable: this.playable });
    this.draw({ still: change.kind === "replaced" && !this.fresh });
    this.fresh = false;
    this.fillMoon();
    this.app.notices.announce(tell(this.app.texts, this.table, view, change));
    this.sheetFor(view, change);
  }

  /** The first state: the table of its ruleset. */
  async open(view) {
    const { app } = this;
    this.opening ??= app.rulesets().then((rulesets) => {
      this.ruleset = rulesets.find((one) => one.ruleset === view.ruleset);
      this.table = new Table(app.texts, this.ruleset.places, this.bar.undoCard);
      this.root.insertBefore(this.table.root, this.bar.root);
      this.touches = new Touches({
        commands: this.commands,
        doubles: this.ruleset.commands.includes("double_tap"),
        tap: (place) => this.tapFields(place),
        settled: (answer, place) => this.settled(answer, place),
      });
      this.input = new Input(this.table, this.handlers());
      this.keys = new Keys(this.table, { ...this.handlers(), carry: (name, count) => this.carry(name, count), counts: (name) => this.countsAt(name), release: () => this.release() });
      this.fresh = true;
      app.arrange();
    });
    await this.opening;
  }

  // -- what the player does -------------------------------------------------------------------------

  get playable() {
    return this.game.open && !this.watching;
  }

  handlers() {
    return {
      can: () => this.playable,
      tap: (place, at) => this.playable && this.touches.touch(place, at),
      grab: (name, count) => this.grab(name, count),
      drop: (from, to, count) => this.drop(from, to, count),
      release: () => this.draw({ marksOnly: true }),
      missed: () => this.draw(),
    };
  }

  tapFields(place) {
    const { selects } = this.ruleset;
    const fields = selects ? { do: "tap", selection: [...this.hand.selection], place } : { do: "tap", place };
    this.hand.guessTap(place, selects);
    this.draw();
    return this.playable ? fields : null;
  }

  /** Cards are picked up: what they can reach, if the player wants to be helped. */
  grab(name, count) {
    const targets = this.hand.targets(name, count);
    if (this.app.settings.get("help")) this.table.mark([name, ...this.hand.selection], targets);
    return targets;
  }

  drop(from, to, count) {
    const known = this.hand.moveFor(from, to, count);
    if (!known && this.ruleset.selects && this.hand.partOfMove([...new Set([...this.hand.selection, from, to])])) {
      if (!this.hand.selection.includes(from)) this.touches.touch(from, performance.now());
      this.touches.touch(to, performance.now());
      this.draw();
      return;
    }
    const move = known ?? (this.ruleset.selects ? { remove: [from, to] } : { from, to, count });
    this.commands.push(
      () => {
        if (!this.playable) return null;
        this.hand.guessMove(move);
        this.draw();
        return { do: "move", ...move };
      },
      (answer) => this.settled(answer, from),
    );
    if (!known) this.draw();
  }

  undo() {
    if (this.playable && this.game.view.undo_left) this.commands.push(() => ({ do: "undo" }), (answer) => this.settled(answer, null));
  }

  finish() {
    this.commands.push(() => ({ do: "resign" }), (answer) => this.settled(answer, null));
  }

  release() {
    if (this.game.view && this.hand.selection.length) {
      this.hand.settle([], []);
      this.draw();
    }
  }

  /** Keyboard: how many cards of a place can be carried, by the legal moves; most first. */
  countsAt(name) {
    const counts = this.hand.legal.filter((move) => move.from === name).map((move) => move.count);
    const removable = this.hand.legal.some((move) => move.remove?.includes(name));
    return counts.length ? [...new Set(counts)].sort((a, b) => b - a) : removable ? [1] : [];
  }

  carry(name, count) {
    if (!count) {
      this.draw();
      return;
    }
    this.table.mark([name], this.app.settings.get("help") ? this.hand.targets(name, count) : null);
    const cards = this.game.place(name).cards.slice(-count);
    this.app.notices.announce(this.app.texts.say("table.carrying", { cards: this.app.texts.cards(cards) }));
  }

  // -- what came of it --------------------------------------------------------------------------------

  /** The answer to a command: `ack` (its event has been drawn), `selected` or `refused`. */
  settled(answer, place) {
    if (!answer || answer.t === "ack") return;
    const { texts, notices } = this.app;
    if (answer.t === "selected") {
      this.hand.settle(answer.selection, answer.fits);
      this.draw();
      if (answer.reason) this.explain(answer.reason, [place]);
      else if (answer.selection.length) notices.announce(texts.say("table.selected", { cards: texts.cards(answer.selection.map((name) => this.game.top(name))) }));
      else notices.announce(texts.say("table.released"));
      return;
    }
    const { problem } = answer;
    this.hand.flight = null;
    if (problem.code === "stale" || problem.code === "game_over") this.startOver(problem);
    else if (problem.code === "not_found" || problem.code === "forbidden") this.onlyWatch();
    this.draw();
    if (problem.code === "illegal_move") this.explain(problem.params.reason, problem.params.places ?? []);
    else if (problem.code !== "stale") notices.show(texts.problem(problem));
  }

  explain(reason, places) {
    const text = this.app.texts.reason(reason);
    this.table.pieces.shake(places.filter(Boolean));
    if (this.app.settings.get("errors")) this.app.notices.show(text);
    else this.app.notices.announce(text);
  }

  /** The table has changed under the player's hands. */
  startOver(problem) {
    this.commands.clear();
    this.hand.drop();
    if (problem.code === "game_over") this.app.wire.watch(this.game.channel, () => undefined);
    else this.app.notices.show(this.app.texts.problem(problem));
  }

  onlyWatch() {
    this.watching = true;
    this.commands.clear();
    this.bar.show(this.game.view, { playable: false });
    this.app.notices.keep(this.app.texts.say("watching"));
  }

  // -- how it looks -----------------------------------------------------------------------------------

  draw({ still = false, marksOnly = false } = {}) {
    if (!this.table || !this.game.view) return;
    const { selection, fits } = this.hand;
    const marks = { selection, fits: this.app.settings.get("help") && selection.length ? fits : null, still };
    if (marksOnly) this.table.mark(marks.selection, marks.fits);
    else this.table.draw(this.hand.places(), marks);
  }

  /** The window has another size, or cards are to look different. */
  arrange(area) {
    if (!this.table) return;
    const layout = layOut(this.ruleset.places, area);
    this.root.dataset.kind = layout.frame.kind;
    this.table.arrange(layout);
    this.bar.arrange(layout);
    const { moon, frame } = layout;
    const sky = moon.r ? Math.max(moon.y + moon.r * 1.7, area.height * 0.4) : area.height * 0.4;
    this.app.scene.arrange(area.width, area.height, moon, Math.min(sky, frame.y + frame.height * 0.72));
    if (!this.fresh) this.draw({ still: true });
  }

  /** The moon fills with the cards that are gone or home; how many there were, the deal itself says. */
  async fillMoon() {
    const count = (view, roles) => view.places.filter(roles).reduce((sum, place) => sum + place.count, 0);
    const left = count(this.game.view, (place) => place.role !== "foundation");
    if (!this.total) {
      try {
        const dealt = this.game.seq === 1 ? this.game.view : await this.app.session.ask("GET", `/v1/games/${this.game.id}?at=1`);
        this.total = count(dealt, () => true);
      } catch {
        return; // the moon waits
      }
      this.fillMoon();
      return;
    }
    this.app.scene.fill(1 - left / this.total);
  }

  askToGiveUp() {
    if (this.playable) this.sheet = endings.giveUp(this.app.root, this.app.texts, this.game.view, { finish: () => this.finish() });
  }

  sheetFor(view, change) {
    this.sheet?.close();
    this.sheet = null;
    const { root, texts } = this.app;
    const fresh = () => this.app.chooseGame();
    if (view.status === "dead_end" && this.playable) {
      this.sheet = endings.deadEnd(root, texts, view, { undo: () => this.undo(), finish: () => this.finish(), fresh });
    } else if (!this.game.open) {
      const show = () => (this.sheet = this.closed ? null : endings.ended(root, texts, view, { fresh, again: () => this.app.deal({ code: view.code }).catch((error) => this.app.notices.show(texts.problem(error))) }));
      if (view.status === "won" && change.kind === "moved") this.celebrate(show);
      else show();
    }
  }

  celebrate(then) {
    let done = false;
    const once = () => {
      if (done) return;
      done = true;
      removeEventListener("pointerdown", once, true);
      then();
    };
    addEventListener("pointerdown", once, true);
    this.app.scene.fill(1);
    this.app.scene.ripple().then(once);
  }

  close() {
    this.closed = true;
    this.sheet?.close();
    this.banner.stop();
    this.commands.stop();
    this.app.notices.keep(null);
    this.app.wire.unwatch(this.game.channel);
  }
}
