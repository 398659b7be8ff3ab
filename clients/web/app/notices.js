/** What is said in passing: a line at the foot of the table, and a voice for those who listen. */

import { el } from "./dom.js";

const SHOWN_MS = 2600;

export class Notices {
  constructor(root) {
    this.voice = el("div", { className: "voice", role: "status", "aria-live": "polite" });
    this.line = el("div", { className: "notice", role: "alert", hidden: true });
    this.passing = null;
    this.standing = null;
    root.append(this.voice, this.line);
  }

  /** For screen readers only. */
  announce(text) {
    this.voice.textContent = text;
  }

  /** A line that goes by itself. */
  show(text, ms = SHOWN_MS) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.write(null), ms);
    this.write(text);
  }

  /** A line that stays until `keep(null)`: there is no connection. What passes is shown before it. */
  keep(text) {
    this.standing = text;
    this.write(this.passing);
  }

  write(passing) {
    this.passing = passing;
    const text = passing ?? this.standing;
    this.line.hidden = !text;
    this.line.textContent = text ?? "";
  }
}
