/** Calls with and without a bearer token. */
import assert from "node:assert/strict";
import { createHash, randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { inspect } from "node:util";

import { Code, ConnectError } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { createConnectTransport as createWebConnectTransport } from "@connectrpc/connect-web";
import {
  call,
  Client,
  RefusedError,
  type ClientOptions,
  type ListGamesResponse,
  type Token,
} from "arbiter-client";
import { connect, type ConnectedClient } from "arbiter-client/node";
import { connect as connectWeb } from "arbiter-client/web";

import { raised } from "./support/raised.js";
import { startServer, type Server } from "./support/server.js";
import { fakeService } from "./support/sockets.js";

const TOKEN = randomUUID();
const folder = mkdtempSync(join(tmpdir(), "arbiter-"));
let server: Server;
before(async () => {
  const file = join(folder, "tokens");
  writeFileSync(file, `tests ${createHash("sha256").update(TOKEN).digest("hex")}\n`);
  server = await startServer("--token-file", file);
});
after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

/** Clients for each protocol. Those for browsers also run in Node.js. */
const clients: Record<string, (options?: ClientOptions) => Client> = {
  gRPC: (options) => connect(server.target, options),
  "gRPC-Web and HTTP/1.1": (options) => connectWeb(`http://${server.target}`, options),
  "Connect in JSON and HTTP/1.1": (options) => {
    return new Client(createWebConnectTransport({ baseUrl: `http://${server.target}` }), options);
  },
  "Connect in JSON and HTTP/2": (options) => {
    return new Client(
      createConnectTransport({ baseUrl: `http://${server.target}`, httpVersion: "2" }),
      options,
    );
  },
};

/** Returns the tokens in sequence, one per call. */
function tokenSequence(...tokens: string[]): () => string {
  return () => tokens.shift() ?? assert.fail("there are no more tokens");
}

async function refused(response: Promise<unknown>): Promise<RefusedError> {
  const error = await raised(response, RefusedError);
  assert.deepEqual([error.code, error.reason], [Code.Unauthenticated, "ERROR_REASON_UNAUTHENTICATED"]);
  return error;
}

/** The first answer of a stream. */
async function stream(client: Client): Promise<unknown> {
  return (await client.evaluate([call.listGames()]).next()).value;
}

for (const [protocol, make] of Object.entries(clients)) {
  test(`a known token is accepted, over ${protocol}`, async () => {
    for (const token of [TOKEN, () => TOKEN, () => Promise.resolve(TOKEN)]) {
      const client = make({ token });
      assert.equal((await client.listGames()).games.length, 4);
      assert.equal((await client.evaluateBatch([call.listGames()])).length, 1);
      client.close();
    }
  });

  test(`a call without a known token is refused, and the error does not contain it, over ${protocol}`, async () => {
    const wrong = randomUUID();
    for (const client of [make(), make({ token: wrong })]) {
      const error = await refused(client.listGames());
      const text = inspect([client, error], { depth: Infinity, showHidden: true });
      assert.ok(!text.includes(wrong), text);
      client.close();
    }
  });

  test(`a token function is called for each call, over ${protocol}`, async () => {
    const client = make({ token: tokenSequence(TOKEN, "old", TOKEN) });
    await client.listGames();
    await refused(client.listGames());
    await client.listGames();
    client.close();
  });
}

test("a stream has the token of its start", async () => {
  using client = connect(server.target, { token: tokenSequence(TOKEN, "old") });
  assert.equal(((await stream(client)) as ListGamesResponse).games.length, 4);
  await refused(stream(client));
  using without = connect(server.target);
  await refused(stream(without));
});

test("every attempt has the token and the headers of the call", async () => {
  const received: (string | null)[][] = [];
  await using service = await fakeService({
    listGames: (_, { requestHeader }) => {
      received.push([requestHeader.get("authorization"), requestHeader.get("x-game")]);
      if (received.length <= 2) throw new ConnectError("not now", Code.Unavailable);
      return {};
    },
  });
  using client = connect(service.target, { token: tokenSequence("first", "second") });
  await client.listGames({ headers: { "x-game": "7" } });
  await client.listGames();
  const first = ["Bearer first", "7"];
  assert.deepEqual(received, [first, first, first, ["Bearer second", null]]);
});

test("an invalid token is a TypeError, which does not contain it", async () => {
  const isExpected = (error: unknown) =>
    error instanceof TypeError && error.message.includes("visible ASCII") && !error.message.includes("same");
  const nothing = undefined as unknown as string;
  for (const bad of [
    "",
    " ",
    "sesame\n",
    "\tsesame",
    "open sesame",
    "sésame",
    "sesame\x7f",
    "sesame\0",
    nothing,
  ]) {
    if (bad !== nothing) assert.throws(() => connect(server.target, { token: bad }), isExpected);
    using client = connect(server.target, { token: () => bad });
    await assert.rejects(client.listGames(), isExpected);
    await assert.rejects(stream(client), isExpected);
  }
});

test("an error of the token function is thrown unchanged", async () => {
  const failure = new ConnectError("no token", Code.Unavailable);
  const isFailure = (error: unknown) => error === failure;
  const functions: Token[] = [
    () => {
      throw failure;
    },
    () => Promise.reject(failure),
  ];
  for (const token of functions) {
    using client = connect(server.target, { token });
    await assert.rejects(client.listGames(), isFailure);
    await assert.rejects(stream(client), isFailure);
  }
});

test("a client that was closed while its token was fetched makes no call", async () => {
  const client: ConnectedClient = connect(server.target, {
    token: () => {
      client.close();
      return TOKEN;
    },
  });
  await assert.rejects(client.listGames(), /the client is closed/);
});
