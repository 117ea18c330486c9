import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";

const MAX_ATTEMPTS = 4;
const INITIAL_DELAY_MS = 100;
const MAX_DELAY_MS = 1000;
const FACTOR = 2;
/** The random part of a delay, so that clients that failed together do not retry together. */
const JITTER = 0.2;

/**
 * Retries calls that fail with UNAVAILABLE: at most 4 attempts, with a backoff of 0.1 s that doubles each time. No call
 * has side effects, so every call may be retried. Streams are not retried: some of their calls may have been answered.
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

/** Waits, unless the call is aborted first: by its deadline or by its caller. */
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
