/** The reveal of a daily and its check: what was committed to, the code, and whether the one is the hash of the other. */

import { dayText, timeText } from "./dates.js";
import { el } from "./dom.js";

/** The SHA-256 of a text in hex; null where the page may not hash (it did not come over a secure connection). */
async function sha256(text) {
  if (!crypto.subtle) return null;
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function told(texts, name, value, className = "") {
  return el("div", {}, el("dt", { textContent: texts.say(`proof.${name}`) }), el("dd", { className }, value));
}

/** Before the close: only the seal, and since when it is known. */
export function seal(app, day, item) {
  const { texts } = app;
  const when = timeText(texts, item.committed_at, app.clock.now());
  return el(
    "section",
    { className: "panel proof" },
    el("h2", { textContent: texts.say("proof.sealed") }),
    el("p", { textContent: texts.say("proof.sealedAbout", { close: timeText(texts, day.closes_at, app.clock.now()) }) }),
    el("dl", {}, told(texts, "commitment", item.commitment, "hash"), told(texts, "committed", when)),
  );
}

/** After the close: the code, and the check, made here and now. */
export function reveal(app, day, item, ruleset) {
  const { texts } = app;
  const say = (path, values) => texts.say(`proof.${path}`, values);
  const early = Date.parse(item.committed_at) < Date.parse(day.opens_at);
  const published = dayText(texts, item.committed_at.slice(0, 10), "long");
  const verdict = el("p", { className: "check", role: "status", textContent: say("checking") });
  const computed = el("dd", { className: "hash", textContent: "…" });
  const acts = el("div", { className: "acts" });
  if (item.line) acts.append(el("a", { className: "button main", href: `#/line/${day.date}/${ruleset.ruleset}`, textContent: say("line", { moves: item.line.length }) }));
  const play = el("button", { type: "button", textContent: say("play") });
  play.onclick = () => app.deal({ code: item.code }).catch((error) => app.notices.show(texts.problem(error)));
  const links = el("p", { className: "links" }, el("a", { href: `/v1/dailies/${day.date}/${ruleset.ruleset}/manifest`, target: "_blank", rel: "noopener", textContent: say("manifest") }));
  if (item.mine) links.append(" · ", el("a", { href: `/v1/games/${item.mine.game}/receipt`, target: "_blank", rel: "noopener", textContent: say("receipt") }));
  links.append(" · ", el("a", { href: `#/board/${item.code}`, textContent: say("codeBoard") }));
  acts.append(play);
  sha256(item.code).then((hash) => {
    const right = hash === item.commitment;
    computed.textContent = hash ?? say("unhashed");
    verdict.className = `check ${hash === null ? "" : right ? "right" : "wrong"}`;
    if (hash === null) verdict.textContent = say("insecure");
    else if (right) verdict.textContent = say(early ? "right" : "rightLate", { day: published });
    else verdict.textContent = say("wrong");
  });
  return el(
    "section",
    { className: "panel proof" },
    el("h2", { textContent: say("title") }),
    el("p", { className: "code-text", textContent: item.code }),
    verdict,
    el("details", {}, el("summary", { textContent: say("how") }), el("p", { textContent: say("howAbout") }), el("dl", {}, told(texts, "commitment", item.commitment, "hash"), el("div", {}, el("dt", { textContent: say("computed") }), computed), told(texts, "committed", timeText(texts, item.committed_at, app.clock.now()))), links),
    el("p", { textContent: item.line ? texts.say("daily.certified") : say("noLine") }),
    acts,
  );
}
