/** Dailies as the server tells them, and how mine stand. No rule is here, and nothing of a deal before its close. */

import { dateOf } from "./dates.js";

const OPEN = new Set(["playing", "dead_end"]);

/** The day that is on now; the first answer also sets the clock, so that a device that is wrong asks once more. */
export async function today(app) {
  const date = dateOf(app.clock.now());
  let day;
  try {
    day = await app.session.ask("GET", `/v1/dailies/${date}`);
  } catch (error) {
    if (error.code !== "not_found") throw error;
  }
  const now = dateOf(app.clock.now());
  return day && now === date ? day : app.session.ask("GET", `/v1/dailies/${now}`);
}

/**
 * How one item of a day stands at `now` (ms): `ahead` (not open yet), `drawn` (no deal has been found yet), `ready`,
 * `playing`, `finished` (mine is over, the day not closed), `revealed`, or `late` (no start any more).
 */
export function stateOf(day, item, now) {
  if (item.code || now >= Date.parse(day.closes_at)) return "revealed";
  if (item.mine) return OPEN.has(item.mine.status) ? "playing" : "finished";
  if (now < Date.parse(day.opens_at)) return "ahead";
  if (now >= Date.parse(day.last_start_at)) return "late";
  return item.commitment ? "ready" : "drawn";
}

/** The items of a day with their rulesets: {front, folded}, the first variant of each game in front. */
export function inFront(day, rulesets) {
  const games = new Set();
  const [front, folded] = [[], []];
  for (const item of day.items) {
    const ruleset = rulesets.find((one) => one.ruleset === item.ruleset);
    if (!ruleset) continue;
    (games.has(ruleset.game) ? folded : front).push({ item, ruleset });
    games.add(ruleset.game);
  }
  return { front, folded };
}

/** My row of a daily's board, and how many stand on it: {me, players, provisional}. */
export function standing(app, date, ruleset) {
  return app.session.ask("GET", `/v1/dailies/${date}/${ruleset}/board?limit=1`);
}

const cards = (view) => view.places.filter((place) => place.role !== "foundation").reduce((sum, place) => sum + place.count, 0);

/** What part of the cards of a game is gone or home, 0 to 1. */
export async function cleared(app, game) {
  const [dealt, now] = await Promise.all([app.session.ask("GET", `/v1/games/${game}?at=1`), app.session.ask("GET", `/v1/games/${game}`)]);
  return 1 - cards(now) / cards(dealt);
}
