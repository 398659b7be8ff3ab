/**
 * One game as the server tells it: the fold of its `state` and `event` frames, and nothing else.
 *
 * What a player holds (a selection) and what is shown before the server has answered are not part of it: see `hand.js`.
 */

const FIGURES = ["score", "moves", "undos", "undo_left", "status", "elapsed_ms"];

export class Game {
  /** `view` is null until the first state has come; `changed(change)` is called after every change. */
  constructor(id, changed = () => {}) {
    this.id = id;
    this.channel = `game:${id}`;
    this.view = null;
    this.changed = changed;
  }

  /** The newest event that is known, or undefined before the first state. */
  get seq() {
    return this.view?.seq;
  }

  /** Whether commands are still taken. */
  get open() {
    return this.view !== null && (this.view.status === "playing" || this.view.status === "dead_end");
  }

  place(name) {
    return this.view.places.find((place) => place.name === name);
  }

  /** The cards that one sees on top of a place, and how many lie there. */
  top(name) {
    return this.place(name)?.cards.at(-1);
  }

  /** A whole state: after a watch, and of any answer that carries a view. An older one is not taken. */
  become(view) {
    if (this.view && view.seq < this.view.seq) return;
    const first = this.view === null;
    // a view without legal moves keeps those that are known of the same state; null: not known
    const legal = view.legal ?? (view.seq === this.seq ? this.view.legal : null);
    this.view = { ...view, legal };
    this.changed({ kind: first ? "opened" : "replaced" });
  }

  /**
   * One event frame. Returns false if events before it are missing (watch again, `after` this game's seq); one that
   * is known already is passed over.
   */
  apply(frame) {
    if (this.view === null || frame.seq > this.view.seq + 1) return false;
    if (frame.seq <= this.view.seq) return true;
    const changes = new Map(frame.places.map((place) => [place.name, place]));
    const next = { ...this.view, seq: frame.seq, legal: frame.legal ?? null };
    for (const figure of FIGURES) next[figure] = frame[figure];
    next.places = this.view.places.map((place) => changes.get(place.name) ?? place);
    this.view = next;
    this.changed({ kind: frame.event.type, data: frame.event.data, places: frame.places });
    return true;
  }
}
