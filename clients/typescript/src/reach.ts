import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";

/**
 * Makes every failure of the connection UNAVAILABLE, and says to whom there was none, and why. Transports have a code for
 * each of the many things that can go wrong; `causeOf` finds the one that did, if it is of the connection.
 */
export function reach(target: string, causeOf: (error: ConnectError) => string | undefined): Interceptor {
  const rename = (thrown: unknown, signal: AbortSignal): ConnectError => {
    const error = ConnectError.from(thrown);
    // A call that was given up, or whose time is over, has its own error.
    const cause = signal.aborted ? undefined : causeOf(error);
    if (cause === undefined) return error;
    return new ConnectError(
      `cannot reach ${target}: ${cause}`,
      Code.Unavailable,
      undefined,
      undefined,
      error,
    );
  };
  async function* renameIn<T>(messages: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
    try {
      yield* messages;
    } catch (error) {
      throw rename(error, signal);
    }
  }
  return (next) => async (request) => {
    try {
      const response = await next(request);
      if (!response.stream) return response;
      return { ...response, message: renameIn(response.message, request.signal) };
    } catch (error) {
      throw rename(error, request.signal);
    }
  };
}
