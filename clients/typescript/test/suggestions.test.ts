/** The options of a suggestion. Its response is tested in games.ts. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { create, equals } from "@bufbuild/protobuf";
import { Player, SuggestionLevel, SuggestMoveRequestSchema, type SuggestMoveRequest } from "arbiter-client";
import { connect } from "arbiter-client/node";

import { fakeService } from "./support/sockets.js";

const STATE = { kind: { case: "notation", value: "44" } } as const;

test("the options of a suggestion are optional fields", async () => {
  const received: SuggestMoveRequest[] = [];
  await using service = await fakeService({
    suggestMove: (request) => {
      received.push(request);
      return {};
    },
  });
  using client = connect(service.target);
  await client.suggestMove("44");
  const options = {
    player: Player.TWO,
    level: SuggestionLevel.STRONG,
    maxNodes: 1000,
    seed: 0,
    maxLinePlies: 0,
  };
  await client.suggestMove("44", { ...options, tripleTriadPool: ["54", { id: 7 }] });
  const expected = [
    create(SuggestMoveRequestSchema, { state: STATE }),
    create(SuggestMoveRequestSchema, {
      ...options,
      state: STATE,
      seed: 0n,
      tripleTriadPool: { cards: [{ notation: "54" }, { id: 7 }] },
    }),
  ];
  assert.equal(received.length, expected.length);
  for (const [index, request] of received.entries()) {
    assert.ok(equals(SuggestMoveRequestSchema, request, expected[index] ?? request));
  }
});
