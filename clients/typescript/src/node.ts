/**
 * Connects to Arbiter from Node.js, over gRPC.
 *
 * @module
 */
import type { ClientHttp2Stream, SecureClientSessionOptions } from "node:http2";

import { Code, type ConnectError, type Transport } from "@connectrpc/connect";
import { createGrpcTransport, Http2SessionManager } from "@connectrpc/connect-node";

import { Client, type ClientOptions } from "./client.js";
import { convertConnectionErrors } from "./connection-errors.js";
import { retry } from "./retry.js";

/** The settings of TLS. Certificates and keys are PEM. */
export interface TlsOptions {
  /** The root certificates to trust. Default: those of Node.js. */
  roots?: string | Uint8Array | undefined;
  /** The client certificate, for mutual TLS. Requires `key`. */
  certificate?: string | Uint8Array | undefined;
  /** The private key of the client certificate. */
  key?: string | Uint8Array | undefined;
  /** The name to expect in the service's certificate. Default: the host of the target. */
  serverName?: string | undefined;
}

/** The options of a connection. */
export interface ConnectOptions extends ClientOptions {
  /** Default false: plaintext. True: TLS with the root certificates of Node.js. */
  tls?: boolean | TlsOptions | undefined;
  /** Whether to retry calls that fail with UNAVAILABLE. Default true. */
  retry?: boolean | undefined;
}

/** A client with a connection. Close it, or declare it with `using`. */
export type ConnectedClient = Client & Disposable;

/**
 * A client of the service at `target`, a `host:port`. The first call opens the connection; after the connection has
 * ended, the next call opens another one.
 */
export function connect(target: string, options: ConnectOptions = {}): ConnectedClient {
  if (!/^[^/?#@]+:\d+$/.test(target))
    throw new TypeError(`expected host:port, such as localhost:50051: ${target}`);
  const { tls = false, retry: retries = true } = options;
  const baseUrl = `${tls === false ? "http" : "https"}://${target}`;
  const sessionManager = new Session(baseUrl, {}, typeof tls === "object" ? readTls(tls) : {});
  const interceptors = [...(retries ? [retry] : []), convertConnectionErrors(target, causeOf)];
  const transport = createGrpcTransport({ baseUrl, sessionManager, interceptors });
  return new NodeClient(transport, options, sessionManager);
}

function readTls({ roots, certificate, key, serverName }: TlsOptions): SecureClientSessionOptions {
  const read = (pem: string | Uint8Array | undefined) => (pem instanceof Uint8Array ? Buffer.from(pem) : pem);
  return { ca: read(roots), cert: read(certificate), key: read(key), servername: serverName };
}

/**
 * The HTTP/2 session, reopened when it has ended.
 *
 * The session manager removes its error listener from a session that it abandons. A later error of that session would
 * terminate the process (connectrpc/connect-es#1768), so this class adds a listener that stays.
 */
class Session extends Http2SessionManager {
  override async request(
    ...[method, path, headers, options]: Parameters<Http2SessionManager["request"]>
  ): Promise<ClientHttp2Stream> {
    const stream = await super.request(method, path, headers, options);
    if (stream.session?.listeners("error").includes(ignore) === false) stream.session.on("error", ignore);
    return stream;
  }
}

function ignore(): void {
  // The call during which the error occurred has reported it.
}

class NodeClient extends Client implements Disposable {
  readonly #session: Http2SessionManager;

  constructor(transport: Transport, options: ClientOptions, session: Http2SessionManager) {
    super(transport, options);
    this.#session = session;
  }

  override close(): void {
    super.close();
    this.#session.abort();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

/** The cause of a connection error; undefined for any other error. */
function causeOf({ cause, code, metadata }: ConnectError): string | undefined {
  if (isNodeError(cause)) return cause.reason ?? (cause.message || cause.code);
  // Connect reports a broken connection as CANCELED, like a call that the service cancels, but without a grpc-status.
  if (code === Code.Canceled && !metadata.has("grpc-status")) return "the connection broke";
  return undefined;
}

/** Whether this is an error of a socket, of TLS or of HTTP/2. A `TypeError` is about wrong arguments. */
function isNodeError(error: unknown): error is Error & { code: string; reason?: string } {
  const named = error instanceof Error && "code" in error && typeof error.code === "string";
  return named && !(error instanceof TypeError);
}
