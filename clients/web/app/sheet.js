/**
 * A sheet: a panel over the table with a title, something in it, and buttons. Modal in the middle of the window, or
 * (`lower`) over its lower third, with the table above visible and alive.
 */

import { el } from "./dom.js";
import { icon } from "./icons.js";

/**
 * `actions` are {text, act, main} in their order; a sheet closes when one is chosen, unless `act` returns false.
 * `closed()` is called once, however it closes. Returns {close(), dialog}.
 */
export function openSheet(root, { title, content = [], actions = [], lower = false, closeText, closed = () => {}, name = "" }) {
  const heading = el("h2", { id: `sheet-${name.split(" ")[0] || "title"}`, textContent: title });
  const close = el("button", { type: "button", className: "quiet round close", "aria-label": closeText, title: closeText }, icon("close"));
  const dialog = el("dialog", { className: `sheet ${lower ? "lower" : ""} ${name}`, "aria-labelledby": heading.id });
  const row = el("div", { className: "actions" });
  for (const { text, act, main } of actions) {
    const button = el("button", { type: "button", className: main ? "main" : "", textContent: text, autofocus: Boolean(main) });
    button.onclick = () => act() !== false && dialog.close();
    row.append(button);
  }
  close.onclick = () => dialog.close();
  dialog.append(el("header", {}, heading, close), ...content);
  if (actions.length) dialog.append(row);
  dialog.addEventListener("close", () => {
    dialog.remove();
    closed();
  });
  if (!lower) dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  root.append(dialog);
  if (lower) {
    dialog.show();
    dialog.addEventListener("keydown", (event) => event.key === "Escape" && dialog.close());
  } else {
    dialog.showModal();
  }
  return { close: () => dialog.open && dialog.close(), dialog };
}
