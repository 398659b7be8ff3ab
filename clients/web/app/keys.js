/**
 * The table by keyboard: arrows go from place to place as they lie, Enter or Space taps (they click), M picks up cards
 * and carries them to the place where Enter is pressed next, U takes a move back, Escape lets go.
 */

const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class Keys {
  /** `table` is what has the focus, `player` whoever plays. */
  constructor(table, player) {
    this.table = table;
    this.player = player;
    this.carried = null;
    table.touch.addEventListener("keydown", (event) => this.press(event));
    table.touch.addEventListener("click", (event) => this.click(event), { capture: true });
  }

  placeOf(event) {
    return event.target.closest?.("[data-place]")?.dataset.place ?? null;
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const name = this.placeOf(event);
    if (event.key in WAYS) this.step(name, WAYS[event.key]);
    else if (event.key === "m" || event.key === "M") this.take(name);
    else if (event.key === "Escape") this.letGo();
    else return;
    event.preventDefault();
  }

  /** Focus the nearest place that lies that way. */
  step(name, [dx, dy]) {
    const from = this.middleOf(name ?? this.table.specs[0].name);
    let best = { cost: Infinity, name: null };
    for (const spec of this.table.specs) {
      const to = this.middleOf(spec.name);
      const [ahead, aside] = dx ? [(to.x - from.x) * dx, Math.abs(to.y - from.y)] : [(to.y - from.y) * dy, Math.abs(to.x - from.x)];
      if (ahead <= 4) continue;
      const cost = ahead + aside * 2.5;
      if (cost < best.cost) best = { cost, name: spec.name };
    }
    if (best.name) this.table.buttons.get(best.name).focus();
  }

  middleOf(name) {
    const { slots, card } = this.table.layout;
    const slot = slots.get(name);
    return { x: slot.x + card.width / 2, y: slot.y + card.height / 2 };
  }

  /** Pick up cards; pressed again on the same place, another number of them. */
  take(name) {
    if (!name) return;
    const counts = this.player.counts(name);
    if (!counts.length) return;
    const again = this.carried?.name === name ? (counts.indexOf(this.carried.count) + 1) % counts.length : 0;
    this.carried = { name, count: counts[again] };
    this.player.carry(name, counts[again]);
  }

  click(event) {
    const name = this.placeOf(event);
    if (!this.carried || !name) return;
    const { name: from, count } = this.carried;
    event.stopPropagation();
    event.preventDefault();
    this.letGo();
    if (from !== name) this.player.drop(from, name, count);
  }

  letGo() {
    if (!this.carried) {
      this.player.letGo();
      return;
    }
    this.carried = null;
    this.player.carry(null, 0);
  }
}
