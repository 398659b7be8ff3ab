/**
 * Taps and double taps, as the rules of tapping have them.
 *
 * The first touch is sent at once as a tap. Where the game knows double taps, a second touch on the same place within
 * 300 ms waits for the answer to the first: it is swallowed if that moved something, and sent as a double tap if not.
 * The reason of a refused first touch is told only when no second one came.
 */

export const DOUBLE_WITHIN_MS = 300;

export class Touches {
  /**
   * `commands` sends; `doubles` says whether the game knows double taps; `tap(place)` gives the fields of a tap when
   * its turn comes; `settled(answer, place)` is told what came of a touch, once it may be shown.
   */
  constructor({ commands, doubles, tap, settled }) {
    Object.assign(this, { commands, doubles, tap, settled });
    this.last = null;
  }

  /** A touch on a place at `at` (ms, of the event). */
  touch(place, at) {
    const { last } = this;
    if (this.doubles && last && last.place === place && !last.second && at - last.at < DOUBLE_WITHIN_MS) {
      last.second = true;
      this.commands.push(() => (last.moved ? null : { do: "double_tap", place }), (answer) => answer && this.settled(answer, place));
      return;
    }
    const touch = { place, at, moved: false, second: false };
    this.last = touch;
    this.commands.push(() => this.tap(place), (answer) => this.answered(touch, answer));
  }

  answered(touch, answer) {
    touch.moved = answer?.t === "ack";
    if (!this.doubles || answer?.t !== "refused") {
      this.settled(answer, touch.place);
      return;
    }
    const left = touch.at + DOUBLE_WITHIN_MS - performance.now();
    setTimeout(() => touch.second || this.settled(answer, touch.place), Math.max(0, left));
  }
}
