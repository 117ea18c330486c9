/** A service that cannot be reached, does not answer, or is unavailable: deadlines and retries. */
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

/** The address of a closed port. */
async function closedPort(): Promise<string> {
  const listener = await listen(createServer());
  await listener[Symbol.asyncDispose]();
  return listener.target;
}

test("a closed port is unreachable, without a long wait", async () => {
  const target = await closedPort();
  using client = connect(target);
  const start = Date.now();
  const error = await raised(client.listGames(), UnreachableError);
  assert.ok(Date.now() - start < 3000);
  assert.equal(error.code, Code.Unavailable);
  assert.match(error.message, new RegExp(`^cannot reach ${target}: connect ECONNREFUSED`));
  await raised(client.evaluate([]).next(), UnreachableError);
});

test("an unknown host, an HTTP/1.1 server and a server that closes connections are unreachable", async () => {
  await using web = await listen(createHttpServer((_, response) => response.end("hello")));
  await using closing = await listen(createServer((socket) => socket.destroy()));
  for (const target of ["no-such-host.invalid:1", web.target, closing.target]) {
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

test("a silent server exceeds the deadline", async () => {
  await using silent = await listen(createServer());
  using client = connect(silent.target, { timeoutMs: 100 });
  const error = await raised(client.listGames(), DeadlineError);
  assert.equal(error.code, Code.DeadlineExceeded);
  using other = connect(silent.target);
  await raised(other.listGames({ timeoutMs: 100 }), DeadlineError);
  await raised(other.evaluate([], { timeoutMs: 100 }).next(), DeadlineError);
});

test("the default timeout is 5 seconds, and a stream has none", async () => {
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

test("the default timeout of suggestMove is 10 seconds", async () => {
  const timeouts: (string | null)[] = [];
  await using service = await fakeService({
    suggestMove: (_, { requestHeader }) => {
      timeouts.push(requestHeader.get("grpc-timeout"));
      return {};
    },
  });
  using client = connect(service.target);
  using patient = connect(service.target, { timeoutMs: 30_000 });
  await client.suggestMove("c4:");
  await client.suggestMove("c4:", { timeoutMs: 700 });
  await patient.suggestMove("c4:");
  assert.deepEqual(timeouts, ["10000m", "700m", "30000m"]);
});

/** Uses a service that fails a number of times, and returns the number of calls. */
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

test("UNAVAILABLE is retried, with up to 4 attempts", async () => {
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

test("a call is not retried for other errors, after its deadline, or without `retry`", async () => {
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

test("an aborted call does not wait for its retry", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const next = () => Promise.reject(new ConnectError("not now", Code.Unavailable));
  for (const isWaiting of [false, true]) {
    const controller = new AbortController();
    const call = retry(next)({ stream: false, signal: controller.signal } as UnaryRequest);
    if (isWaiting) await new Promise(setImmediate);
    controller.abort(new Error("aborted"));
    await assert.rejects(call, /aborted/);
  }
});

test("no call fails when the service closes connections by age", async () => {
  const server = await startServer("--max-connection-age", "50ms");
  using client = connect(server.target);
  const start = Date.now();
  // With pauses, because idle connections end differently.
  while (Date.now() - start < 1000) {
    await Promise.all([client.renderState("4"), client.renderState("4")]);
    if (Math.random() < 0.5) await new Promise((resolve) => setTimeout(resolve, 7));
  }
  await server.stop();
});

test("a client reconnects to a restarted service", async () => {
  let server = await startServer();
  using client = connect(server.target);
  await client.renderState("4");
  await server.stop("SIGKILL");
  await raised(client.renderState("4", { timeoutMs: 2000 }), UnreachableError);
  server = await startServer("--listen", server.target);
  await client.renderState("4");
  await server.stop();
});

test("a connection that breaks in the middle of a response is unreachable", async () => {
  const server = createHttp2Server();
  server.on("stream", (stream) => {
    stream.respond({ ":status": 200, "content-type": "application/grpc+proto" });
    stream.write(new Uint8Array(3));
    setTimeout(() => stream.session?.destroy(), 20);
  });
  await using breaking = await listen(server);
  using client = connect(breaking.target, { retry: false });
  await raised(client.listGames(), UnreachableError);
  await raised(client.evaluate([]).next(), UnreachableError);
});
