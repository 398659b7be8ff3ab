/** A result as a line of text, and the ways to hand it on. */

import { dayText } from "./dates.js";
import { el } from "./dom.js";

const MOONS = ["🌑", "🌒", "🌓", "🌔", "🌕"];

/** The moon as full as the table is cleared (0 to 1); full for a cleared one only. */
export const moonOf = (part) => MOONS[Math.min(MOONS.length - 1, Math.floor(part * (MOONS.length - 1)))];

/** "Moontide 30 Nov · Half Moon 🌕 520 · 0 undos · 2:41 · #14 of 212". */
export function shareText(texts, { date, title, part, score, undos, seconds, rank, players }) {
  const figures = [texts.say("share.undos", { undos }), texts.time(seconds * 1000), texts.say("share.rank", { rank, players })];
  return `Moontide ${dayText(texts, date, "short")} · ${title} ${moonOf(part)} ${score} · ${figures.join(" · ")}`;
}

export const dailyLink = (date, ruleset) => `${location.origin}${location.pathname}#/daily/${date}/${ruleset}`;

/** Hand a text and a link on: by the device's own way, else to the clipboard, else shown in `place` to be copied. */
export async function share(app, text, url, place) {
  if (navigator.share && matchMedia("(pointer: coarse)").matches) {
    try {
      await navigator.share({ text, url });
      return;
    } catch (error) {
      if (error.name === "AbortError") return; // the player has thought better of it
    }
  }
  try {
    await navigator.clipboard.writeText(`${text}\n${url}`);
    app.notices.show(app.texts.say("share.copied"));
  } catch {
    const field = el("textarea", { className: "to-copy", readOnly: true, rows: 3, value: `${text}\n${url}`, "aria-label": app.texts.say("share.button") });
    place.replaceChildren(field);
    field.select();
  }
}
