/** The server's time, as well as it is known here: days, closes and running games are all told by it. */

/** HTTP tells whole seconds, and a little while has passed since: a device that is not further off is right. */
const BELIEVED_MS = 3000;

export class Clock {
  constructor() {
    this.offset = 0;
    this.exact = false;
  }

  /** Milliseconds since 1970. */
  now() {
    return Date.now() + this.offset;
  }

  /** The connection has said the server's time in ms. */
  set(ms) {
    this.offset = ms - Date.now();
    this.exact = true;
  }

  /** The `Date` of an answer that comes straight from the server (a kept one tells when it was made). */
  hint(headers) {
    if (this.exact || headers.get("Cache-Control") !== "no-store") return;
    const offset = Date.parse(headers.get("Date")) + 500 - Date.now();
    if (Math.abs(offset) > BELIEVED_MS) this.offset = offset;
  }
}
