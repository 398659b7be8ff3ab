/** A board: its top or the rows around mine, by the ruleset's order or a lens, with my row always in sight. */

import { el, svg } from "./dom.js";
import { icon } from "./icons.js";
import { playerName } from "./naming.js";
import { phase } from "./phase.js";

const ROWS = 25;
/** The width of a bar of the histogram at most (CSS px). */
const BAR = 56;
const SHOWN = {
  score: (row) => row.score,
  undos: (row) => row.undos,
  moves: (row) => row.moves,
  seconds: (row, texts) => texts.time(row.seconds * 1000),
};

export class Board {
  /**
   * `path` is the board's on the server; `empty` what stands below the words of an empty board. `loaded(board)` is
   * called with each answer.
   */
  constructor(page, path, ruleset, { empty = [], loaded = () => {} } = {}) {
    Object.assign(this, { page, path, ruleset, empty, loaded });
    this.texts = page.app.texts;
    this.view = "top";
    this.by = null;
    this.root = el("section", { className: "panel board" });
  }

  say(path, values) {
    return this.texts.say(`board.${path}`, values);
  }

  ask(more = {}) {
    const query = new URLSearchParams({ view: this.view, limit: String(ROWS), ...(this.by ? { by: this.by } : {}), ...more });
    return this.page.app.session.ask("GET", `${this.path}?${query}`);
  }

  async load() {
    const board = await this.page.load(() => this.ask(), this.root);
    if (!board) return;
    this.loaded(board);
    this.show(board);
  }

  show(board) {
    const heading = el("h2", { textContent: this.say(board.provisional ? "soFar" : "title") });
    const count = el("small", { textContent: this.say("players", { players: board.players }) });
    this.root.replaceChildren(el("header", {}, heading, count));
    if (!board.players) {
      this.root.append(el("p", { className: "nobody", textContent: this.say("empty") }), ...this.empty);
      return;
    }
    if (board.histogram?.length > 1) this.root.append(this.histogram(board));
    if (board.me) this.root.append(this.mine(board));
    this.root.append(this.choices(board), this.table(board));
  }

  /** My rank, wherever my row is. */
  mine({ me, players, provisional }) {
    const rank = this.texts.say(provisional ? "daily.provisional" : "daily.rank", { rank: me.rank, players });
    const better = me.percentile > 0 && players > 1 ? ` · ${this.say("better", { percent: new Intl.NumberFormat(this.texts.locale).format(me.percentile) })}` : "";
    return el("p", { className: "my-rank" }, el("b", { textContent: `${this.say("me")} ${rank}` }), better);
  }

  /** Top or around me; the ruleset's order or a lens. */
  choices(board) {
    const pick = (name, text, on, act) => {
      const button = el("button", { type: "button", className: "pill", "data-pick": name, "aria-pressed": String(on), textContent: text });
      button.onclick = () => {
        act();
        this.load();
      };
      return button;
    };
    const row = el("div", { className: "choices" });
    if (board.me) {
      for (const view of ["top", "around"]) row.append(pick(view, this.say(view), this.view === view, () => (this.view = view)));
    }
    for (const lens of this.ruleset.lenses) row.append(pick(`by-${lens}`, this.say(`by.${lens}`), this.by === lens, () => (this.by = this.by === lens ? null : lens)));
    const order = board.ranked_by.map((key) => this.say(`keys.${key}`)).join(", ");
    return el("div", {}, row, el("p", { className: "order", textContent: this.say("order", { order }) }));
  }

  table(board) {
    const keys = board.ranked_by.filter((key) => key in SHOWN);
    const head = el("tr", {}, el("th", { scope: "col", textContent: "#", title: this.say("rank") }), el("th", { scope: "col", className: "player", textContent: this.say("player") }));
    for (const key of keys) head.append(el("th", { scope: "col", className: key, textContent: this.say(`columns.${key}`) }));
    head.append(el("th", { scope: "col" }, el("span", { className: "voice", textContent: this.say("replay") })));
    const body = el("tbody");
    const table = el("table", {}, el("thead", {}, head), body);
    const frame = el("div", { className: "rows" }, table);
    let last = null;
    const add = ({ items, next }) => {
      items.forEach((row, at) => {
        const shared = (last ?? items[at - 1])?.rank === row.rank || items[at + 1]?.rank === row.rank;
        body.append(this.row(row, keys, board, shared));
        last = row;
      });
      frame.querySelector(".more")?.remove();
      if (next) frame.append(this.more(next, add));
    };
    add(board);
    return frame;
  }

  row(row, keys, board, shared) {
    const mine = board.me?.game === row.game;
    const rank = shared ? this.say("equal", { rank: row.rank }) : String(row.rank);
    const who = el("td", { className: "player" }, playerName(this.texts, row.player));
    const tried = "code" in board && !board.date && row.try;
    if (tried) who.append(el("small", { className: "try", textContent: this.say("try", { number: row.try }) }));
    const line = el("tr", { className: mine ? "mine" : "", "aria-current": mine ? "true" : null }, el("td", { className: "rank", textContent: rank }), who);
    for (const key of keys) {
      const cell = el("td", { className: key }, String(SHOWN[key](row, this.texts)));
      if (key === "score" && row.won) cell.prepend(phase(1, this.say("keys.won")));
      line.append(cell);
    }
    const replay = row.link && el("a", { className: "round", href: `#/replay/${row.game}`, "aria-label": this.say("replayOf", { name: row.player?.name ?? row.player?.tag ?? "" }), title: this.say("replay") }, icon("play"));
    line.append(el("td", { className: "replay" }, replay));
    return line;
  }

  more(cursor, add) {
    const button = el("button", { type: "button", className: "more", textContent: this.say("more") });
    button.onclick = async () => {
      button.disabled = true;
      try {
        add(await this.ask({ cursor }));
      } catch (error) {
        button.disabled = false;
        this.page.app.notices.show(this.texts.problem(error));
      }
    };
    return button;
  }

  /** How the scores spread: one bar a score, those who won apart at the right. */
  histogram({ histogram, me }) {
    const bars = [...histogram].reverse();
    const most = Math.max(...bars.map((bar) => bar.players));
    const width = 100 / bars.length;
    const picture = svg("svg", { class: "histogram", viewBox: "0 0 100 20", preserveAspectRatio: "none", role: "img", "aria-label": this.say("spread") });
    bars.forEach((bar, at) => {
      const tall = Math.max(1, (18 * bar.players) / most);
      const mine = me && me.score === bar.score && me.won === bar.won;
      picture.append(svg("rect", { class: mine ? "mine" : bar.won ? "won" : "", x: at * width + width * 0.12, y: 20 - tall, width: width * 0.76, height: tall }));
    });
    const [low, high] = [bars[0], bars.at(-1)];
    const spread = el("div", { className: "spread" }, el("small", { textContent: this.say("spread") }), picture, el("p", {}, el("small", { textContent: String(low.score) }), el("small", { textContent: String(high.score) })));
    spread.style.maxWidth = `${Math.max(180, bars.length * BAR)}px`;
    return spread;
  }
}
