/**
 * Turns what fingers and mice do on the table into touches of a place and drags from one place to another.
 *
 * Taps come as clicks, so that everything which can click can play, but for fingers: their tap is taken when they
 * lift, since browsers keep back clicks that look like the end of another gesture. A pointer that travels more than a
 * few px drags instead. A click that only repeats what was a drag or a finger's tap is swallowed.
 */

const SLOP = 7;
const ECHO_WITHIN_MS = 600;

export class Input {
  /** `table` is what is touched, `player` whoever touches it. */
  constructor(table, player) {
    this.table = table;
    this.player = player;
    this.drag = null;
    this.lifted = -Infinity; // when a drag or a finger's tap ended
    const { touch } = table;
    touch.addEventListener("pointerdown", (event) => this.down(event));
    touch.addEventListener("pointermove", (event) => this.move(event));
    touch.addEventListener("pointerup", (event) => this.up(event));
    touch.addEventListener("pointercancel", () => this.cancel());
    touch.addEventListener("click", (event) => this.click(event));
    touch.addEventListener("contextmenu", (event) => event.preventDefault());
  }

  placeOf(event) {
    return event.target.closest?.("[data-place]")?.dataset.place ?? null;
  }

  click(event) {
    const name = this.placeOf(event);
    const echo = event.detail > 0 && event.timeStamp - this.lifted < ECHO_WITHIN_MS;
    if (name && !echo) this.player.touch(name, event.timeStamp);
  }

  down(event) {
    if (this.drag) {
      this.cancel(); // a second finger: no drag
      return;
    }
    const name = this.placeOf(event);
    if (!name || event.button !== 0 || !this.player.can()) return;
    this.lifted = -Infinity;
    const count = this.table.countAt(name, event.clientY);
    this.drag = { id: event.pointerId, name, count, x: event.clientX, y: event.clientY, pieces: null };
  }

  move(event) {
    const { drag } = this;
    if (!drag || event.pointerId !== drag.id) return;
    const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
    if (!drag.pieces) {
      if (Math.hypot(dx, dy) < SLOP) return;
      if (!drag.count || !this.player.can()) {
        this.drag = null;
        return;
      }
      this.lift(drag, event);
    }
    drag.pieces.forEach(({ node, spot }) => {
      node.style.transform = `translate(${spot.x + dx}px, ${spot.y + dy}px)`;
    });
    drag.at = { x: drag.pieces[0].spot.x + dx, y: drag.pieces[0].spot.y + dy };
    this.aim(this.table.placeUnder(drag.at, drag.name, drag.wanted));
  }

  lift(drag, event) {
    event.target.setPointerCapture?.(drag.id);
    drag.pieces = this.table.pieces.top(drag.name, drag.count);
    drag.wanted = this.player.grab(drag.name, drag.count);
    drag.pieces.forEach(({ node }) => node.classList.add("dragged"));
  }

  up(event) {
    const { drag } = this;
    if (!drag || event.pointerId !== drag.id) return;
    this.drag = null;
    if (!drag.pieces && event.pointerType !== "touch") return; // a click follows
    this.lifted = event.timeStamp;
    if (!drag.pieces) {
      this.player.touch(drag.name, event.timeStamp);
      return;
    }
    const target = this.table.placeUnder(drag.at, drag.name, drag.wanted);
    this.letGo(drag);
    this.player.release();
    if (target) this.player.drop(drag.name, target, drag.count);
    else this.player.missed();
  }

  cancel() {
    const { drag } = this;
    this.drag = null;
    if (!drag?.pieces) return;
    this.letGo(drag);
    this.player.release();
    this.player.missed();
  }

  /** From here on the cards travel from where they were let go. */
  letGo(drag) {
    const [dx, dy] = [drag.at.x - drag.pieces[0].spot.x, drag.at.y - drag.pieces[0].spot.y];
    drag.pieces.forEach((piece) => {
      piece.node.classList.remove("dragged");
      piece.spot = { x: piece.spot.x + dx, y: piece.spot.y + dy };
    });
    this.aim(null);
  }

  aim(name) {
    for (const [other, outline] of this.table.under) outline.classList.toggle("aimed", other === name);
  }
}
