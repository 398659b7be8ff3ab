/**
 * Draws the faces and the back of a card as SVG, sharp at every size.
 *
 * Two kinds of face. Below 90 px a card says only what is needed: in its top strip, which stays visible when cards
 * overlap, the rank at half the card's width and the suit at a third; one large suit below. From 90 px it has an
 * index, pips and the court pictures. All coordinates are hundredths of the card's width; `height` is its height in
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

function smallFace(letter, suitLetter, height) {
  const low = Math.min(height - 40, 106);
  return [
    rank(letter, 7, 7, 48, 135),
    suit(suitLetter, 76, 26, 33),
    suit(suitLetter, 50, 58 + (height - 62) / 2, Math.min(72, low * 0.72)),
  ];
}

function index(letter, suitLetter) {
  const width = ((WIDTHS[letter] ?? 640) * 20) / 1000;
  return [rank(letter, 6, 6, 20, 108), suit(suitLetter, 6 + width + 10.5, 16, 17)];
}

function picture(rankLetter, suitLetter, height) {
  if (COURTS.includes(rankLetter)) {
    const tall = height - 52;
    const wide = tall * 0.632;
    const frame = { x: 50 - wide / 2, y: 26, width: wide, height: tall };
    const edge = svg("rect", { class: "frame", x: frame.x, y: frame.y, width: wide, height: tall, rx: 2 });
    return [svg("image", { href: `cards/${rankLetter}${suitLetter}.svg`, ...frame }), edge];
  }
  if (rankLetter === "A") return [suit(suitLetter, 50, height / 2, suitLetter === "S" ? 62 : 46)];
  const [top, tall] = [41, height - 82];
  return PIPS[rankLetter].map(([x, y]) => suit(suitLetter, 29 + x * 0.42, top + (y * tall) / 100, 23, y > 50));
}

function largeFace(letter, rankLetter, suitLetter, height) {
  const corner = svg("g", { class: "corner" }, ...index(letter, suitLetter));
  corner.setAttribute("transform", `rotate(180 50 ${height / 2})`);
  return [...index(letter, suitLetter), ...picture(rankLetter, suitLetter, height), corner];
}

/**
 * The face of `card` ("TH") on a card of `width` × `height` CSS px; `letters` are the language's letters for
 * A, T, J, Q, K (a number is its own).
 */
export function face(card, { width, height, letters }) {
  const [rankLetter, suitLetter] = card;
  const letter = letters[rankLetter] ?? rankLetter;
  const tall = (100 * height) / width;
  const large = width >= PICTURES_FROM;
  const parts = large ? largeFace(letter, rankLetter, suitLetter, tall) : smallFace(letter, suitLetter, tall);
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
