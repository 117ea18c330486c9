import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";

/**
 * Converts every connection error to UNAVAILABLE, with a message that names the target and the cause. Transports report
 * connection errors with various codes; `causeOf` recognizes them.
 */
export function convertConnectionErrors(
  target: string,
  causeOf: (error: ConnectError) => string | undefined,
): Interceptor {
  const convert = (thrown: unknown, signal: AbortSignal): ConnectError => {
    const error = ConnectError.from(thrown);
    // A call that was aborted, or whose deadline was exceeded, keeps its own error.
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
  async function* convertIn<T>(messages: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
    try {
      yield* messages;
    } catch (error) {
      throw convert(error, signal);
    }
  }
  return (next) => async (request) => {
    try {
      const response = await next(request);
      if (!response.stream) return response;
      return { ...response, message: convertIn(response.message, request.signal) };
    } catch (error) {
      throw convert(error, request.signal);
    }
  };
}
