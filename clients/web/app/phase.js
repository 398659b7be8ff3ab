/** A small moon, lit as far as something is done. */

import { svg } from "./dom.js";

/** The lit part of a moon at x, y with radius r: its right half closed by the terminator, half an ellipse. */
export function litPath(x, y, r, lit) {
  const bulge = r * Math.abs(1 - 2 * lit);
  return `M${x} ${y - r}A${r} ${r} 0 0 1 ${x} ${y + r}A${bulge} ${r} 0 0 ${lit > 0.5 ? 1 : 0} ${x} ${y - r}Z`;
}

/** `part` 0 to 1; null is a moon that has not risen, an outline. `text` is for those who listen. */
export function phase(part, text = null) {
  const known = text === null ? { "aria-hidden": "true" } : { role: "img", "aria-label": text };
  const moon = svg("svg", { class: `phase ${part === null ? "unrisen" : ""}`, viewBox: "0 0 24 24", ...known });
  moon.append(svg("circle", { class: "phase-dark", cx: 12, cy: 12, r: 10 }));
  if (part) moon.append(svg("path", { class: "phase-lit", d: litPath(12, 12, 10, Math.min(1, part)) }));
  return moon;
}
