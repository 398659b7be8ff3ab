/** Who plays here: the token of this browser. A guest is made at the first deal and not before. */

import { ask, askAgain } from "./http.js";

const KEY = "moontide.player";

export class Session {
  constructor(clock, storage = safeStorage()) {
    this.clock = clock;
    this.storage = storage;
    try {
      this.saved = JSON.parse(storage.getItem(KEY)) ?? null;
    } catch {
      this.saved = null;
    }
  }

  get token() {
    return this.saved?.token ?? null;
  }

  /** The token, of a new guest if there was none. */
  async ensure() {
    if (!this.saved) {
      const { player, token, recovery } = await ask("POST", "/v1/players", { body: {} });
      this.saved = { id: player.id, token, recovery };
      this.storage.setItem(KEY, JSON.stringify(this.saved));
    }
    return this.token;
  }

  /** The server does not know this token any more. */
  forget() {
    this.saved = null;
    this.storage.removeItem(KEY);
  }

  /** Ask in the player's name; without a player yet, anonymously. */
  ask(method, path, body) {
    return askAgain(method, path, { body, token: this.token, clock: this.clock });
  }
}

/** The browser's storage, or a memory of this page alone where it is refused. */
export function safeStorage() {
  try {
    localStorage.setItem("moontide.try", "1");
    localStorage.removeItem("moontide.try");
    return localStorage;
  } catch {
    const memory = new Map();
    return {
      getItem: (key) => memory.get(key) ?? null,
      setItem: (key, value) => memory.set(key, value),
      removeItem: (key) => memory.delete(key),
    };
  }
}
