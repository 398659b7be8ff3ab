/** What is shown when a game can't go on: a dead end over the lower third of the table, and the end of a game. */

import { el } from "./dom.js";
import { openSheet } from "./sheet.js";
import { figures, Verdict } from "./verdict.js";

export class Endings {
  constructor(screen) {
    this.screen = screen;
    this.sheet = null;
  }

  /** The sheet that belongs to this view, if any; `change` led to it. */
  show(view, change) {
    this.close();
    if (view.status === "dead_end" && this.screen.playable) this.deadEnd(view);
    else if (view.status === "won" && change.kind === "moved") this.celebrate(() => this.ended(view));
    else if (!this.screen.game.open) this.ended(view);
  }

  close() {
    this.sheet?.close();
    this.sheet = null;
  }

  /** Undo, finish, or deal anew; the table stays visible above and can still be played. */
  deadEnd(view) {
    const { app, player } = this.screen;
    const { texts } = app;
    const undo = view.undo_left ? [{ text: texts.say("bar.undo"), act: () => player.undo(), main: true }] : [];
    this.sheet = openSheet(app.root, {
      name: "dead-end",
      lower: true,
      title: texts.say("deadEnd.title"),
      closeText: texts.say("deadEnd.look"),
      content: [el("p", { textContent: texts.say("deadEnd.about") })],
      actions: [
        ...undo,
        { text: texts.say("deadEnd.finish", { score: view.score }), act: () => player.finish() },
        // in a daily the clock runs on: nothing there leads away from the table
        ...(view.daily ? [] : [{ text: texts.say("bar.new"), act: () => app.chooseGame() }]),
      ],
    });
  }

  /** Won, given up or out of time: the result and what next. */
  ended(view) {
    if (this.screen.closed) return;
    if (view.daily) {
      this.daily(view);
      return;
    }
    const { app } = this.screen;
    const { texts } = app;
    const won = view.status === "won";
    const code = view.code ? [el("p", { className: "deal-code" }, `${texts.say("result.code")} `, el("b", { textContent: view.code }))] : [];
    const again = () => app.deal({ code: view.code }).catch((error) => app.notices.show(texts.problem(error)));
    this.sheet = openSheet(app.root, {
      name: won ? "won" : "over",
      lower: !won,
      title: won ? texts.say("won.title") : texts.say(`over.${view.status}`),
      closeText: texts.say("deadEnd.look"),
      content: [figures(texts, Object.entries({ score: view.score, time: texts.time(view.elapsed_ms), moves: view.moves, undos: view.undos })), ...code],
      actions: [
        { text: texts.say("bar.newGame"), act: () => app.chooseGame(), main: true },
        ...(view.code ? [{ text: texts.say("won.again"), act: () => void again() }, { text: texts.say("board.title"), act: () => (location.hash = `#/board/${view.code}`) }] : []),
      ],
    });
  }

  /** My one attempt is over: how it came out, where it stands so far, when all is revealed. */
  async daily(view) {
    const { app, ruleset } = this.screen;
    const { texts } = app;
    const won = view.status === "won";
    const { date } = view.daily;
    let day;
    try {
      day = await app.session.ask("GET", `/v1/dailies/${date}`);
    } catch (error) {
      app.notices.show(texts.problem(error));
      return;
    }
    if (this.screen.closed || this.sheet) return;
    const verdict = new Verdict(app, day, ruleset, view.id);
    const sheet = openSheet(app.root, {
      name: won ? "won daily-end" : "over daily-end",
      lower: !won,
      title: won ? texts.say("won.title") : texts.say(`over.${view.status}`),
      closeText: texts.say("deadEnd.look"),
      content: [verdict.root],
      actions: [
        { text: texts.say("share.button"), act: () => (verdict.share(), false), main: true },
        { text: texts.say("board.title"), act: () => (location.hash = `#/daily/${date}/${ruleset.ruleset}`) },
      ],
      closed: () => verdict.stop(),
    });
    this.sheet = sheet;
    const share = sheet.dialog.querySelector(".main");
    share.disabled = true;
    verdict.load().then((row) => (share.disabled = !row), (error) => app.notices.show(texts.problem(error)));
  }

  /** Does the player mean it? */
  ask() {
    const { app, game, player } = this.screen;
    const { texts } = app;
    this.close();
    this.sheet = openSheet(app.root, {
      name: "give-up",
      title: texts.say("giveUp.title"),
      closeText: texts.say("giveUp.no"),
      content: [el("p", { textContent: texts.say(game.view.daily ? "giveUp.daily" : "giveUp.about", { score: game.view.score }) })],
      actions: [
        { text: texts.say("giveUp.no"), act: () => {} },
        { text: texts.say("giveUp.yes"), act: () => player.finish(), main: true },
      ],
    });
  }

  /** The moon is full; a touch skips it. */
  celebrate(then) {
    const { scene } = this.screen.app;
    const skipped = new Promise((skip) => addEventListener("pointerdown", skip, { capture: true, once: true }));
    scene.fill(1);
    Promise.race([scene.ripple(), skipped]).then(then);
  }
}
