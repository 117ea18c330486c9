/** Servers for tests. */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer as createHttp2Server } from "node:http2";
import { connect, type AddressInfo, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer as createTlsServer, type TlsOptions } from "node:tls";

import type { ServiceImpl } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { RulesService } from "arbiter-client";

/** A listening server. */
export interface Listener extends AsyncDisposable {
  /** Its address, a `host:port`. */
  target: string;
}

/** Lets a server listen on a free port. Disposing it closes its connections. */
export async function listen(server: Server): Promise<Listener> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const target = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async () => {
    server.close();
    for (const socket of sockets) socket.destroy();
    await once(server, "close");
  };
  return { target, [Symbol.asyncDispose]: close };
}

/** A gRPC server whose responses a test defines: newer, broken, or overloaded. */
export function fakeService(calls: Partial<ServiceImpl<typeof RulesService>>): Promise<Listener> {
  return listen(
    createHttp2Server(connectNodeAdapter({ routes: ({ service }) => service(RulesService, calls) })),
  );
}

/** A TLS proxy for a server without TLS. */
export function tlsProxy(target: string, options: TlsOptions): Promise<Listener> {
  const port = Number(target.split(":")[1]);
  const proxy = createTlsServer({ ...options, ALPNProtocols: ["h2"] }, (outer) => {
    const inner = connect(port, "127.0.0.1");
    outer.pipe(inner).pipe(outer);
    outer.on("error", () => inner.destroy());
    inner.on("error", () => outer.destroy());
  });
  return listen(proxy);
}

/** A self-signed certificate and its key, in PEM. */
export interface Certificate {
  cert: Buffer;
  key: Buffer;
}

/** Creates a certificate for a name. */
export function makeCertificate(name: string): Certificate {
  const folder = mkdtempSync(join(tmpdir(), "arbiter-"));
  try {
    const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
    const kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc", "-days", "2"];
    const named = ["-subj", `/CN=${name}`, "-addext", `subjectAltName=DNS:${name}`];
    execFileSync("openssl", ["req", ...kind, ...named, "-keyout", key, "-out", cert], { stdio: "pipe" });
    return { cert: readFileSync(cert), key: readFileSync(key) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
