/** A whole game of each kind, over gRPC. */
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
