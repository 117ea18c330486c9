/** Tokens: calls that show one, and calls that do not. */
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

/** Clients of each protocol. Those of browsers run in Node.js, too. */
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

/** Gives one token after the other. */
function inTurn(...tokens: string[]): () => string {
  return () => tokens.shift() ?? assert.fail("there are no more tokens");
}

async function refused(answer: Promise<unknown>): Promise<RefusedError> {
  const error = await raised(answer, RefusedError);
  assert.deepEqual([error.code, error.reason], [Code.Unauthenticated, "ERROR_REASON_UNAUTHENTICATED"]);
  return error;
}

/** The first answer of a stream. */
async function stream(client: Client): Promise<unknown> {
  return (await client.evaluate([call.listGames()]).next()).value;
}

for (const [protocol, make] of Object.entries(clients)) {
  test(`a token lets calls in, over ${protocol}`, async () => {
    for (const token of [TOKEN, () => TOKEN, () => Promise.resolve(TOKEN)]) {
      const client = make({ token });
      assert.equal((await client.listGames()).games.length, 4);
      assert.equal((await client.evaluateBatch([call.listGames()])).length, 1);
      client.close();
    }
  });

  test(`a call without a token that is known is refused, and does not tell it, over ${protocol}`, async () => {
    const wrong = randomUUID();
    for (const client of [make(), make({ token: wrong })]) {
      const error = await refused(client.listGames());
      const told = inspect([client, error], { depth: Infinity, showHidden: true });
      assert.ok(!told.includes(wrong), told);
      client.close();
    }
  });

  test(`a function is asked for the token of each call, over ${protocol}`, async () => {
    const client = make({ token: inTurn(TOKEN, "old", TOKEN) });
    await client.listGames();
    await refused(client.listGames());
    await client.listGames();
    client.close();
  });
}

test("a stream shows the token that is present when it begins", async () => {
  using client = connect(server.target, { token: inTurn(TOKEN, "old") });
  assert.equal(((await stream(client)) as ListGamesResponse).games.length, 4);
  await refused(stream(client));
  using without = connect(server.target);
  await refused(stream(without));
});

test("every attempt shows the token, beside the headers of the call", async () => {
  const shown: (string | null)[][] = [];
  await using service = await fakeService({
    listGames: (_, { requestHeader }) => {
      shown.push([requestHeader.get("authorization"), requestHeader.get("x-game")]);
      if (shown.length <= 2) throw new ConnectError("not now", Code.Unavailable);
      return {};
    },
  });
  using client = connect(service.target, { token: inTurn("first", "second") });
  await client.listGames({ headers: { "x-game": "7" } });
  await client.listGames();
  const first = ["Bearer first", "7"];
  assert.deepEqual(shown, [first, first, first, ["Bearer second", null]]);
});

test("what no header can hold is a wrong argument, and is not told", async () => {
  const isTold = (error: unknown) =>
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
    if (bad !== nothing) assert.throws(() => connect(server.target, { token: bad }), isTold);
    using client = connect(server.target, { token: () => bad });
    await assert.rejects(client.listGames(), isTold);
    await assert.rejects(stream(client), isTold);
  }
});

test("what the function throws is thrown as it is", async () => {
  const away = new ConnectError("whoever gives the tokens is away", Code.Unavailable);
  const isAway = (error: unknown) => error === away;
  const functions: Token[] = [
    () => {
      throw away;
    },
    () => Promise.reject(away),
  ];
  for (const token of functions) {
    using client = connect(server.target, { token });
    await assert.rejects(client.listGames(), isAway);
    await assert.rejects(stream(client), isAway);
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
