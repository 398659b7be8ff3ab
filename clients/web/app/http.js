/** HTTP to the server: JSON both ways, problems as errors, a lost network told apart from a refusal. */

/** An answer of the server that is not a success: its stable `code`, its `params`, the HTTP `status`. */
export class Problem extends Error {
  constructor(problem) {
    super(problem.detail || problem.title || problem.code);
    this.code = problem.code ?? "unknown";
    this.params = problem.params ?? {};
    this.status = problem.status;
  }
}

/** The server could not be reached; nothing is known about what became of the request. */
export class Unreachable extends Error {
  constructor() {
    super("the server cannot be reached");
    this.code = "unreachable";
    this.params = {};
  }
}

/** A fresh id for a command, 32 hex digits. Works on plain http too, where `crypto.randomUUID` does not exist. */
export function freshId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** Ask once; `token` may be null, `clock` learns the server's time. Raises `Problem` or `Unreachable`. */
export async function ask(method, path, { body, token, clock } = {}) {
  const headers = { Accept: "application/json" };
  if (token) headers.Authorization = `Bearer ${token}`;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let response;
  try {
    response = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  } catch {
    throw new Unreachable();
  }
  clock?.hint(response.headers);
  if (response.ok) return response.status === 204 ? null : response.json();
  let problem = {};
  try {
    problem = await response.json();
  } catch {
    // something between us and the server has answered: what it said is of no use
  }
  throw new Problem({ code: response.status >= 500 ? "unavailable" : "unknown", ...problem, status: response.status });
}

/**
 * Ask until there is an answer, at most `times` times: for reads, and for writes that carry a command id, which the
 * server takes once however often they arrive.
 */
export async function askAgain(method, path, options = {}, times = 4) {
  for (let tried = 1; ; tried += 1) {
    try {
      return await ask(method, path, options);
    } catch (error) {
      const passing = error.code === "unreachable" || error.status === 503 || error.status === 502;
      if (!passing || tried >= times) throw error;
      await pause(300 * 2 ** tried * (0.5 + Math.random()));
    }
  }
}
