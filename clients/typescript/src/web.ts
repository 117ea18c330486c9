/**
 * Connects to Arbiter from a browser, over gRPC-Web.
 *
 * @module
 */
import type { ConnectError } from "@connectrpc/connect";
import { createGrpcWebTransport } from "@connectrpc/connect-web";

import { Client, type ClientOptions } from "./client.js";
import { convertConnectionErrors } from "./connection-errors.js";
import { retry } from "./retry.js";

/** The options of a connection. */
export interface ConnectOptions extends ClientOptions {
  /** Whether to retry calls that fail with UNAVAILABLE. Default true. */
  retry?: boolean | undefined;
}

/** A client of the service at `url`, such as `https://arbiter.example`, which must allow the origin of the page. */
export function connect(url: string, options: ConnectOptions = {}): Client {
  const { retry: retries = true } = options;
  const interceptors = [...(retries ? [retry] : []), convertConnectionErrors(url, causeOf)];
  return new Client(createGrpcWebTransport({ baseUrl: url, interceptors }), options);
}

/** The cause of a connection error. Browsers do not report it, so this lists the likely ones. */
function causeOf({ cause }: ConnectError): string | undefined {
  if (!(cause instanceof TypeError)) return undefined;
  return `${cause.message} (the service is down, or does not allow the origin of this page: --cors-allow-origin)`;
}
