// Requests to the sandbox's app API. One function: JSON in, JSON out, refusals as exceptions.

/** A request that the server refused, or that did not reach it. `code` is for programs, `message` a sentence for people. */
export class Refused extends Error {
  /** @param {string} code @param {string} text */
  constructor(code, text) {
    super(text);
    this.code = code;
  }
}

/**
 * The answer's JSON. Throws Refused ("unreachable" while no server answers), or the signal's AbortError.
 *
 * @param {"GET" | "POST" | "PATCH" | "DELETE"} method
 * @param {string} path
 * @param {object} [body]
 * @param {AbortSignal} [signal]
 */
export async function call(method, path, body, signal) {
  const request = { method, signal, headers: body ? { "Content-Type": "application/json" } : undefined };
  let response;
  try {
    response = await fetch(path, body ? { ...request, body: JSON.stringify(body) } : request);
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Refused("unreachable", "unreachable");
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok)
    throw new Refused(
      answer.error?.code ?? `http_${response.status}`,
      answer.error?.text ?? response.statusText,
    );
  return answer;
}
