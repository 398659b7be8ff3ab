/** Choosing a new game: one panel a game with its variants and a picture of its table, and a field for a code. */

import { el, svg } from "./dom.js";
import { icon } from "./icons.js";

/** A small picture of a table, drawn from the ruleset's own places. */
function thumbnail(ruleset) {
  const { places } = ruleset;
  const fanned = places.some((place) => place.fanned);
  const columns = Math.max(...places.map((place) => place.x));
  const picture = svg("svg", { class: "thumbnail", viewBox: "0 0 120 72", "aria-hidden": "true" });
  const step = 112 / columns;
  for (const { x, y, drop, role, fanned: fan } of places) {
    const [width, height] = fanned ? [8, 11.5] : [10, 13.5];
    const left = 4 + (x - 1) * step + (step - width) / 2;
    const top = fanned ? 4 + (y - 1) * 16 : 3 + (y === 1 ? drop * 7 : 7 + (y - 1) * 15.5);
    for (let card = 0; card < (fan ? 5 : 1); card += 1) {
      picture.append(svg("rect", { class: role, x: left, y: top + card * 5.4, width, height, rx: 1.4 }));
    }
  }
  return picture;
}

function panel(texts, rulesets, deal) {
  const [first] = rulesets;
  const title = texts.game(first);
  let chosen = first;
  const content = [thumbnail(first), el("h3", { textContent: title }), el("p", { textContent: texts.has(`about.${first.game}`) ? texts.say(`about.${first.game}`) : "" })];
  if (rulesets.length > 1) {
    const group = el("div", { className: "variants", role: "radiogroup", "aria-label": title });
    for (const ruleset of rulesets) {
      const radio = el("input", { type: "radio", name: `variant-${first.game}`, value: ruleset.ruleset, checked: ruleset === chosen });
      radio.onchange = () => (chosen = ruleset);
      const about = `variantsAbout.${ruleset.game}.${ruleset.variant}`;
      group.append(el("label", {}, radio, el("span", {}, texts.variant(ruleset), texts.has(about) ? el("small", { textContent: texts.say(about) }) : null)));
    }
    content.push(group);
  }
  const button = el("button", { type: "button", className: "main deal", textContent: texts.say("start.deal"), "aria-label": texts.say("start.dealGame", { game: title }) });
  button.dataset.game = first.game;
  button.onclick = () => deal({ ruleset: chosen.ruleset });
  return el("section", { className: "game" }, ...content, button);
}

/**
 * `deal(body)` starts a game ({ruleset} or {code}), `look(code)` goes to a code's board; both return a promise that
 * fails with a problem.
 */
export function chooser(texts, rulesets, { deal, look }) {
  const games = grouped(rulesets);
  const fault = el("p", { className: "fault", id: "code-fault", role: "alert" });
  const busy = { now: false };
  const attempt = async (act, given) => {
    if (busy.now) return;
    busy.now = true;
    fault.textContent = "";
    try {
      await act(given);
    } catch (error) {
      fault.textContent = texts.problem(error);
    } finally {
      busy.now = false;
    }
  };
  const start = (body) => attempt(deal, body);
  const field = el("input", {
    type: "text", name: "code", maxLength: 60, autocomplete: "off", spellcheck: false, enterKeyHint: "go",
    placeholder: texts.say("start.codeHint"), "aria-label": texts.say("start.code"), "aria-describedby": "code-about code-fault",
  });
  field.autocapitalize = "characters";
  const go = el("button", { type: "submit", className: "round", "aria-label": texts.say("start.play"), title: texts.say("start.play") }, icon("go"));
  const board = el("button", { type: "button", className: "round board-of", "aria-label": texts.say("start.board"), title: texts.say("start.board") }, icon("board"));
  board.onclick = () => (field.value.trim() ? attempt(look, field.value) : field.focus());
  const form = el("form", { className: "code-form" }, el("span", { className: "field" }, field, go, board));
  form.onsubmit = (event) => {
    event.preventDefault();
    if (field.value.trim()) start({ code: field.value });
  };
  const about = el("p", { className: "about", id: "code-about", textContent: texts.say("start.codeAbout") });
  return el(
    "div",
    { className: "chooser" },
    el("div", { className: "games" }, ...[...games.values()].map((group) => panel(texts, group, start))),
    el("section", { className: "by-code" }, el("h3", { textContent: texts.say("start.code") }), about, form, fault),
  );
}

/** The rulesets of each game, in the server's order. */
function grouped(rulesets) {
  const games = new Map();
  for (const one of rulesets) games.set(one.game, [...(games.get(one.game) ?? []), one]);
  return games;
}
