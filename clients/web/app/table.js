/**
 * The card table: outlines of the places, the cards (`pieces.js`), and above them one button a place, which is what
 * pointers, keyboards and screen readers touch.
 */

import { back, emblem } from "./cards.js";
import { el } from "./dom.js";
import { SUITS } from "./glyphs.js";
import { stepOf } from "./layout.js";
import { Pieces } from "./pieces.js";

export class Table {
  /** `ruleset` as the server tells it; `undo` is a button that takes a free corner of the table. */
  constructor(texts, ruleset, undo) {
    this.texts = texts;
    this.specs = ruleset.places;
    this.selects = ruleset.selects;
    this.undo = undo;
    this.outlines = el("div", { className: "outlines" });
    this.cards = el("div", { className: "cards", "aria-hidden": "true" });
    this.touch = el("div", { className: "touch" });
    this.root = el("main", { className: "table", "aria-label": texts.say("table.label") }, this.outlines, this.cards, this.touch);
    this.pieces = new Pieces(this.cards, texts.letters);
    this.buttons = new Map();
    for (const spec of this.specs) {
      const button = el("button", { className: "spot", type: "button", "data-place": spec.name });
      this.buttons.set(spec.name, button);
      this.touch.append(button);
    }
    if (undo) this.touch.append(undo);
  }

  /** Lay everything out anew; `draw` has to follow. */
  arrange(layout) {
    this.layout = layout;
    const { width, height } = layout.card;
    this.root.style.setProperty("--card-width", `${width}px`);
    this.root.style.setProperty("--card-height", `${height}px`);
    this.root.dataset.kind = layout.frame.kind;
    this.pieces.arrange(layout);
    this.outlines.replaceChildren();
    this.under = new Map();
    for (const spec of this.specs) {
      const outline = el("div", { className: `outline ${spec.role}` });
      place(outline, layout.slots.get(spec.name));
      if (spec.shows === "top") outline.append(back(layout.card));
      if (spec.role === "foundation" && spec.name.at(-1) in SUITS) outline.append(emblem(spec.name.at(-1), layout.card));
      this.under.set(spec.name, outline);
      this.outlines.append(outline);
    }
    if (this.undo) {
      this.undo.hidden = !layout.undo;
      if (layout.undo) place(this.undo, layout.undo);
    }
  }

  /**
   * Draw the places of a view: `selection`, `fits` (a set, or null: nothing is darkened), `still` (no motion).
   */
  draw(places, { selection = [], fits = null, still = false } = {}) {
    this.places = new Map(places.map((place) => [place.name, place]));
    this.pieces.draw(this.specs, places, { still });
    this.specs.forEach((spec, order) => this.dress(spec, places[order], selection));
    this.mark(selection, fits);
  }

  /** Selected and darkened cards; `fits` null darkens nothing. */
  mark(selection, fits) {
    this.pieces.mark(selection, (name) => fits !== null && !fits.has(name) && !selection.includes(name));
    for (const [name, button] of this.buttons) {
      if (this.selects) button.setAttribute("aria-pressed", String(selection.includes(name)));
    }
    this.outlines.classList.toggle("aiming", fits !== null);
    for (const [name, outline] of this.under) outline.classList.toggle("target", fits !== null && fits.has(name));
  }

  dress(spec, place, selection) {
    const outline = this.under.get(spec.name);
    outline.classList.toggle("stack", spec.shows === "top" && place.count > 1);
    outline.dataset.depth = spec.shows === "top" ? Math.min(place.count, 8) : 0;
    const button = this.buttons.get(spec.name);
    button.dataset.count = place.count;
    const slot = this.layout.slots.get(spec.name);
    const step = spec.fanned ? stepOf(slot, place.count, this.layout.card.height) : 0;
    button.style.transform = `translate(${slot.x}px, ${slot.y}px)`;
    button.style.width = `${this.layout.card.width}px`;
    button.style.height = `${this.layout.card.height + step * Math.max(0, place.count - 1)}px`;
    button.setAttribute("aria-label", this.label(spec, place, selection));
  }

  /** A place in words: "pile 3: 7 of hearts, 5 cards". */
  label(spec, place, selection) {
    const { texts } = this;
    const name = this.nameOf(spec);
    const values = { place: name, count: place.count };
    let text;
    if (place.count === 0) text = texts.say("place.empty", values);
    else if (place.cards.length === 0) text = texts.say("place.covered", values);
    else if (spec.fanned) text = texts.say("place.fan", { ...values, cards: [...place.cards].reverse().map((card) => texts.card(card)).join(", ") });
    else if (spec.shows === "top") text = texts.say("place.pile", { ...values, card: texts.card(place.cards.at(-1)) });
    else text = texts.say("place.single", { ...values, card: texts.card(place.cards.at(-1)) });
    return selection.includes(spec.name) ? texts.say("place.selected", { text }) : text;
  }

  /** A place's name in words: "column 3", "foundation spades". */
  nameOf(spec) {
    const suit = this.texts.words.suits[spec.name.at(-1)];
    const n = spec.role === "foundation" && suit ? suit : spec.name.match(/\d+$/)?.[0] ?? spec.name;
    const path = `roles.${spec.role}`;
    return this.texts.has(path) ? this.texts.say(path, { n }) : spec.name;
  }

  specOf(name) {
    return this.specs.find((spec) => spec.name === name);
  }

  /** How many cards of a place a pointer at height `y` takes up: in a fan, all from the one that it touches. */
  countAt(name, y) {
    const spec = this.specOf(name);
    const count = this.places.get(name)?.count ?? 0;
    if (!spec.fanned || count < 2) return Math.min(1, count);
    const slot = this.layout.slots.get(name);
    const step = stepOf(slot, count, this.layout.card.height);
    const at = Math.min(count - 1, Math.max(0, Math.floor((y - slot.y) / step)));
    return count - at;
  }

  /** Where a card dropped at `spot` goes: the place that it covers most, one of `wanted` if it covers any of them. */
  placeUnder(spot, except, wanted) {
    const { width, height } = this.layout.card;
    let best = { name: null, area: 0 };
    for (const spec of this.specs) {
      if (spec.name === except) continue;
      const slot = this.layout.slots.get(spec.name);
      const tall = slot.room || height;
      const across = Math.min(spot.x, slot.x) + width - Math.max(spot.x, slot.x);
      const down = Math.min(spot.y + height, slot.y + tall) - Math.max(spot.y, slot.y);
      if (across <= width * 0.15 || down <= height * 0.15) continue;
      const area = across * Math.min(down, height) * (wanted.has(spec.name) ? 4 : 1);
      if (area > best.area) best = { name: spec.name, area };
    }
    return best.name;
  }
}

function place(node, { x, y }) {
  node.style.transform = `translate(${x}px, ${y}px)`;
}
