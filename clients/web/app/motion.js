/**
 * How things move. Times are ms; with reduced motion nothing travels and everything fades in 80 ms.
 *
 * A spot is {x, y} in CSS px, the upper left corner of a card on the table. Elements carry their final place in their
 * style before they are animated, so an interrupted motion ends where it should.
 */

import { calm } from "./dom.js";

const MOVE = 160;
const LEAVE = 180;
const SINK = 170;
const FLIP = 75;
const SHAKE = 120;
const FADE = 80;
export const DEAL_STEP = 12;

const at = ({ x, y }, more = "") => `translate(${x}px, ${y}px)${more}`;
const fade = (node, from, to) => node.animate([{ opacity: from }, { opacity: to }], { duration: FADE });

/** Put a card where it belongs, without any motion. */
export function put(node, spot) {
  node.style.transform = at(spot);
}

/** Let a card travel to where it belongs; it passes above the others. */
export function move(node, from, to, { duration = MOVE, delay = 0 } = {}) {
  put(node, to);
  if (calm()) return fade(node, 0.4, 1).finished;
  node.classList.add("moving");
  const motion = node.animate([{ transform: at(from) }, { transform: at(to) }], { duration, delay, easing: "cubic-bezier(.25,.7,.3,1)", fill: "backwards" });
  return motion.finished.catch(() => {}).then(() => node.classList.remove("moving"));
}

/** Cards that leave the game meet in their middle, then sink. */
export function leave(pieces, middle) {
  pieces.forEach(({ node, spot }, order) => {
    node.classList.add("moving", "leaving");
    const gone = () => node.remove();
    if (calm()) {
      fade(node, 1, 0).finished.then(gone, gone);
      return;
    }
    const meet = { x: middle.x + (order - (pieces.length - 1) / 2) * 18, y: middle.y };
    const turn = ` rotate(${(order - (pieces.length - 1) / 2) * 7}deg)`;
    const sunk = at({ x: meet.x, y: meet.y + 46 }, `${turn} scale(.86)`);
    node
      .animate(
        [
          { transform: at(spot), opacity: 1, easing: "cubic-bezier(.3,.6,.3,1)" },
          { transform: at(meet, turn), opacity: 1, offset: LEAVE / (LEAVE + SINK), easing: "ease-in" },
          { transform: sunk, opacity: 0 },
        ],
        { duration: LEAVE + SINK, fill: "forwards" },
      )
      .finished.then(gone, gone);
  });
}

/** The reverse: cards that come back rise from the middle and part. */
export function rise(pieces, middle) {
  return Promise.all(
    pieces.map(({ node, spot }) => {
      if (calm()) return fade(node, 0, 1).finished;
      node.classList.add("moving");
      const motion = node.animate(
        [{ transform: at({ x: middle.x, y: middle.y + 30 }, " scale(.9)"), opacity: 0 }, { transform: at(middle), opacity: 1, offset: 0.4 }, { transform: at(spot) }],
        { duration: LEAVE + SINK / 2, easing: "cubic-bezier(.3,.6,.3,1)" },
      );
      return motion.finished.catch(() => {}).then(() => node.classList.remove("moving"));
    }),
  );
}

/** Turn a card over: `swap` puts the other side up, halfway. */
export async function flip(body, swap, delay = 0) {
  if (calm()) {
    swap();
    fade(body, 0.3, 1);
    return;
  }
  const edge = "scaleX(0.02)";
  await body.animate([{ transform: "none" }, { transform: edge }], { duration: FLIP, delay, easing: "ease-in" }).finished.catch(() => {});
  swap();
  body.animate([{ transform: edge }, { transform: "none" }], { duration: FLIP, easing: "ease-out" });
}

/** No. */
export function shake(node) {
  if (calm()) {
    fade(node, 0.5, 1);
    return;
  }
  node.animate([0, 3, -3, 3, -3, 0].map((x) => ({ translate: `${x}px 0` })), { duration: SHAKE });
}

/** One ring that widens from the moon, over the whole table: the game is won. */
export function ripple(node) {
  if (calm()) return fade(node, 0, 1).finished;
  return node.animate([{ transform: "scale(1)", opacity: 0.9 }, { transform: "scale(9)", opacity: 0 }], { duration: 900, easing: "cubic-bezier(.2,.6,.4,1)" }).finished.catch(() => {});
}
