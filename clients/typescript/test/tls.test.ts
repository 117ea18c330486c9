/** TLS and mutual TLS, with a proxy in front of the real server. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { UnreachableError } from "arbiter-client";
import { connect, type TlsOptions } from "arbiter-client/node";

import { raised } from "./support/raised.js";
import { startServer, type Server } from "./support/server.js";
import { makeCertificate, tlsProxy, type Listener } from "./support/sockets.js";

const service = makeCertificate("arbiter.test");
const caller = makeCertificate("caller.test");
let server: Server;
let proxy: Listener;
let mutual: Listener;
before(async () => {
  server = await startServer();
  proxy = await tlsProxy(server.target, service);
  mutual = await tlsProxy(server.target, { ...service, requestCert: true, ca: caller.cert });
});
after(async () => {
  await proxy[Symbol.asyncDispose]();
  await mutual[Symbol.asyncDispose]();
  await server.stop();
});

async function call(target: string, tls: boolean | TlsOptions): Promise<string> {
  using client = connect(target, { tls, retry: false });
  return (await client.renderState("4")).notation;
}

const trusting = { roots: service.cert, serverName: "arbiter.test" };

test("a service with a trusted root", async () => {
  assert.equal(await call(proxy.target, trusting), "c4:7x6x4:4");
  assert.equal(await call(proxy.target, { ...trusting, roots: service.cert.toString() }), "c4:7x6x4:4");
});

test("an untrusted service is unreachable, and the message says why", async () => {
  const untrusted: [boolean | TlsOptions, RegExp][] = [
    [{ ...trusting, roots: caller.cert }, /self-signed certificate/],
    [true, /self-signed certificate/],
    [{ roots: service.cert }, /not in the cert's/],
    [{ ...trusting, serverName: "other.test" }, /not in the cert's/],
  ];
  for (const [tls, expected] of untrusted) {
    assert.match((await raised(call(proxy.target, tls), UnreachableError)).message, expected);
  }
});

test("mutual TLS", async () => {
  const known = { ...trusting, certificate: caller.cert, key: caller.key };
  assert.equal(await call(mutual.target, known), "c4:7x6x4:4");
  const error = await raised(call(mutual.target, trusting), UnreachableError);
  assert.match(error.message, /certificate required/);
});

test("TLS to a plaintext service, and plaintext to a TLS service, are unreachable", async () => {
  await raised(call(server.target, trusting), UnreachableError);
  await raised(call(proxy.target, false), UnreachableError);
});
