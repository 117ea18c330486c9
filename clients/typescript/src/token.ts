/**
 * A token, or a function that returns the current one. The function is called for every call, before the timeout starts.
 * If it throws, the call throws the same error.
 */
export type Token = string | (() => string | Promise<string>);

/** Returns a function that returns the token of a call. A fixed token is checked immediately. */
export function tokenSource(token: Token): () => Promise<string> {
  if (typeof token === "function") return async () => checked(await token());
  const fixed = Promise.resolve(checked(token));
  return () => fixed;
}

/** Returns the token if it is a valid header value. The error does not contain it: errors end up in logs. */
function checked(token: unknown): string {
  if (typeof token === "string" && /^[!-~]+$/.test(token)) return token;
  throw new TypeError("a token is one or more visible ASCII characters, without spaces and line breaks");
}
