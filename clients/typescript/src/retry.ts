import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";

const MAX_ATTEMPTS = 4;
const INITIAL_DELAY_MS = 100;
const MAX_DELAY_MS = 1000;
const FACTOR = 2;
/** Delays are up to this much longer or shorter, so that clients that failed together do not come back together. */
const JITTER = 0.2;

/**
 * Repeats a call that found the service unavailable: 4 attempts at most, the second after 0.1 s, then waiting twice as
 * long each time. Every call is a pure question, so that repeating one is safe. Streams are not repeated: some of their
 * calls may have been answered.
 */
export const retry: Interceptor = (next) => async (request) => {
  if (request.stream) return await next(request);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await next(request);
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || ConnectError.from(error).code !== Code.Unavailable) throw error;
    }
    await sleep(delayAfter(attempt), request.signal);
  }
};

function delayAfter(attempt: number): number {
  const delay = Math.min(INITIAL_DELAY_MS * FACTOR ** (attempt - 1), MAX_DELAY_MS);
  return delay * (1 - JITTER + 2 * JITTER * Math.random());
}

/** Waits, unless the call is over before: by its deadline, or because its caller has given up. */
function sleep(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    }, delayMs);
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
}
