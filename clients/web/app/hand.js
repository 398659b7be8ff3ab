/**
 * What the player holds and what is shown before the server has answered: a selection, and one move in the air.
 *
 * No rule of any game is here. All that is known comes from the server's list of legal moves, so a guess is either
 * right or corrected by the answer a moment later.
 */

const same = (a, b) => a.length === b.length && a.every((name) => b.includes(name));

export class Hand {
  constructor(game) {
    this.game = game;
    this.drop();
  }

  /** Nothing selected, nothing in the air: after every event of the game. */
  drop() {
    this.selection = [];
    this.fits = null;
    this.flight = null;
  }

  /** The server's word on the selection. */
  settle(selection, fits) {
    this.selection = [...selection];
    this.fits = selection.length ? new Set(fits) : null;
    this.flight = null;
  }

  /** What a tap will most likely do, from the legal moves alone: shown at once. */
  guessTap(place, selects) {
    if (!selects) {
      const home = this.legal.find((move) => move.from === place && this.isHome(move.to));
      if (home) this.flight = { ...home, count: 1 };
      return;
    }
    if (this.selection.includes(place)) {
      this.settleGuess(this.selection.filter((name) => name !== place));
      return;
    }
    const wanted = [...this.selection, place];
    const removal = this.legal.find((move) => move.remove && same(move.remove, wanted));
    if (removal) this.flight = removal;
    else if (wanted.length === 1 && this.game.top(place)) this.settleGuess(wanted);
    else if (this.partOfMove(wanted)) this.settleGuess(wanted);
  }

  /** A move is shown at once if the server has said that it is legal; the flight is undone by `drop`. */
  guessMove(move) {
    const known = this.legal.find((legal) =>
      move.remove ? legal.remove && same(legal.remove, move.remove) : legal.from === move.from && legal.to === move.to && legal.count === move.count,
    );
    this.flight = known ?? null;
    return known !== undefined;
  }

  /** Whether some legal move takes all of these places and more. */
  partOfMove(places) {
    return this.legal.some((move) => move.remove && move.remove.length > places.length && places.every((name) => move.remove.includes(name)));
  }

  /** The legal move that dragging the last `count` cards of `from` onto `to` means; null if none is listed. */
  moveFor(from, to, count) {
    const wanted = [...new Set([...this.selection, from, to])];
    return (
      this.legal.find((move) => move.remove && (same(move.remove, [from, to]) || same(move.remove, wanted))) ??
      this.legal.find((move) => move.from === from && move.to === to && move.count === count) ??
      null
    );
  }

  /** The places that a picked-up card or sequence can go to, by the list of legal moves. */
  targets(from, count) {
    const targets = new Set();
    for (const move of this.legal) {
      if (move.from === from && move.count === count) targets.add(move.to);
      if (move.remove?.includes(from)) move.remove.forEach((name) => name !== from && targets.add(name));
    }
    return targets;
  }

  /** The places as they are drawn now: those of the game, with the move in the air already made. */
  places() {
    const places = this.game.view.places;
    const move = this.flight;
    if (!move) return places;
    if (move.remove) return places.map((place) => (move.remove.includes(place.name) ? without(place, 1) : place));
    const lifted = this.game.place(move.from).cards.slice(-move.count);
    return places.map((place) => {
      if (place.name === move.from) return without(place, move.count);
      if (place.name === move.to) return { ...place, count: place.count + move.count, cards: [...place.cards, ...lifted] };
      return place;
    });
  }

  get legal() {
    return this.game.view?.legal ?? [];
  }

  isHome(name) {
    return this.game.place(name)?.role === "foundation";
  }

  settleGuess(selection) {
    this.selection = selection;
    this.fits = null;
  }
}

/** A place that has lost its last `count` cards; of a pile the next one is not known yet: drawn face down. */
function without(place, count) {
  return { ...place, count: place.count - count, cards: place.cards.slice(0, place.cards.length - count) };
}
