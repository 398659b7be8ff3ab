/** Days and times in words. A day of dailies is a UTC day; times of the clock are the player's own. */

import { el } from "./dom.js";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** The UTC day (YYYY-MM-DD) of a time in ms. */
export const dateOf = (ms) => new Date(ms).toISOString().slice(0, 10);

/** A month (YYYY-MM) so many months later. */
export function monthAfter(month, months) {
  const [year, number] = month.split("-").map(Number);
  return new Date(Date.UTC(year, number - 1 + months, 1)).toISOString().slice(0, 7);
}

const FORMS = {
  short: { day: "numeric", month: "short" },
  long: { weekday: "long", day: "numeric", month: "long" },
  month: { month: "long", year: "numeric" },
  weekday: { weekday: "short" },
  day: { day: "numeric" },
};

/** A day or month in words: `short` 30 Nov, `long` Monday 30 November, `month`, `weekday`, `day`. */
export function dayText(texts, date, form) {
  const noon = Date.parse(`${date.length === 7 ? `${date}-01` : date}T12:00:00Z`);
  return texts.say("date", { text: new Intl.DateTimeFormat(texts.locale, { ...FORMS[form], timeZone: "UTC" }).format(noon) });
}

/** A time (text of the wire) on the player's clock: 1:00, with the weekday where it is not within half a day of `now`. */
export function timeText(texts, time, now) {
  const ms = Date.parse(time);
  const far = Math.abs(ms - now) > DAY_MS / 2 ? { weekday: "short" } : {};
  const further = Math.abs(ms - now) > 5 * DAY_MS ? { day: "numeric", month: "short" } : far;
  return new Intl.DateTimeFormat(texts.locale, { hour: "numeric", minute: "2-digit", ...further }).format(ms);
}

/** How long it is until `until` (ms), ticking; `done()` is called once when it is over, and not if `stop()` was before. */
export class Countdown {
  constructor(texts, clock, until, done = () => {}) {
    Object.assign(this, { texts, clock, until, done });
    this.root = el("span", { className: "countdown", role: "timer" });
    this.timer = setInterval(() => this.tick(), 1000);
    this.tick();
  }

  tick() {
    const left = this.until - this.clock.now();
    const [days, hours] = [Math.floor(left / DAY_MS), Math.floor((left % DAY_MS) / HOUR_MS)];
    this.root.textContent = days > 1 ? this.texts.say("daily.daysLeft", { days, hours }) : this.texts.time(left);
    if (left > 0) return;
    this.stop();
    this.done();
  }

  stop() {
    clearInterval(this.timer);
  }
}
