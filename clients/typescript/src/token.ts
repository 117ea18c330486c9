/**
 * A token, or a function that answers the present one. That is asked at each call, whose time begins when it has answered;
 * what it throws, the call throws.
 */
export type Token = string | (() => string | Promise<string>);

/** Whoever is asked for the token of each call. One that is known already is checked at once. */
export function tokenSource(token: Token): () => Promise<string> {
  if (typeof token === "function") return async () => checked(await token());
  const known = Promise.resolve(checked(token));
  return () => known;
}

/** A token that a header can hold. The error does not repeat any other: errors are written to logs. */
function checked(token: unknown): string {
  if (typeof token === "string" && /^[!-~]+$/.test(token)) return token;
  throw new TypeError("a token is one or more visible ASCII characters, without spaces and line breaks");
}
