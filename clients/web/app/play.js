/** The screen of one game: puts the game, the table and the player together, and shows what changes. */

import { Banner } from "./banner.js";
import { Bar } from "./bar.js";
import { Commands } from "./commands.js";
import { el } from "./dom.js";
import { Endings } from "./endings.js";
import { Game } from "./game.js";
import { Hand } from "./hand.js";
import { Input } from "./input.js";
import { Keys } from "./keys.js";
import { layOut } from "./layout.js";
import { Player } from "./player.js";
import { Table } from "./table.js";
import { tell } from "./telling.js";

/** Browsers keep no timer for longer. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export class Play {
  /** `app` is the page (`main.js`), `id` the game; `view` may be known already from the answer to its deal. */
  constructor(app, id, view = null) {
    this.app = app;
    this.game = new Game(id, (change) => this.changed(change));
    this.hand = new Hand(this.game);
    const { texts, notices } = app;
    this.commands = new Commands({
      game: this.game,
      send: (message) => app.wire.send(message),
      stalled: () => app.wire.renew(),
      delayed: (problem) => notices.show(texts.problem(problem)),
    });
    this.banner = new Banner(texts, { now: () => app.clock.now(), copied: () => notices.show(texts.say("banner.copied")) });
    this.endings = new Endings(this);
    this.bar = new Bar(texts, {
      undo: () => this.player?.undo(),
      fresh: () => app.chooseGame(),
      settings: () => app.openPreferences(),
      giveUp: () => this.playable && this.endings.ask(),
    });
    this.root = el("div", { className: "play" }, this.banner.root, this.bar.root);
    this.watching = false;
    app.wire.watch(this.game.channel, () => (this.game.view?.legal ? this.game.seq : undefined));
    if (view) this.game.become(view);
  }

  /** Whether the player may do something now. */
  get playable() {
    return this.game.open && !this.watching;
  }

  // -- what the server says -----------------------------------------------------------------------

  hear(frame) {
    if (frame.command_id) this.commands.hear(frame);
    else if (frame.channel !== this.game.channel) return;
    else if (frame.t === "state") this.game.become(frame.view);
    else if (frame.t === "event" && !this.game.apply(frame)) this.renew();
    else if (frame.t === "refused") this.app.leave(frame.problem);
  }

  /** The connection is there again. */
  connected() {
    this.commands.repeat();
  }

  /** Ask for the whole state anew. */
  renew() {
    this.app.wire.send({ t: "watch", channel: this.game.channel, legal: true });
  }

  async changed(change) {
    const { view } = this.game;
    this.hand.drop();
    if (!this.table) await this.open(view);
    if (this.closed || this.game.view !== view) return; // what has come meanwhile draws
    this.banner.show(view);
    this.bar.show(view, { playable: this.playable });
    this.draw({ still: change.kind === "replaced" && !this.fresh });
    this.fresh = false;
    this.watchTheClose(view);
    this.fillMoon();
    this.app.notices.announce(tell(this.app.texts, this.table, view, change));
    this.endings.show(view, change);
  }

  /** At its close a daily takes nothing any more, whether or not anybody says so. */
  watchTheClose({ until }) {
    clearTimeout(this.closing);
    const left = Date.parse(until) - this.app.clock.now();
    if (this.game.open && left < LONGEST_TIMER_MS) this.closing = setTimeout(() => this.renew(), Math.max(1000, left + 200));
  }

  /** The first state: the table of its ruleset. */
  async open(view) {
    this.opening ??= this.app.rulesets().then((rulesets) => {
      this.ruleset = rulesets.find((one) => one.ruleset === view.ruleset);
      this.table = new Table(this.app.texts, this.ruleset, this.bar.undoCard);
      document.title = `${this.app.texts.game(this.ruleset)} · Moontide`;
      this.player = new Player(this, this.table, this.ruleset);
      this.root.insertBefore(this.table.root, this.bar.root);
      new Input(this.table, this.player);
      new Keys(this.table, this.player);
      this.fresh = true;
      this.app.arrange();
    });
    try {
      await this.opening;
    } catch (error) {
      this.opening = null;
      if (!this.closed) this.app.leave(error);
    }
  }

  /** The game belongs to someone else. */
  onlyWatch() {
    this.watching = true;
    this.bar.show(this.game.view, { playable: false });
    this.app.notices.keep(this.app.texts.say("watching"));
  }

  undo() {
    this.player?.undo();
  }

  // -- how it looks -----------------------------------------------------------------------------------

  draw({ still = false, marksOnly = false } = {}) {
    if (!this.table || !this.game.view) return;
    const { fits, flight } = this.hand;
    const selection = flight ? [] : this.hand.selection;
    const helped = this.app.settings.get("help") && selection.length ? fits : null;
    if (marksOnly) this.table.mark(selection, helped);
    else this.table.draw(this.hand.places(), { selection, fits: helped, still });
  }

  /** The window has another size, or cards are to look different. */
  arrange(area) {
    if (!this.table) return;
    const layout = layOut(this.ruleset.places, area);
    this.root.dataset.kind = layout.frame.kind;
    this.table.arrange(layout);
    this.bar.arrange(layout);
    const { moon, frame } = layout;
    const horizon = moon.r ? Math.max(moon.y + moon.r * 1.7, area.height * 0.4) : area.height * 0.4;
    this.app.scene.arrange(area.width, area.height, moon, Math.min(horizon, frame.y + frame.height * 0.72));
    if (!this.fresh) this.draw({ still: true });
  }

  /** The moon fills with the cards that are gone or home; how many there were, the deal itself says. */
  async fillMoon() {
    const count = (places) => places.reduce((sum, place) => sum + place.count, 0);
    const { view } = this.game;
    try {
      const dealt = view.seq === 1 ? view : null;
      this.total ??= count((dealt ?? (await this.app.session.ask("GET", `/v1/games/${view.id}?at=1`))).places);
    } catch {
      return; // the moon waits for the next move
    }
    if (!this.closed) this.app.scene.fill(1 - count(this.game.view.places.filter((place) => place.role !== "foundation")) / this.total);
  }

  close() {
    this.closed = true;
    clearTimeout(this.closing);
    this.endings.close();
    this.banner.stop();
    this.commands.stop();
    this.app.notices.keep(null);
    this.app.wire.unwatch(this.game.channel);
  }
}
