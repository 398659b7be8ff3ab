/**
 * A table without fans: one bowed row on top, arms going down on both sides, the reserve inside.
 *
 * Four sizes of screen have their own proportions; between them everything follows from the width and height that
 * are there. See `layout.js` for what is returned.
 */

const between = (low, value, high) => Math.max(low, Math.min(high, value));

/** Card, distance of columns, bow, gap of rows: from the rectangle of the table and the size of the grid. */
const PROPORTIONS = {
  phone({ width, height }, columns, rows) {
    const card = Math.round(width * 0.1487);
    const tall = Math.min(Math.round(card * 1.5), Math.floor((height - 46) / rows));
    const spare = height - rows * tall;
    return {
      width: card,
      height: tall,
      step: (width - 16 - card) / (columns - 1),
      bow: between(12, 12 + spare / 7, 40),
      gap: between(8, Math.round(5 + spare / 19), 24),
      reserve: { x: 6, y: 12 },
      foot: between(4, (spare - 58) / 10, 24),
    };
  },
  lying({ width, height }, columns, rows) {
    const tall = Math.min(87, Math.floor((height - 42) / rows));
    const card = Math.min(Math.round(66 - 0.625 * (87 - tall)), Math.floor((width - 200) / columns) - 4);
    const step = Math.min(card + 12, (width - 196 - card) / (columns - 1));
    return { width: card, height: tall, step, bow: 13, gap: 4, reserve: { x: 22, y: 8 }, foot: 9 };
  },
  tablet({ width, height }, columns, rows) {
    const card = Math.min(Math.floor((width - 52 - 12 * (columns - 1)) / columns), Math.floor((height - 130) / rows / 1.5));
    const gap = height > rows * card * 1.5 + 200 ? 20 : 12;
    const step = Math.min(card + 24, (width - 52 - card) / (columns - 1));
    return { width: card, height: card * 1.5, step, bow: card * 0.67, gap, reserve: { x: 20, y: 20 }, foot: 24 };
  },
  desktop({ width, height }, columns, rows) {
    const tall = Math.min(220, Math.floor((height - 82) / (rows + 0.45)));
    const card = Math.min(Math.floor(tall / 1.5) + 1, Math.floor((width - 60) / columns) - 12);
    const step = Math.min(card + 36, (width - 52 - card) / (columns - 1));
    return { width: card, height: tall, step, bow: card * 0.67, gap: 16, reserve: { x: 22, y: 20 }, foot: 22 };
  },
};

/** The largest circle that is worth drawing in a strip of sky `height` high around x, y. */
function moonIn(x, y, height, largest) {
  const r = Math.min(largest, height / 2 - 14);
  return r < 16 ? { x, y, r: 0 } : { x, y, r };
}

export function arc(places, frame) {
  const inner = places.filter((place) => place.role === "reserve");
  const outer = places.filter((place) => place.role !== "reserve");
  const columns = Math.max(...outer.map((place) => place.x));
  const rows = Math.max(...places.map((place) => place.y));
  const size = PROPORTIONS[frame.kind](frame, columns, rows);
  const { width, height, step, bow, gap } = size;

  const left = frame.x + (frame.width - step * (columns - 1) - width) / 2;
  const bottom = frame.y + frame.height - size.foot;
  const rowY = (row) => bottom - height - (rows - row) * (height + gap);
  const crown = rowY(1) - bow; // the top of the arc
  const slots = new Map();
  for (const { name, x, y, drop } of outer) {
    slots.set(name, { x: left + (x - 1) * step, y: y === 1 ? crown + drop * bow : rowY(y), room: 0 });
  }

  if (inner.length) {
    const [firstX, lastX] = [Math.min(...inner.map((p) => p.x)), Math.max(...inner.map((p) => p.x))];
    const [firstY, lastY] = [Math.min(...inner.map((p) => p.y)), Math.max(...inner.map((p) => p.y))];
    const pitch = { x: width + size.reserve.x, y: height + size.reserve.y };
    const block = { width: (lastX - firstX) * pitch.x + width, height: (lastY - firstY) * pitch.y + height };
    const x0 = left + ((columns - 1) * step + width - block.width) / 2;
    const y0 = (crown + height + bottom - block.height) / 2;
    for (const { name, x, y } of inner) {
      slots.set(name, { x: x0 + (x - firstX) * pitch.x, y: y0 + (y - firstY) * pitch.y, room: 0 });
    }
  }

  const middle = frame.x + frame.width / 2;
  const insideTop = crown + height;
  const insideEnd = Math.min(...inner.map((place) => slots.get(place.name).y), bottom);
  const above = moonIn(middle, (frame.y + crown) / 2, crown - frame.y, 84);
  const within = moonIn(middle, (insideTop + insideEnd) / 2, insideEnd - insideTop, 70);
  const free = !places.some((place) => place.x === columns && place.y === rows);
  return {
    card: { width, height },
    slots,
    moon: above.r >= within.r ? above : within,
    undo: free ? { x: left + (columns - 1) * step, y: rowY(rows) } : null,
  };
}
