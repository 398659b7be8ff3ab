/** What all pages that are read share: the sky behind, a heading with the way home, parts that arrive when they are there. */

import { el } from "./dom.js";
import { frameOf } from "./frame.js";
import { icon } from "./icons.js";

/** The sky of a page of this size; `small` where the moon only looks over the heading. */
export function standScene(app, { width, height }, small = false) {
  const wide = width >= 900;
  const scale = small ? 0.5 : 1;
  const r = scale * (wide ? Math.min(84, height * 0.095) : Math.min(width * 0.115, height * 0.1, 70));
  const moon = wide ? { x: Math.min(width * 0.8, width / 2 + 340), y: small ? 18 + r : height * 0.13, r } : { x: width - r - 24, y: (small ? 16 : 26) + r, r };
  app.scene.arrange(width, height, moon, height * (wide ? 0.5 : 0.4));
  app.scene.fill(0.94);
}

export class Page {
  /** `name` is the page's class, `title` its heading, `about` the line below it. */
  constructor(app, name, title, about = "") {
    this.app = app;
    this.timers = new Set();
    const home = el("a", { className: "home", href: "#/", "aria-label": app.texts.say("bar.home"), title: app.texts.say("bar.home") }, icon("home"));
    this.heading = el("h1", { textContent: title });
    this.about = el("p", { textContent: about });
    this.main = el("main");
    this.root = el("div", { className: `start page ${name}` }, el("header", { className: "title" }, home, el("div", {}, this.heading, this.about)), this.main);
    this.name(title);
  }

  name(title) {
    setTimeout(() => !this.closed && (document.title = `${title} · Moontide`));
  }

  /** Ask for something; on failure say so with a way to try again, and return null. */
  async load(read, place = this.main) {
    try {
      const found = await read();
      return this.closed ? null : found;
    } catch (error) {
      if (this.closed) return null;
      if (error.code === "unauthenticated" && this.app.session.token) {
        this.app.forget();
        return this.load(read, place);
      }
      const again = el("button", { type: "button", textContent: this.app.texts.say("page.again") });
      again.onclick = () => this.app.route();
      place.replaceChildren(el("section", { className: "panel fault-panel" }, el("p", { role: "alert", textContent: this.app.texts.problem(error) }), again));
      return null;
    }
  }

  /** Something that ticks (a countdown), stopped with the page. */
  ticking(one) {
    this.timers.add(one);
    return one;
  }

  arrange(area) {
    this.root.dataset.kind = frameOf(area).kind;
    standScene(this.app, area, true);
  }

  close() {
    this.closed = true;
    for (const one of this.timers) one.stop();
  }
}

/** A row of links of which one is where one is: `links` are {text, title, href}. */
export function tabs(label, links, here) {
  return el("nav", { className: "tabs", "aria-label": label }, ...links.map(({ text, title, href }) => el("a", { href, title, textContent: text, "aria-current": href === here ? "page" : null })));
}
