/**
 * Where everything lies on the table, for any ruleset and any window.
 *
 * A ruleset gives each place a role, grid coordinates `x` and `y` (from 1, fractions allowed), and `drop`, how deep
 * the place hangs in the bow of an arc. Two kinds of table follow from that: one with fanned columns (`columns.js`)
 * and one without (`arc.js`). Nothing here knows a game by name. The numbers keep to the tables of the design for
 * 390×844, 844×390, 768×1024 and 1440×900 and shrink below them, so that nothing ever scrolls.
 *
 * A layout is {frame, card: {width, height}, slots: Map(name → {x, y, room, step}), moon, undo}: `room` is how far down
 * a fan may reach (0 where cards lie on each other), `step` its widest step, `moon` a circle {x, y, r} in
 * the free sky (r is 0 where there is none), `undo` the spot of an undo button shaped like a card, or null, and `dealt`
 * the spot that cards are dealt from.
 */

import { arc } from "./arc.js";
import { columns } from "./columns.js";
import { frameOf } from "./frame.js";

export function layOut(places, area) {
  const frame = frameOf(area);
  const table = places.some((place) => place.fanned) ? columns(places, frame) : arc(places, frame);
  const { width, height } = table.card;
  const dealt = { x: frame.x + (frame.width - width) / 2, y: frame.y + frame.height - height / 2 };
  return { frame, dealt, ...table };
}

/** The step between the cards of a fan of `count`: the widest that fits, which shrinks as the fan grows. */
export function stepOf(slot, count, cardHeight) {
  if (!slot.room || count < 2) return slot.step ?? 0;
  return Math.min(slot.step, Math.floor((slot.room - cardHeight) / (count - 1)));
}
