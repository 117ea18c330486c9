/** What a client does when the service is not there, not in time, or not for long. */
import assert from "node:assert/strict";
import { createServer as createHttpServer } from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import { createServer } from "node:net";
import { test } from "node:test";

import { Code, ConnectError, type HandlerContext, type UnaryRequest } from "@connectrpc/connect";
import { DeadlineError, retry, UnreachableError, type Client } from "arbiter-client";
import { connect } from "arbiter-client/node";

import { raised } from "./support/raised.js";
import { startServer } from "./support/server.js";
import { fakeService, listen } from "./support/sockets.js";

/** An address that nobody listens at. */
async function deadTarget(): Promise<string> {
  const listener = await listen(createServer());
  await listener[Symbol.asyncDispose]();
  return listener.target;
}

test("an address that nobody listens at is unreachable, soon", async () => {
  const target = await deadTarget();
  using client = connect(target);
  const start = Date.now();
  const error = await raised(client.listGames(), UnreachableError);
  assert.ok(Date.now() - start < 3000);
  assert.equal(error.code, Code.Unavailable);
  assert.match(error.message, new RegExp(`^cannot reach ${target}: connect ECONNREFUSED`));
  await raised(client.evaluate([]).next(), UnreachableError);
});

test("a host of no name, a server of another kind and one that hangs up are unreachable", async () => {
  await using web = await listen(createHttpServer((_, response) => response.end("hello")));
  await using rude = await listen(createServer((socket) => socket.destroy()));
  for (const target of ["no-such-host.invalid:1", web.target, rude.target]) {
    using client = connect(target, { retry: false });
    await raised(client.listGames(), UnreachableError);
    await raised(client.evaluate([]).next(), UnreachableError);
  }
});

test("a target is a host and a port", () => {
  for (const target of ["localhost", "http://localhost:1", "localhost:1/x", ""]) {
    assert.throws(() => connect(target), TypeError, target);
  }
});

test("a service that never answers is over its deadline", async () => {
  await using silent = await listen(createServer());
  using client = connect(silent.target, { timeoutMs: 100 });
  const error = await raised(client.listGames(), DeadlineError);
  assert.equal(error.code, Code.DeadlineExceeded);
  using patient = connect(silent.target);
  await raised(patient.listGames({ timeoutMs: 100 }), DeadlineError);
  await raised(patient.evaluate([], { timeoutMs: 100 }).next(), DeadlineError);
});

test("a call has 5 seconds unless it is told otherwise, and a stream has no end", async () => {
  const timeouts: (string | null)[] = [];
  const note = ({ requestHeader }: HandlerContext) => {
    timeouts.push(requestHeader.get("grpc-timeout"));
    return {};
  };
  await using service = await fakeService({
    listGames: (_, context) => note(context),
    async *evaluate(_, context) {
      await Promise.resolve();
      note(context);
      yield* [];
    },
  });
  using client = connect(service.target);
  await client.listGames();
  await client.listGames({ timeoutMs: 700 });
  await client.listGames({ timeoutMs: 0 });
  await client.evaluate([]).next();
  assert.deepEqual(timeouts, ["5000m", "700m", null, null]);
});

/** A service that is unavailable a number of times, and counts the calls. */
async function flaky(times: number, code: Code, use: (target: string) => Promise<void>): Promise<number> {
  let calls = 0;
  await using service = await fakeService({
    listGames: () => {
      calls += 1;
      if (calls <= times) throw new ConnectError("not now", code);
      return {};
    },
  });
  await use(service.target);
  return calls;
}

test("a call that found the service unavailable is repeated, up to 4 attempts", async () => {
  const answered = async (target: string) => {
    using client = connect(target);
    await client.listGames();
  };
  assert.equal(await flaky(2, Code.Unavailable, answered), 3);
  assert.equal(await flaky(3, Code.Unavailable, answered), 4);
  const refused = async (target: string) => {
    using client = connect(target);
    assert.equal((await raised(client.listGames(), UnreachableError)).message, "not now");
  };
  assert.equal(await flaky(4, Code.Unavailable, refused), 4);
});

test("a call is repeated for nothing else, never after its deadline, and not at all if so wished", async () => {
  const failed =
    (use: (target: string) => Client, options = {}) =>
    async (target: string) => {
      const client = use(target);
      await assert.rejects(client.listGames(options));
      client.close();
    };
  assert.equal(await flaky(9, Code.ResourceExhausted, failed(connect)), 1);
  assert.equal(
    await flaky(
      9,
      Code.Unavailable,
      failed((target) => connect(target, { retry: false })),
    ),
    1,
  );
  const soon = async (target: string) => {
    using client = connect(target);
    await raised(client.listGames({ timeoutMs: 50 }), DeadlineError);
  };
  assert.equal(await flaky(9, Code.Unavailable, soon), 1);
});

test("a call that is over does not wait to be repeated", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const next = () => Promise.reject(new ConnectError("not now", Code.Unavailable));
  for (const isWaiting of [false, true]) {
    const caller = new AbortController();
    const call = retry(next)({ stream: false, signal: caller.signal } as UnaryRequest);
    if (isWaiting) await new Promise(setImmediate);
    caller.abort(new Error("it is over"));
    await assert.rejects(call, /it is over/);
  }
});

test("no call fails when the service ends its connections", async () => {
  const server = await startServer("--max-connection-age", "50ms");
  using client = connect(server.target);
  const start = Date.now();
  // Pauses as well: a connection that nothing happens on ends in its own way.
  while (Date.now() - start < 1000) {
    await Promise.all([client.renderState("4"), client.renderState("4")]);
    if (Math.random() < 0.5) await new Promise((resolve) => setTimeout(resolve, 7));
  }
  await server.stop();
});

test("a service that was killed and comes back is found again", async () => {
  let server = await startServer();
  using client = connect(server.target);
  await client.renderState("4");
  await server.stop("SIGKILL");
  await raised(client.renderState("4", { timeoutMs: 2000 }), UnreachableError);
  server = await startServer("--listen", server.target);
  await client.renderState("4");
  await server.stop();
});

test("a connection that breaks in the middle of an answer is unreachable", async () => {
  const server = createHttp2Server();
  server.on("stream", (stream) => {
    stream.respond({ ":status": 200, "content-type": "application/grpc+proto" });
    stream.write(new Uint8Array(3));
    setTimeout(() => stream.session?.destroy(), 20);
  });
  await using cutting = await listen(server);
  using client = connect(cutting.target, { retry: false });
  await raised(client.listGames(), UnreachableError);
  await raised(client.evaluate([]).next(), UnreachableError);
});
