/**
 * What lies behind everything: sky, a moon, water, and the moon's path on it.
 *
 * The moon fills as a game goes on, from a thin crescent to full; its path on the water grows with it.
 */

import { svg } from "./dom.js";
import * as motion from "./motion.js";
import { litPath } from "./phase.js";

const STARS = 46;
const GLINTS = 30;

/** The dark plains on the moon's face: middle and radii, in parts of its radius. */
const PLAINS = [[-0.34, -0.38, 0.3, 0.24], [0.16, -0.5, 0.22, 0.17], [0.36, -0.14, 0.26, 0.22], [-0.52, 0.08, 0.2, 0.3], [-0.12, 0.34, 0.24, 0.15], [0.3, 0.42, 0.13, 0.11]];

/** A row of numbers in [0, 1) that is the same every night. */
function* numbers(seed) {
  for (let state = seed; ; ) {
    state = (state * 48271) % 2147483647;
    yield state / 2147483647;
  }
}

export class Scene {
  constructor(root) {
    this.sky = svg("g", { class: "stars" });
    this.halo = svg("circle", { class: "halo", fill: "url(#halo)" });
    this.disc = svg("circle", { class: "moon-dark" });
    this.lit = svg("path", { class: "moon-lit" });
    this.plains = svg("g", { class: "plains" });
    this.ring = svg("circle", { class: "ripple" });
    this.sea = svg("g", { class: "sea" });
    this.path = svg("g", { class: "glints" });
    const glow = svg("radialGradient", { id: "halo" });
    for (const offset of [0, 0.3, 1]) glow.append(svg("stop", { offset, class: `halo-${offset * 10}` }));
    const depth = svg("linearGradient", { id: "depth", x1: 0, x2: 0, y1: 0, y2: 1 });
    for (const offset of [0, 1]) depth.append(svg("stop", { offset, class: `depth-${offset}` }));
    this.picture = svg("svg", { class: "scene", "aria-hidden": "true" }, svg("defs", {}, glow, depth));
    this.picture.append(this.sky, this.halo, this.sea, this.path, this.disc, this.lit, this.plains, this.ring);
    root.prepend(this.picture);
    this.fraction = 0;
    this.size = {};
  }

  /** Set the stage: the window, the moon {x, y, r}, and where the water begins. */
  arrange(width, height, moon, horizon) {
    if (this.size.width !== width || this.size.height !== height || this.size.horizon !== horizon) {
      this.size = { width, height, horizon };
      this.picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
      this.scatter(width, height, horizon);
    }
    this.moon = moon;
    for (const [node, r] of [[this.disc, moon.r], [this.halo, moon.r * 3.4], [this.ring, moon.r]]) {
      for (const [name, value] of [["cx", moon.x], ["cy", moon.y], ["r", r]]) node.setAttribute(name, value);
    }
    this.ring.style.transformOrigin = `${moon.x}px ${moon.y}px`;
    const plain = ([x, y, rx, ry]) => svg("ellipse", { cx: moon.x + x * moon.r, cy: moon.y + y * moon.r, rx: rx * moon.r, ry: ry * moon.r });
    this.plains.replaceChildren(...PLAINS.map(plain));
    this.glitter(height, moon, horizon);
    this.fill(this.fraction);
  }

  scatter(width, height, horizon) {
    const random = numbers(1969);
    const next = () => random.next().value;
    this.sky.replaceChildren();
    for (let star = 0; star < STARS; star += 1) {
      const [cx, cy, r] = [next() * width, next() ** 1.4 * horizon * 0.96, 0.5 + next() * 0.9];
      this.sky.append(svg("circle", { cx, cy, r, opacity: 0.25 + next() * 0.55 }));
    }
    const water = svg("rect", { class: "water", x: 0, y: horizon, width, height: height - horizon, fill: "url(#depth)" });
    this.sea.replaceChildren(water);
    for (let line = 0; line < 9; line += 1) {
      const y = horizon + (height - horizon) * ((line + 0.35) / 9) ** 1.5;
      const [x, length] = [next() * width * 0.7, width * (0.16 + next() * 0.3)];
      const swell = 2 + line * 0.5;
      const wave = `M${x} ${y}q${length / 6}-${swell} ${length / 3} 0t${length / 3} 0t${length / 3} 0`;
      this.sea.append(svg("path", { class: "wave", d: wave }));
    }
  }

  glitter(height, { x, r }, horizon) {
    const random = numbers(77);
    const next = () => random.next().value;
    this.path.replaceChildren();
    if (!r) return;
    for (let glint = 0; glint < GLINTS; glint += 1) {
      const far = (glint + 0.5) / GLINTS;
      const y = horizon + 3 + (height - horizon) * far ** 1.7;
      const width = r * (0.35 + 1.5 * far) * (0.3 + next() * 0.9);
      const shift = (next() - 0.5) * r * (0.25 + 1.5 * far);
      const tall = 1.4 + far * 3;
      const opacity = (1 - far * 0.8) * (0.45 + next() * 0.55);
      this.path.append(svg("rect", { x: x + shift - width / 2, y, width, height: tall, rx: tall / 2, opacity }));
    }
  }

  /** How full the moon is, 0 to 1: the lit part of its face. */
  fill(fraction) {
    this.fraction = fraction;
    if (!this.moon) return;
    const { x, y, r } = this.moon;
    const lit = Math.max(0.035, Math.min(1, fraction));
    this.lit.setAttribute("d", r ? litPath(x, y, r, lit) : "");
    this.picture.style.setProperty("--lit", String(lit));
  }

  /** The moon is full: one ring over the water. */
  ripple() {
    this.ring.classList.add("shown");
    return Promise.resolve(motion.ripple(this.ring)).then(() => this.ring.classList.remove("shown"));
  }
}
