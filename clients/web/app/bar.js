/** The buttons of a game: undo, new game, settings, give up. */

import { el } from "./dom.js";
import { icon } from "./icons.js";

function button(texts, name, sign, act, label = name) {
  const node = el("button", { type: "button", className: `bar-button ${name}`, "aria-label": texts.say(`bar.${label}`), title: texts.say(`bar.${label}`) }, icon(sign), el("span", { textContent: texts.say(`bar.${name}`) }));
  node.onclick = act;
  return node;
}

export class Bar {
  constructor(texts, { undo, fresh, settings, giveUp }) {
    this.undo = button(texts, "undo", "undo", undo);
    /** The same as a spot on the table, where the table has one free. */
    this.undoCard = button(texts, "undo", "undo", undo);
    this.undoCard.classList.add("as-card");
    this.undoCard.hidden = true;
    this.giveUp = button(texts, "giveUp", "giveUp", giveUp);
    this.root = el("nav", { className: "bar" }, this.undo, button(texts, "new", "new", fresh, "newGame"), button(texts, "settings", "settings", settings), this.giveUp);
  }

  show(view, { playable }) {
    for (const node of [this.undo, this.undoCard]) node.disabled = !playable || !view.undo_left;
    this.giveUp.disabled = !playable;
  }

  arrange(layout) {
    this.undo.hidden = layout.undo !== null;
  }
}
