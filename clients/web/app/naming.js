/** The player's public name: what it is, and changing it. Without a player yet, only what it will be. */

import { el } from "./dom.js";
import { icon } from "./icons.js";

/** A player in two parts: the name (or guest), and the tag, small. */
export function playerName(texts, player) {
  if (!player) return el("span", { className: "who" }, el("i", { textContent: texts.say("naming.erased") }));
  return el("span", { className: "who" }, el("b", { textContent: player.name ?? texts.say("naming.guest") }), " ", el("small", { textContent: player.tag }));
}

/** `renamed()` is called after a change. */
export function naming(app, renamed = () => {}) {
  const { texts } = app;
  const say = (path) => texts.say(`naming.${path}`);
  const root = el("div", { className: "naming" });
  if (!app.session.token) {
    root.append(el("p", { textContent: say("later") }));
    return root;
  }

  const show = (player) => {
    const edit = el("button", { type: "button", className: "quiet", "aria-label": say("change"), title: say("change") }, icon("edit"), player.name ? null : el("span", { textContent: say("choose") }));
    edit.onclick = () => change(player);
    root.replaceChildren(el("p", {}, `${say("you")} `, playerName(texts, player)), edit);
  };

  const change = (player) => {
    const field = el("input", { type: "text", name: "name", maxLength: 40, value: player.name ?? "", autocomplete: "nickname", spellcheck: false, "aria-label": say("label"), "aria-describedby": "name-rule" });
    const rule = el("small", { id: "name-rule", role: "status", textContent: say("rule") });
    const form = el("form", {}, el("span", { className: "field" }, field, el("button", { type: "submit", textContent: say("save") })), rule);
    form.onsubmit = async (event) => {
      event.preventDefault();
      try {
        show(await app.session.ask("PATCH", "/v1/players/me", { name: field.value.trim() || null }));
        renamed();
      } catch (error) {
        rule.textContent = error.code === "invalid_body" ? say("rule") : texts.problem(error);
        rule.className = "fault";
        field.focus();
      }
    };
    form.onkeydown = (event) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      event.stopPropagation();
      show(player);
    };
    root.replaceChildren(form);
    field.focus();
  };

  app.session.ask("GET", "/v1/players/me").then(show, () => root.remove());
  return root;
}
