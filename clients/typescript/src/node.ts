/**
 * Connects to Arbiter from Node.js, over gRPC.
 *
 * @module
 */
import type { ClientHttp2Stream, SecureClientSessionOptions } from "node:http2";

import { Code, type ConnectError, type Transport } from "@connectrpc/connect";
import { createGrpcTransport, Http2SessionManager } from "@connectrpc/connect-node";

import { Client, type ClientOptions } from "./client.js";
import { reach } from "./reach.js";
import { retry } from "./retry.js";

/** How to trust the service, and how to be trusted by it. All in PEM. */
export interface TlsOptions {
  /** The certificates that the service's is checked against. Left out: those that come with Node.js. */
  roots?: string | Uint8Array | undefined;
  /** The certificate of this client, if the service asks for one. With `key`. */
  certificate?: string | Uint8Array | undefined;
  /** The key of the certificate of this client. */
  key?: string | Uint8Array | undefined;
  /** The name that the service's certificate must have. Left out: the host that is connected to. */
  serverName?: string | undefined;
}

/** How to connect. */
export interface ConnectOptions extends ClientOptions {
  /** Left out or false: no encryption. True: TLS, trusting what Node.js trusts. */
  tls?: boolean | TlsOptions | undefined;
  /** Whether to repeat a call that found the service unavailable. Default true. */
  retry?: boolean | undefined;
}

/** A connected client, to be closed: it can be declared with `using`. */
export type ConnectedClient = Client & Disposable;

/**
 * A client of the service at `target`, a `host:port`. The connection is opened by the first call, and again by the next
 * one whenever it has ended.
 */
export function connect(target: string, options: ConnectOptions = {}): ConnectedClient {
  if (!/^[^/?#@]+:\d+$/.test(target))
    throw new TypeError(`expected host:port, such as localhost:50051: ${target}`);
  const { tls = false, retry: retries = true } = options;
  const baseUrl = `${tls === false ? "http" : "https"}://${target}`;
  const sessionManager = new Session(baseUrl, {}, typeof tls === "object" ? readTls(tls) : {});
  const interceptors = [...(retries ? [retry] : []), reach(target, causeOf)];
  const transport = createGrpcTransport({ baseUrl, sessionManager, interceptors });
  return new NodeClient(transport, options, sessionManager);
}

function readTls({ roots, certificate, key, serverName }: TlsOptions): SecureClientSessionOptions {
  const read = (pem: string | Uint8Array | undefined) => (pem instanceof Uint8Array ? Buffer.from(pem) : pem);
  return { ca: read(roots), cert: read(certificate), key: read(key), servername: serverName };
}

/**
 * The HTTP/2 session, opened again when it has ended.
 *
 * The manager stops listening to a session that it has left, and Node.js ends the process for an error that comes after
 * that (connectrpc/connect-es#1768): one more listener, which stays, keeps it alive.
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
  // The call that met the error has told of it.
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

/** What is wrong with the connection; nothing if the error is of another kind. */
function causeOf({ cause, code, metadata }: ConnectError): string | undefined {
  if (isNodeError(cause)) return cause.reason ?? (cause.message || cause.code);
  // A call whose connection breaks looks like one that was given up, but for what a service says that has seen it.
  if (code === Code.Canceled && !metadata.has("grpc-status")) return "the connection broke";
  return undefined;
}

/** Whether this is an error of a socket, of TLS or of HTTP/2; those that are `TypeError`s are of wrong arguments. */
function isNodeError(error: unknown): error is Error & { code: string; reason?: string } {
  const named = error instanceof Error && "code" in error && typeof error.code === "string";
  return named && !(error instanceof TypeError);
}
