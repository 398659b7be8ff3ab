/** The sheet of settings. */

import { el } from "./dom.js";
import { openSheet } from "./sheet.js";
import { LANGUAGES } from "./texts.js";

function toggle(settings, name, title, about) {
  const box = el("input", { type: "checkbox", checked: settings.get(name), role: "switch", name });
  box.onchange = () => settings.set(name, box.checked);
  return el("label", { className: "setting" }, el("span", {}, title, el("small", { textContent: about })), box);
}

function choice(settings, name, title, options) {
  const list = el("select", { name });
  for (const [value, text] of options) list.append(el("option", { value, textContent: text, selected: settings.get(name) === value }));
  list.onchange = () => settings.set(name, list.value);
  return el("label", { className: "setting" }, el("span", { textContent: title }), list);
}

export function openPreferences(root, texts, settings) {
  const say = (path) => texts.say(`settings.${path}`);
  const kinds = (path) => Object.entries(texts.words.settings[path]);
  return openSheet(root, {
    name: "preferences",
    title: say("title"),
    closeText: say("close"),
    content: [
      toggle(settings, "errors", say("errors"), say("errorsAbout")),
      toggle(settings, "help", say("help"), say("helpAbout")),
      choice(settings, "colours", say("colours"), kinds("colourKinds")),
      choice(settings, "theme", say("theme"), kinds("themes")),
      choice(settings, "language", say("language"), [["auto", say("auto")], ...Object.entries(LANGUAGES)]),
    ],
  });
}
