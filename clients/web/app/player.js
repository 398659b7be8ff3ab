/**
 * What the player does at one table, and what comes of it: taps, drags, undo, giving up, and the server's answers.
 *
 * Everything becomes a command that waits for its turn; what it will most likely do is shown at once (`hand.js`), and
 * the answer settles it.
 */

import { Touches } from "./touches.js";

export class Player {
  /** `screen` has the app, the game, the hand, the commands and `draw()`; `table` and `ruleset` are those of the game. */
  constructor(screen, table, ruleset) {
    this.screen = screen;
    this.table = table;
    this.selects = ruleset.selects;
    this.touches = new Touches({
      commands: screen.commands,
      doubles: ruleset.commands.includes("double_tap"),
      tap: (place) => this.tap(place),
      settled: (answer, place) => this.settled(answer, place),
    });
  }

  // -- for input.js and keys.js ---------------------------------------------------------------------

  can() {
    return this.screen.playable;
  }

  touch(place, at) {
    if (this.can()) this.touches.touch(place, at);
  }

  /** Cards are picked up: returns what they can reach, and shows it if the player wants to be helped. */
  grab(name, count) {
    const { hand, app } = this.screen;
    const targets = hand.targets(name, count);
    if (app.settings.get("help")) this.table.mark([name, ...hand.selection], targets);
    return targets;
  }

  /** Cards are let go over a place: a move, or where they only can become part of one, a selection. */
  drop(from, to, count) {
    const { hand } = this.screen;
    const known = hand.moveFor(from, to, count);
    const together = [...new Set([...hand.selection, from, to])];
    if (!known && this.selects && hand.partOfMove(together)) {
      for (const name of [from, to]) if (!hand.selection.includes(name)) this.touch(name, performance.now());
      this.screen.draw();
      return;
    }
    const move = known ?? (this.selects ? { remove: [from, to] } : { from, to, count });
    this.send({ do: "move", ...move }, from, () => hand.guessMove(move));
  }

  /** A drag that ended nowhere, or was broken off. */
  missed() {
    this.screen.draw();
  }

  release() {
    this.screen.draw({ marksOnly: true });
  }

  /** How many cards of a place can be carried somewhere, by the legal moves; most first. */
  counts(name) {
    const { legal } = this.screen.hand;
    const counts = legal.filter((move) => move.from === name).map((move) => move.count);
    if (counts.length) return [...new Set(counts)].sort((a, b) => b - a);
    return legal.some((move) => move.remove?.includes(name)) ? [1] : [];
  }

  /** Cards are carried by keyboard; none with a count of 0. */
  carry(name, count) {
    const { app, game } = this.screen;
    if (!count) {
      this.screen.draw();
      return;
    }
    this.grab(name, count);
    if (!app.settings.get("help")) this.table.mark([name], null);
    app.notices.announce(app.texts.say("table.carrying", { cards: app.texts.cards(game.place(name).cards.slice(-count)) }));
  }

  /** Escape: nothing is selected any more, once what was said before has been answered. */
  letGo() {
    this.screen.commands.push(() => {
      this.screen.hand.settle([], []);
      return null;
    }, () => this.screen.draw());
  }

  undo() {
    if (this.can() && this.screen.game.view.undo_left) this.send({ do: "undo" });
  }

  finish() {
    this.send({ do: "resign" });
  }

  // -- commands and their answers -------------------------------------------------------------------

  send(fields, place = null, guess = () => {}) {
    const intent = () => {
      if (!this.can()) return null;
      guess();
      this.screen.draw();
      return fields;
    };
    this.screen.commands.push(intent, (answer) => this.settled(answer, place));
  }

  /** The fields of a tap when its turn has come. */
  tap(place) {
    if (!this.can()) return null;
    const { hand } = this.screen;
    const fields = this.selects ? { do: "tap", selection: [...hand.selection], place } : { do: "tap", place };
    hand.guessTap(place, this.selects);
    this.screen.draw();
    return fields;
  }

  /** `ack` (its event has been drawn already), `selected` or `refused`; null: it was not sent after all. */
  settled(answer, place) {
    if (answer?.t === "selected") this.selected(answer, place);
    else if (answer?.t === "refused") this.refused(answer.problem);
    else if (!answer) this.screen.draw();
  }

  selected({ selection, fits, reason }, place) {
    const { hand, game, app } = this.screen;
    hand.settle(selection, fits);
    this.screen.draw();
    if (reason) this.explain(reason, [place]);
    else if (selection.length) app.notices.announce(app.texts.say("table.selected", { cards: app.texts.cards(selection.map((name) => game.top(name))) }));
    else app.notices.announce(app.texts.say("table.released"));
  }

  refused(problem) {
    const { hand, commands, app } = this.screen;
    hand.flight = null;
    if (problem.code === "illegal_move") {
      this.screen.draw();
      this.explain(problem.params.reason, problem.params.places ?? []);
      return;
    }
    // the table is not what the player thought it was: nothing that waits is meant for it
    commands.clear();
    hand.drop();
    if (problem.code === "game_over") this.screen.renew();
    else if (problem.code === "not_found" || problem.code === "forbidden") this.screen.onlyWatch();
    this.screen.draw();
    app.notices.show(app.texts.problem(problem));
  }

  /** Why something did not fit: always shown by the cards themselves, in words if the player wants them. */
  explain(reason, places) {
    const { settings, notices, texts } = this.screen.app;
    this.table.pieces.shake(places);
    if (settings.get("errors")) notices.show(texts.reason(reason));
    else notices.announce(texts.reason(reason));
  }
}
