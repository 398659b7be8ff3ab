/**
 * A table with fanned columns: single places (cells, foundations) in the rows above them; on a phone that lies on its
 * side these stand in the two rails. See `layout.js` for what is returned.
 */

/** Card and distance of columns from the rectangle of the table and the number of columns; `step` is the widest. */
const PROPORTIONS = {
  phone({ width, height }, count) {
    const card = Math.min(Math.round(width * 0.0923), Math.floor(width / count - 1.5), Math.floor(height / 9));
    return { width: card, height: Math.round(card * 1.5), pitch: (width - 8 - card) / (count - 1), step: 0.556, gap: 10 };
  },
  lying({ width, height }, count) {
    const card = Math.min(Math.round((width * 0.592) / count), 66);
    const tall = Math.min(Math.round(card * 1.32), Math.floor((height - 44) * 0.22));
    return { width: card, height: tall, pitch: card + 3, step: 0.39, gap: 8 };
  },
  tablet({ width, height }, count) {
    const card = Math.min(Math.floor((width - 34) / count - 5.4), Math.floor(height / 8));
    return { width: card, height: Math.round(card * 1.5), pitch: (width - 34 - card) / (count - 1), step: 0.36, gap: 22 };
  },
  desktop({ width, height }, count) {
    const tall = Math.min(Math.floor(height * 0.1847), Math.floor(((width - 60) / count - 12) * 1.5), 216);
    const card = Math.round(tall / 1.5);
    return { width: card, height: tall, pitch: Math.min(card + 16, (width - 34 - card) / (count - 1)), step: 0.292, gap: 14 };
  },
};

/** So many cards a fan may come to hold; where there is room for that and more, the table stands lower. */
const DEEPEST = 18;

/** Up to so many cards, the rank and suit of a covered card are seen whole. */
const USUAL = 13;

export function columns(places, frame) {
  const fans = places.filter((place) => place.fanned);
  const single = places.filter((place) => !place.fanned);
  const count = Math.max(...fans.map((place) => place.x));
  const { width, height, pitch, step, gap } = PROPORTIONS[frame.kind](frame, count);
  const left = frame.x + (frame.width - pitch * (count - 1) - width) / 2;
  const end = frame.y + frame.height;
  const lying = frame.kind === "lying";
  const rows = lying ? 0 : Math.min(...fans.map((place) => place.y)) - 1;
  const deep = rows * (height + gap + 4) + height + (DEEPEST - 1) * Math.floor(height * step);
  const spare = frame.kind === "phone" ? Math.max(8, Math.min(40, (frame.height - deep) / 2.5)) : gap;
  const top = frame.y + spare;
  const fanTop = top + rows * (height + gap + 4);

  const slots = new Map();
  for (const { name, x } of fans) {
    slots.set(name, { x: left + (x - 1) * pitch, y: fanTop, room: end - 4 - fanTop, step: Math.floor(height * step) });
  }
  if (lying) {
    rails(single, { width, height, count, left, end: left + pitch * (count - 1) + width }, frame, slots);
  } else {
    for (const { name, x, y } of single) {
      slots.set(name, { x: left + (x - 1) * pitch, y: top + (y - 1) * (height + gap + 4), room: 0 });
    }
  }
  const strip = Math.min(Math.floor(height * step), Math.floor((end - 4 - fanTop - height) / (USUAL - 1)));
  return { card: { width, height, strip, step: Math.floor(height * step) }, slots, moon: moonBetween(single, slots, width, height, top, lying), undo: null };
}

/** Single places two by two at the foot of the rails, left or right as they stand over the columns. */
function rails(single, table, frame, slots) {
  const half = (table.count + 1) / 2;
  const stride = table.width + 4;
  for (const side of ["left", "right"]) {
    const own = single.filter((place) => (place.x <= half) === (side === "left"));
    const width = stride * Math.min(2, own.length) - 4;
    const middle = side === "left" ? (frame.x + table.left) / 2 : (table.end + frame.x + frame.width) / 2;
    const lines = Math.ceil(own.length / 2);
    const y0 = frame.y + frame.height - 12 - lines * (table.height + 4);
    own.forEach(({ name }, at) => {
      const x = middle - width / 2 + (at % 2) * stride;
      slots.set(name, { x, y: y0 + Math.floor(at / 2) * (table.height + 4), room: 0 });
    });
  }
}

/** The moon stands in the widest free gap of the first row. */
function moonBetween(single, slots, width, height, top, lying) {
  const xs = single.map((place) => slots.get(place.name).x).sort((a, b) => a - b);
  let gap = { size: 0, x: 0 };
  for (let at = 1; at < xs.length; at += 1) {
    const size = xs[at] - xs[at - 1] - width;
    if (size > gap.size) gap = { size, x: (xs[at] + xs[at - 1] + width) / 2 };
  }
  const r = lying ? 0 : Math.min(gap.size / 2 - 4, height / 2 - 2, 64);
  return { x: gap.x, y: top + height / 2, r: r < 12 ? 0 : r };
}
