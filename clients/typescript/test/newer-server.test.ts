/** A service that is newer than this client: unknown fields, enum numbers and reasons are preserved. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { create, equals, type Message } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import {
  ArbiterError,
  call,
  IllegalMoveError,
  IllegalMoveSchema,
  NewGameResponseSchema,
  RefusedError,
  StateSchema,
  type ErrorReason,
  type GameResult,
  type Player,
} from "arbiter-client";
import { connect } from "arbiter-client/node";

import { ErrorInfoSchema, HelpSchema } from "../dist/gen/google/rpc/error_details_pb.js";
import { raised } from "./support/raised.js";
import { fakeService } from "./support/sockets.js";

/** An unknown field: number 99, with the value 42. */
const NEW_FIELD = { no: 99, wireType: 0, data: new Uint8Array([42]) };

function withNewField<M extends Message>(message: M): M {
  message.$unknown = [NEW_FIELD];
  return message;
}

test("unknown fields are preserved", async () => {
  const sentBack: Message[] = [];
  await using service = await fakeService({
    newGame: () => {
      const state = create(StateSchema, {
        kind: { case: "connectFour", value: { board: ["."], nextPlayer: 7 as Player } },
      });
      if (state.kind.case === "connectFour") withNewField(state.kind.value);
      return withNewField(create(NewGameResponseSchema, { state: withNewField(state) }));
    },
    applyMove: ({ state, move }) => {
      if (state !== undefined) sentBack.push(state);
      if (state?.kind.value !== undefined && typeof state.kind.value === "object")
        sentBack.push(state.kind.value);
      assert.equal(move?.kind.value, "1");
      return { state: state ?? {}, outcome: { result: 99 as GameResult } };
    },
  });
  using client = connect(service.target);
  const { state } = await client.newGame("connectFour");
  assert.ok(state?.kind.case === "connectFour");
  assert.equal(state.kind.value.nextPlayer, 7);
  const applied = await client.applyMove(state, "1");
  assert.equal(applied.outcome?.result, 99);
  assert.ok(applied.state !== undefined && equals(StateSchema, applied.state, state));
  assert.deepEqual(
    sentBack.map(({ $unknown }) => $unknown),
    [[NEW_FIELD], [NEW_FIELD]],
  );
});

test("an unknown reason has its name, and an unknown detail is ignored", async () => {
  await using service = await fakeService({
    applyMove: () => {
      const code = 9999 as ErrorReason;
      const reason = { code, message: "the tide is out", field: "move", clause: "XY-1" };
      const info = { domain: "arbiter.v1", reason: "ERROR_REASON_LOW_TIDE", metadata: { tide: "low" } };
      throw new ConnectError("illegal move: the tide is out", Code.FailedPrecondition, undefined, [
        { desc: HelpSchema, value: { links: [{ url: "https://arbiter.example" }] } },
        { desc: ErrorInfoSchema, value: { ...info, domain: "a.proxy", reason: "OTHER" } },
        { desc: ErrorInfoSchema, value: info },
        { desc: IllegalMoveSchema, value: { reasons: [reason, { ...reason, clause: "XY-2" }] } },
      ]);
    },
    evaluateBatch: () => {
      const reason = { code: 9999 as ErrorReason, message: "the tide is out" };
      const refusal = { code: Code.OutOfRange, message: "too far out", reasons: [reason] };
      return { answers: [{ kind: { case: "refusal", value: refusal } }] };
    },
  });
  using client = connect(service.target);
  const error = await raised(client.applyMove("4", "1"), IllegalMoveError);
  assert.equal(error.reason, "ERROR_REASON_LOW_TIDE");
  assert.deepEqual(error.metadata, { tide: "low" });
  assert.deepEqual(
    error.reasons.map(({ code, clause }) => [code, clause]),
    [
      ["ERROR_REASON_LOW_TIDE", "XY-1"],
      ["9999", "XY-2"],
    ],
  );
  const [item] = await client.evaluateBatch([call.listGames()]);
  assert.ok(item instanceof RefusedError);
  assert.deepEqual([item.code, item.reason, item.message], [Code.OutOfRange, "9999", "too far out"]);
});

test("a status without details, or of a proxy, is an ArbiterError", async () => {
  await using service = await fakeService({
    applyMove: () => {
      throw new ConnectError("out of order", Code.FailedPrecondition);
    },
    listGames: () => {
      const info = { domain: "a.proxy", reason: "NO" };
      throw new ConnectError("no", Code.PermissionDenied, undefined, [
        { desc: ErrorInfoSchema, value: info },
      ]);
    },
  });
  using client = connect(service.target);
  const bare = await raised(client.applyMove("4", "1"), ArbiterError);
  assert.deepEqual(
    [bare.name, bare.code, bare.message],
    ["ArbiterError", Code.FailedPrecondition, "out of order"],
  );
  const other = await raised(client.listGames(), ArbiterError);
  assert.deepEqual([other.name, other.code], ["ArbiterError", Code.PermissionDenied]);
});

test("answers that do not match their calls are an error", async () => {
  await using service = await fakeService({ evaluateBatch: () => ({ answers: [{}] }) });
  using client = connect(service.target);
  assert.match((await raised(client.evaluateBatch([]), ArbiterError)).message, /1 answers to 0 calls/);
  assert.match(
    (await raised(client.evaluateBatch([call.listGames()]), ArbiterError)).message,
    /does not know/,
  );
});
