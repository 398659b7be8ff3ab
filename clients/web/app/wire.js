/**
 * The one WebSocket to the server: hello and resume, heartbeat, and coming back by itself.
 *
 *     closed -> opening -> (hello) -> open -> closed -> …      refused: the token is not known; we do not come back
 *
 * Watches outlive the connection: every hello takes them up again, each from the event that its game has. What is
 * said while there is no connection is not kept here; `commands.js` says it again once the connection is open.
 */

const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 8000;
const ANSWER_WITHIN_MS = 4000;

export class Wire {
  /**
   * `heard(frame)` gets every frame but welcome, pong and draining; `changed(status)` is called with open, closed or
   * refused. `clock` learns the server's time.
   */
  constructor({ url, token, clock, heard, changed }) {
    Object.assign(this, { url, token, clock, heard, changed });
    this.watches = new Map();
    this.resumed = new Map();
    this.status = "closed";
    this.failures = 0;
    this.heartbeat = 20_000;
    this.wake = () => this.check();
    addEventListener("online", this.wake);
    document.addEventListener("visibilitychange", this.wake);
    this.connect();
  }

  /** Follow a game; `after()` gives the newest event that is known, undefined for a whole state. */
  watch(channel, after) {
    this.watches.set(channel, after);
    if (this.status === "open") this.send({ t: "watch", ...this.request(channel) });
  }

  unwatch(channel) {
    if (this.watches.delete(channel) && this.status === "open") this.send({ t: "unwatch", channel });
  }

  /** Say something; false if there is no open connection. */
  send(message) {
    if (this.status !== "open") return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  /** Give up the connection and come back at once: an answer has not come in time. */
  renew() {
    this.drop();
    this.connect();
  }

  close() {
    removeEventListener("online", this.wake);
    document.removeEventListener("visibilitychange", this.wake);
    this.watches.clear();
    this.drop();
    this.status = "refused";
  }

  // -- inside ------------------------------------------------------------------------------------

  request(channel) {
    const after = this.watches.get(channel)();
    return after === undefined ? { channel, legal: true } : { channel, after, legal: true };
  }

  connect() {
    clearTimeout(this.retry);
    const socket = new WebSocket(this.url);
    this.socket = socket;
    this.opening = setTimeout(() => this.lost(socket), 2 * ANSWER_WITHIN_MS);
    socket.onopen = () => {
      this.resumed = new Map(this.watches);
      const resume = [...this.watches.keys()].map((channel) => this.request(channel));
      socket.send(JSON.stringify({ t: "hello", token: this.token, resume }));
    };
    socket.onmessage = ({ data }) => socket === this.socket && this.take(JSON.parse(data));
    socket.onclose = ({ code, reason }) => this.lost(socket, code === 1008 && reason === "unauthenticated");
  }

  take(frame) {
    this.heardAt = Date.now();
    clearTimeout(this.deadline);
    if (frame.t === "welcome") this.welcome(frame);
    else if (frame.t === "pong") this.clock.set(Date.parse(frame.now));
    else if (frame.t === "draining") this.retry = setTimeout(() => this.renew(), frame.reconnect_in_ms * (0.5 + Math.random()));
    else if (frame.t === "resync") this.resync(frame.channel);
    else this.heard(frame);
  }

  welcome({ now, heartbeat_s: seconds }) {
    clearTimeout(this.opening);
    this.failures = 0;
    this.clock.set(Date.parse(now));
    this.heartbeat = seconds * 1000;
    this.beat = setInterval(() => this.check(), this.heartbeat);
    this.status = "open";
    this.catchUp();
    this.become("open");
  }

  /** What was watched or left between our hello and the welcome, the hello did not say. */
  catchUp() {
    for (const channel of this.resumed.keys()) if (!this.watches.has(channel)) this.send({ t: "unwatch", channel });
    for (const [channel, after] of this.watches) if (this.resumed.get(channel) !== after) this.send({ t: "watch", ...this.request(channel) });
  }

  resync(channel) {
    if (this.watches.has(channel)) this.send({ t: "watch", channel, legal: true });
  }

  /** Ping; if nothing at all is heard soon after, the connection is dead although nobody has said so. */
  check() {
    if (document.hidden && Date.now() - (this.heardAt ?? 0) < this.heartbeat / 2) return;
    if (this.status === "closed") this.renew();
    if (!this.send({ t: "ping" })) return;
    clearTimeout(this.deadline);
    this.deadline = setTimeout(() => this.renew(), ANSWER_WITHIN_MS);
  }

  lost(socket, refused = false) {
    if (socket !== this.socket) return;
    this.drop();
    if (refused) {
      this.become("refused");
      return;
    }
    const delay = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** this.failures) * (0.5 + Math.random());
    this.failures += 1;
    this.retry = setTimeout(() => this.connect(), delay);
    this.become("closed");
  }

  drop() {
    clearTimeout(this.opening);
    clearTimeout(this.deadline);
    clearTimeout(this.retry);
    clearInterval(this.beat);
    const socket = this.socket;
    this.socket = null;
    socket?.close();
    if (this.status === "open") this.status = "closed";
  }

  become(status) {
    this.status = status;
    this.changed(status);
  }
}
