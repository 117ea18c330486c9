/** A whole game of each kind, over gRPC. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { connect, type ConnectedClient } from "arbiter-client/node";

import { games } from "./games.js";
import { startServer, type Server } from "./support/server.js";

let server: Server;
let client: ConnectedClient;
before(async () => {
  server = await startServer();
  client = connect(server.target);
});
after(async () => {
  client.close();
  await server.stop();
});

for (const [name, play] of Object.entries(games)) test(name, () => play(client));

test("the clause of a reason is listed", async () => {
  const { games } = await client.listGames({ includeClauses: true });
  const { reasons } = await client.validateMove("444444", "4");
  const clause = games[0]?.clauses.find(({ id }) => id === reasons[0]?.clause);
  assert.ok(clause?.title && clause.text);
  assert.deepEqual((await client.listGames()).games[0]?.clauses, []);
});
