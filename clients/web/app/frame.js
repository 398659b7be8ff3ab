/**
 * What surrounds the table: a banner above and a bar of buttons below, or two rails on a phone that lies on its side.
 *
 * All numbers are CSS px. `area` is {width, height, top, right, bottom, left}: the window, and what notches and home
 * bars take from it.
 */

/** The kind of screen, which decides proportions: phone, lying (phone on its side), tablet or desktop. */
export function screenOf({ width, height }) {
  if (height < 500 && width > height * 1.2) return "lying";
  if (width < 600) return "phone";
  return width < 1100 ? "tablet" : "desktop";
}

const BANNER = { phone: 48, lying: 0, tablet: 56, desktop: 56 };
const BAR = { phone: 64, lying: 0, tablet: 72, desktop: 64 };

/** The least width of a rail. */
export const RAIL = 88;

/** {kind, banner, bar, x, y, width, height}: the screen, and the rectangle that is left for the table. */
export function frameOf(area) {
  const kind = screenOf(area);
  const y = area.top + BANNER[kind];
  return {
    kind,
    banner: BANNER[kind],
    bar: BAR[kind],
    x: area.left,
    y,
    width: area.width - area.left - area.right,
    height: area.height - area.bottom - BAR[kind] - y,
  };
}
