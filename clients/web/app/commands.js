/**
 * Commands on one game: one in flight at a time, the others wait their turn.
 *
 * What waits is an *intent*, a function that says what to send when its turn comes (or null: nothing any more), since
 * the selection and the state that it speaks of are known only then. A command keeps its id until it is answered: it
 * is said again after a reconnect, and the server takes it once.
 */

import { freshId } from "./http.js";

const ANSWER_WITHIN_MS = 5000;
const AGAIN_AFTER_MS = 1000;
const WAITING_AT_MOST = 12;
const PASSING = new Set(["unavailable", "too_many_requests"]);

export class Commands {
  /**
   * `send(message)` gives false while there is no connection; `stalled()` is told when an answer is overdue, `delayed`
   * gets the problem when the server asks to come again later.
   */
  constructor({ game, send, stalled, delayed }) {
    Object.assign(this, { game, send, stalled, delayed });
    this.waiting = [];
    this.current = null;
  }

  get idle() {
    return this.current === null && this.waiting.length === 0;
  }

  /** `intent()` gives the fields of a command or null; `answered(answer)` gets the frame that settles it. */
  push(intent, answered = () => {}) {
    if (this.waiting.length >= WAITING_AT_MOST) return;
    this.waiting.push({ intent, answered });
    this.advance();
  }

  /** Forget what waits (not what is in flight): the table has changed under the player's hands. */
  clear() {
    this.waiting.length = 0;
  }

  /** The connection is there again: say the command in flight once more. */
  repeat() {
    if (this.current) this.say();
  }

  /** A frame of the server; true if it settles the command in flight. */
  hear(frame) {
    const { current } = this;
    if (!current || frame.command_id !== current.message.command_id) return false;
    clearTimeout(current.timer);
    if (frame.t === "refused" && PASSING.has(frame.problem.code)) {
      current.timer = setTimeout(() => this.say(), AGAIN_AFTER_MS);
      this.delayed(frame.problem);
      return true;
    }
    this.current = null;
    current.answered(frame);
    this.advance();
    return true;
  }

  advance() {
    while (!this.current && this.waiting.length) {
      const { intent, answered } = this.waiting.shift();
      const fields = intent();
      if (!fields) {
        answered(null);
        continue;
      }
      const message = { t: "command", game: this.game.id, command_id: freshId(), after: this.game.seq, ...fields };
      this.current = { message, answered, timer: 0 };
      this.say();
    }
  }

  say() {
    clearTimeout(this.current.timer);
    if (this.send(this.current.message)) this.current.timer = setTimeout(this.stalled, ANSWER_WITHIN_MS);
  }

  stop() {
    this.clear();
    clearTimeout(this.current?.timer);
    this.current = null;
  }
}
