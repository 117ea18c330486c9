/**
 * Connects to Arbiter from a browser, over gRPC-Web.
 *
 * @module
 */
import type { ConnectError } from "@connectrpc/connect";
import { createGrpcWebTransport } from "@connectrpc/connect-web";

import { Client, type ClientOptions } from "./client.js";
import { reach } from "./reach.js";
import { retry } from "./retry.js";

/** How to connect. */
export interface ConnectOptions extends ClientOptions {
  /** Whether to repeat a call that found the service unavailable. Default true. */
  retry?: boolean | undefined;
}

/** A client of the service at `url`, such as `https://arbiter.example`, which must allow the origin of the page. */
export function connect(url: string, options: ConnectOptions = {}): Client {
  const { retry: retries = true } = options;
  const interceptors = [...(retries ? [retry] : []), reach(url, causeOf)];
  return new Client(createGrpcWebTransport({ baseUrl: url, interceptors }), options);
}

/** What is wrong with the connection. A browser says no more than that there is none, so this says what it can be. */
function causeOf({ cause }: ConnectError): string | undefined {
  if (!(cause instanceof TypeError)) return undefined;
  return `${cause.message} (it is not there, or does not allow the origin of this page: --cors-allow-origin)`;
}
