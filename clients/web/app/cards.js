/**
 * Draws the faces and the back of a card as SVG, sharp at every size.
 *
 * Two kinds of face. Below 90 px a card says only what is needed: in its top strip, which stays visible when cards
 * overlap, the rank at half the card's width and the suit at a third; one large suit below. From 90 px it has pips
 * and the court pictures below an index that lies in such a strip too. All coordinates are hundredths of the card's width; `height` is its height in
 * these units (150 for the usual 2:3). Colours come from CSS: `currentColor` is the suit's.
 */

import { svg } from "./dom.js";
import { PIPS, RANKS, SUITS, WIDTHS } from "./glyphs.js";

/** From this width on (CSS px) a card has pips and pictures. */
export const PICTURES_FROM = 90;

const COURTS = "JQK";

function rank(letter, x, y, size, weight) {
  // x is the left edge of the letter; its box is 1000 high and as wide as the letter
  const half = (WIDTHS[letter] ?? 640) / 2;
  const scale = size / 1000;
  return svg("path", {
    class: "rank",
    d: RANKS[letter],
    transform: `translate(${x + half * scale} ${y + size / 2}) scale(${scale})`,
    "stroke-width": weight,
  });
}

/** The shape of a suit with its middle at x, y and `size` high. */
export function suit(letter, x, y, size, upsideDown = false) {
  const scale = size / 1000;
  return svg("path", {
    class: "suit",
    d: SUITS[letter],
    transform: `translate(${x} ${y}) scale(${scale})${upsideDown ? " rotate(180)" : ""}`,
  });
}

function smallFace(letter, suitLetter, height, strip, step) {
  const [top, foot] = [Math.max(62, step + 4), height - 6];
  const large = Math.min(72, (foot - top) * 0.94);
  const tall = strip ? Math.min(48, strip - 9) : 48;
  return [rank(letter, 7, 6, tall, 135), suit(suitLetter, 71, 6 + tall * 0.4, tall * 0.68), suit(suitLetter, 50, (top + foot) / 2, large)];
}

function index(letter, suitLetter) {
  const width = ((WIDTHS[letter] ?? 640) * 21) / 1000;
  return [rank(letter, 6, 6, 21, 108), suit(suitLetter, 6 + width + 11, 16.5, 18)];
}

function picture(rankLetter, suitLetter, height) {
  if (COURTS.includes(rankLetter)) {
    const tall = height - 37;
    const wide = tall * 0.632;
    const frame = { x: 50 - wide / 2, y: 31, width: wide, height: tall };
    return [svg("image", { href: `cards/${rankLetter}${suitLetter}.svg`, ...frame }), svg("rect", { class: "frame", ...frame, rx: 2 })];
  }
  const [top, tall] = [50, height - 71];
  if (rankLetter === "A") return [suit(suitLetter, 50, top + tall / 2, suitLetter === "S" ? 68 : 50)];
  const size = PIPS[rankLetter].length > 8 ? 19.5 : 25;
  return PIPS[rankLetter].map(([x, y]) => suit(suitLetter, 27 + x * 0.46, top + (y * tall) / 100, size, y > 50));
}

/**
 * The face of `card` ("TH") on a card of `width` × `height` CSS px; `letters` are the language's letters for
 * A, T, J, Q, K (a number is its own), `step` is how much of the card stays visible at best when others lie on it (CSS px), `strip` how
 * much rank and suit may count on.
 */
export function face(card, { width, height, letters, strip = 0, step = 0 }) {
  const [rankLetter, suitLetter] = card;
  const letter = letters[rankLetter] ?? rankLetter;
  const tall = (100 * height) / width;
  const parts =
    width >= PICTURES_FROM
      ? [...index(letter, suitLetter), ...picture(rankLetter, suitLetter, tall)]
      : smallFace(letter, suitLetter, tall, (100 * strip) / width, (100 * step) / width);
  return svg("svg", { class: "face", viewBox: `0 0 100 ${tall}`, "aria-hidden": "true" }, ...parts);
}

/** The back: a moon over three lines of water. */
export function back({ width, height }) {
  const tall = (100 * height) / width;
  const wave = (y) => svg("path", { class: "wave", d: `M14 ${y}q9-7 18 0t18 0t18 0t18 0` });
  return svg(
    "svg",
    { class: "back", viewBox: `0 0 100 ${tall}`, "aria-hidden": "true" },
    svg("rect", { class: "panel", x: 7, y: 7, width: 86, height: tall - 14, rx: 6 }),
    svg("circle", { class: "disc", cx: 50, cy: tall * 0.4, r: 17 }),
    ...[0.66, 0.74, 0.82].map((part) => wave(tall * part)),
  );
}

/** A suit alone, for a place that waits for it. */
export function emblem(suitLetter, { width, height }) {
  const tall = (100 * height) / width;
  return svg("svg", { class: "emblem", viewBox: `0 0 100 ${tall}`, "aria-hidden": "true" }, suit(suitLetter, 50, tall / 2, 44));
}
