/** What the player has chosen, kept in this browser. */

import { safeStorage } from "./session.js";

const KEY = "moontide.settings";

/** `auto` follows the device: its language, its light or dark, four colours on phones. */
const DEFAULTS = { errors: false, help: false, language: "auto", theme: "auto", colours: "auto" };

export class Settings extends EventTarget {
  constructor(storage = safeStorage()) {
    super();
    this.storage = storage;
    let saved = {};
    try {
      saved = JSON.parse(storage.getItem(KEY)) ?? {};
    } catch {
      // unreadable settings are no settings
    }
    this.values = { ...DEFAULTS };
    for (const name of Object.keys(DEFAULTS)) {
      if (typeof saved[name] === typeof DEFAULTS[name]) this.values[name] = saved[name];
    }
  }

  get(name) {
    return this.values[name];
  }

  /** Keep a choice and tell everyone: event `change` with the setting's name as `detail`. */
  set(name, value) {
    this.values[name] = value;
    this.storage.setItem(KEY, JSON.stringify(this.values));
    this.dispatchEvent(new CustomEvent("change", { detail: name }));
  }

  /** Put theme and colours onto the page, where the style sheets find them. */
  dress(root = document.documentElement) {
    root.dataset.theme = this.get("theme");
    const phone = matchMedia("(max-width: 599px), (max-height: 499px)").matches;
    const colours = this.get("colours");
    root.dataset.colours = colours === "four" || (colours === "auto" && phone) ? "four" : "two";
    const sky = getComputedStyle(root).getPropertyValue("--sky").trim();
    document.querySelector("meta[name=theme-color]")?.setAttribute("content", sky);
  }
}
