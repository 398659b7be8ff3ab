/** What is shown when a game can't go on: a dead end over the lower third, and the end of a game. */

import { el } from "./dom.js";
import { openSheet } from "./sheet.js";

/** Undo, finish, or deal anew; the table stays visible above and can still be played. */
export function deadEnd(root, texts, view, { undo, finish, fresh }) {
  return openSheet(root, {
    name: "dead-end",
    lower: true,
    title: texts.say("deadEnd.title"),
    closeText: texts.say("deadEnd.look"),
    content: [el("p", { textContent: texts.say("deadEnd.about") })],
    actions: [
      ...(view.undo_left ? [{ text: texts.say("bar.undo"), act: undo, main: true }] : []),
      { text: texts.say("deadEnd.finish", { score: view.score }), act: finish },
      { text: texts.say("bar.newGame"), act: fresh },
    ],
  });
}

/** The figures of a finished game. */
function figures(texts, view) {
  const rows = { score: view.score, time: texts.time(view.elapsed_ms), moves: view.moves, undos: view.undos };
  const list = el("dl", { className: "result" });
  for (const [name, value] of Object.entries(rows)) {
    list.append(el("div", { className: name }, el("dt", { textContent: texts.say(`result.${name}`) }), el("dd", { textContent: String(value) })));
  }
  return list;
}

/** Won, given up or out of time: the result and what next. */
export function ended(root, texts, view, { again, fresh }) {
  const won = view.status === "won";
  const code = view.code ? [el("p", { className: "deal-code" }, `${texts.say("result.code")} `, el("b", { textContent: view.code }))] : [];
  return openSheet(root, {
    name: won ? "won" : "over",
    lower: !won,
    title: won ? texts.say("won.title") : texts.say(`over.${view.status}`),
    closeText: texts.say("deadEnd.look"),
    content: [figures(texts, view), ...code],
    actions: [
      { text: texts.say("bar.newGame"), act: fresh, main: true },
      ...(view.code ? [{ text: texts.say("won.again"), act: again }] : []),
    ],
  });
}

export function giveUp(root, texts, view, { finish }) {
  return openSheet(root, {
    name: "give-up",
    title: texts.say("giveUp.title"),
    closeText: texts.say("giveUp.no"),
    content: [el("p", { textContent: texts.say("giveUp.about", { score: view.score }) })],
    actions: [
      { text: texts.say("giveUp.no"), act: () => {} },
      { text: texts.say("giveUp.yes"), act: finish, main: true },
    ],
  });
}
