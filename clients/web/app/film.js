/**
 * A game frame by frame, out of its log: what was dealt, and what each event moved.
 *
 * No rule is needed for that. An event says which cards went where and what it brought, and what was undone is the
 * state before that event. A frame is {places, score, moves, undos, at, kind, data}: the places as a view has them
 * (covered cards counted, not shown), and `at` ms since the deal. A test holds every frame against the server's view.
 */

/** `specs` are the ruleset's places, `events` the whole log, `dealt` first. */
export function film(specs, events) {
  const [{ data, at }, ...rest] = events;
  const began = Date.parse(at);
  const frames = [{ cards: Object.fromEntries(specs.map(({ name }) => [name, data.places[name] ?? []])), score: 0, moves: 0, undos: 0, at: 0, kind: "dealt", data }];
  for (const event of rest) {
    const before = frames.at(-1);
    const frame = { ...before, at: Date.parse(event.at) - began, kind: event.type, data: event.data };
    if (event.type === "moved") Object.assign(frame, { cards: moved(before.cards, event.data), data: { ...event.data, cards: taken(before.cards, event.data) }, score: before.score + event.data.points, moves: before.moves + 1 });
    // event n is frame n - 1, so what was before it is frame n - 2
    if (event.type === "undone") Object.assign(frame, { cards: frames[event.data.undoes - 2].cards, score: before.score + event.data.points, moves: before.moves - 1, undos: before.undos + 1 });
    frames.push(frame);
  }
  return frames.map(({ cards, ...frame }) => ({ ...frame, places: shown(specs, cards) }));
}

/** The same of a line that nobody played: the deal, and its moves one after another, without points and times. */
export function filmOfLine(specs, dealt, line, pace) {
  const time = (step) => new Date(step * pace).toISOString();
  return film(specs, [{ data: dealt, at: time(0) }, ...line.map((move, step) => ({ type: "moved", at: time(step + 1), data: { ...move, points: 0 } }))]);
}

/** The cards that a move takes up, in the order of its event. */
function taken(cards, { remove, from, count }) {
  return remove ? remove.map((name) => cards[name].at(-1)) : cards[from].slice(-count);
}

function moved(cards, { remove, from, to, count }) {
  const next = { ...cards };
  if (remove) {
    for (const name of remove) next[name] = cards[name].slice(0, -1);
    return next;
  }
  next[from] = cards[from].slice(0, -count);
  next[to] = [...cards[to], ...cards[from].slice(-count)];
  return next;
}

function shown(specs, cards) {
  return specs.map(({ name, role, shows }) => ({ name, role, count: cards[name].length, cards: shows === "top" ? cards[name].slice(-1) : cards[name] }));
}
