/**
 * The cards on the table: one element a visible card, kept for as long as that card stays visible.
 *
 * Every drawing is compared with the one before. A card is known by its place, its depth there (0 at the bottom) and
 * what it shows. What has gone from one place and come to another has moved; what has only gone has left the
 * game; what has only come was uncovered or has come back. So moves, removals, deals and undo of any game need no code
 * of their own.
 */

import { back, face } from "./cards.js";
import { el } from "./dom.js";
import { stepOf } from "./layout.js";
import * as motion from "./motion.js";

const HIDDEN = "";

export class Pieces {
  constructor(root, letters) {
    this.root = root;
    this.letters = letters;
    this.places = new Map(); // name -> {count, pieces: Map(depth -> {card, node, body, spot})}
  }

  /** What is drawn of a place: its depth and card, bottom first; a fan shows all, other places the topmost two. */
  visible(place, spec) {
    if (place.count === 0) return [];
    if (place.cards.length === 0) return [[place.count - 1, HIDDEN]];
    const shown = spec.fanned ? place.cards : place.cards.slice(-2);
    return shown.map((card, at) => [place.count - shown.length + at, card]);
  }

  spotOf(spec, depth, count) {
    const slot = this.layout.slots.get(spec.name);
    const step = spec.fanned ? stepOf(slot, count, this.layout.card.height) : 0;
    return { x: slot.x, y: slot.y + (spec.fanned ? depth * step : 0) };
  }

  /** Another layout: everything is made anew and put in place, without motion. */
  arrange(layout) {
    this.layout = layout;
    this.root.replaceChildren();
    this.places.clear();
  }

  /** Draw `places` (of a view) as `specs` (of the ruleset) say; `still` moves nothing. */
  draw(specs, places, { still = false } = {}) {
    const first = this.places.size === 0;
    const [gone, come] = [[], []];
    specs.forEach((spec, order) => this.compare(spec, places[order], order, gone, come));
    for (const item of come) {
      const from = item.known ? -1 : gone.findIndex((other) => other.piece.card === item.card);
      if (from >= 0) this.moved(gone.splice(from, 1)[0].piece, item, still);
    }
    const fresh = come.filter((item) => !item.piece);
    this.comeBack(fresh, first, still);
    if (still) gone.forEach(({ piece }) => piece.node.remove());
    else if (gone.length) motion.leave(gone.map(({ piece }) => piece), middle(gone.map(({ piece }) => piece.spot)));
  }

  // -- one place ------------------------------------------------------------------------------------

  compare(spec, place, order, gone, come) {
    const before = this.places.get(spec.name) ?? { count: 0, pieces: new Map() };
    const after = { count: place.count, pieces: new Map() };
    this.places.set(spec.name, after);
    const wanted = new Map(this.visible(place, spec));
    for (const [depth, piece] of before.pieces) {
      const card = wanted.get(depth);
      if (card === piece.card) this.keep(spec, after, depth, piece);
      else if (card !== undefined && piece.card === HIDDEN) this.reveal(spec, after, depth, piece, card);
      else if (depth < place.count && card === undefined) setTimeout(() => piece.node.remove(), 260); // covered now
      else if (piece.card === HIDDEN) piece.node.remove();
      else gone.push({ piece });
    }
    for (const [depth, card] of wanted) {
      if (after.pieces.has(depth)) continue;
      come.push({ spec, depth, card, after, order, known: depth < before.count, turned: depth < before.count && spec.shows === "top" });
    }
    after.order = order;
  }

  keep(spec, after, depth, piece) {
    after.pieces.set(depth, piece);
    this.settle(spec, after, depth, piece);
  }

  reveal(spec, after, depth, piece, card) {
    piece.card = card;
    after.pieces.set(depth, piece);
    this.settle(spec, after, depth, piece);
    motion.flip(piece.body, () => this.show(piece));
  }

  /** Bring a card to its spot if it is not there: its column has become tighter, or it was dragged. */
  settle(spec, after, depth, piece) {
    const spot = this.spotOf(spec, depth, after.count);
    if (spot.x !== piece.spot.x || spot.y !== piece.spot.y) motion.move(piece.node, piece.spot, spot);
    this.stand(piece, spec, depth, after, spot);
  }

  stand(piece, spec, depth, after, spot) {
    piece.spot = spot;
    piece.node.style.zIndex = 1 + depth;
    const counted = spec.shows === "top" && depth === after.count - 1;
    piece.badge.textContent = counted ? String(after.count) : "";
    piece.node.classList.toggle("counted", counted);
  }

  moved(piece, item, still) {
    const spot = this.spotOf(item.spec, item.depth, item.after.count);
    item.piece = piece;
    item.after.pieces.set(item.depth, piece);
    if (still) motion.put(piece.node, spot);
    else motion.move(piece.node, piece.spot, spot);
    this.root.append(piece.node);
    this.stand(piece, item.spec, item.depth, item.after, spot);
  }

  comeBack(items, first, still) {
    const risen = [];
    for (const item of items) {
      const piece = this.make(item.turned ? HIDDEN : item.card);
      const spot = this.spotOf(item.spec, item.depth, item.after.count);
      item.after.pieces.set(item.depth, piece);
      this.stand(piece, item.spec, item.depth, item.after, spot);
      motion.put(piece.node, spot);
      if (item.turned) {
        piece.card = item.card;
        if (still) this.show(piece);
        else motion.flip(piece.body, () => this.show(piece), 50);
      } else if (first && !still) {
        const from = { x: this.layout.dealt.x, y: this.layout.dealt.y };
        motion.move(piece.node, from, spot, { duration: 260, delay: motion.DEAL_STEP * (item.order + item.depth * 4) });
      } else if (!item.known && !still) {
        risen.push(piece);
      }
    }
    if (risen.length) motion.rise(risen, middle(risen.map((piece) => piece.spot)));
  }

  // -- one card -------------------------------------------------------------------------------------

  make(card) {
    const body = el("div", { className: "body" });
    const badge = el("span", { className: "count" });
    const node = el("div", { className: "card" }, body, badge);
    const piece = { card, node, body, badge, spot: { x: 0, y: 0 } };
    this.show(piece);
    this.root.append(node);
    return piece;
  }

  show(piece) {
    const size = { ...this.layout.card, letters: this.letters };
    piece.node.dataset.suit = piece.card[1] ?? "";
    piece.body.replaceChildren(piece.card === HIDDEN ? back(size) : face(piece.card, size));
  }

  /** The topmost `count` pieces of a place, bottom first. */
  top(name, count = 1) {
    const place = this.places.get(name);
    if (!place) return [];
    return [...place.pieces.entries()].filter(([depth]) => depth >= place.count - count).sort(([a], [b]) => a - b).map(([, piece]) => piece);
  }

  /** Mark what is selected and what is darkened; `dark(name)` says which places are. */
  mark(selection, dark) {
    for (const [name, { count, pieces }] of this.places) {
      for (const [depth, { node }] of pieces) {
        node.classList.toggle("selected", selection.includes(name) && depth === count - 1);
        node.classList.toggle("dark", dark(name));
      }
    }
  }

  shake(names) {
    for (const name of names) this.top(name).forEach((piece) => motion.shake(piece.node));
  }
}

function middle(spots) {
  const sum = (axis) => spots.reduce((total, spot) => total + spot[axis], 0);
  return { x: sum("x") / spots.length, y: sum("y") / spots.length };
}
