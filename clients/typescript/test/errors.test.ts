/** Refusals, batches and streams. */
import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { after, before, test } from "node:test";

import {
  ArbiterError,
  call,
  Code,
  IllegalMoveError,
  InvalidRequestError,
  RefusedError,
  Verdict,
  type RenderStateResponse,
} from "arbiter-client";
import { connect, type ConnectedClient } from "arbiter-client/node";

import { raised } from "./support/raised.js";
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

const columnFull = {
  code: "ERROR_REASON_COLUMN_FULL",
  message: "column 4 is full",
  field: "move.notation",
  clause: "C4-2",
};

test("an illegal move has its reasons", async () => {
  const error = await raised(client.applyMove("444444", "4"), IllegalMoveError);
  assert.ok(error instanceof RefusedError && error instanceof ArbiterError);
  assert.equal(error.code, Code.FailedPrecondition);
  assert.equal(error.reason, "ERROR_REASON_COLUMN_FULL");
  assert.deepEqual(error.reasons, [columnFull]);
  assert.deepEqual(error.metadata, { field: "move.notation", clause: "C4-2" });
  assert.deepEqual([error.moveIndex, error.unlisted], [undefined, 0]);
  assert.equal(String(error), "IllegalMoveError: illegal move: column 4 is full");
});

test("validateMove returns an illegal move without an error", async () => {
  const { verdict, reasons } = await client.validateMove("444444", "4");
  assert.equal(verdict, Verdict.ILLEGAL);
  assert.equal(reasons[0]?.message, columnFull.message);
});

test("an illegal move of a replay has its index", async () => {
  const error = await raised(client.replayGame("44444", ["4", "4", "1"]), IllegalMoveError);
  assert.equal(error.moveIndex, 1);
  assert.equal(error.reasons[0]?.field, "moves[1].notation");
});

test("an impossible state is refused with all violations", async () => {
  const board = ["X......", ".......", ".......", ".......", ".......", "...Z..."];
  const state = { kind: { case: "connectFour" as const, value: { board } } };
  const error = await raised(client.validateMove(state, {}), InvalidRequestError);
  assert.equal(error.code, Code.InvalidArgument);
  assert.equal(error.reason, error.reasons[0]?.code);
  assert.deepEqual(error.reasons.map(({ code, field }) => [code, field]).sort(), [
    ["ERROR_REASON_FIELD_REQUIRED", "move"],
    ["ERROR_REASON_FIELD_REQUIRED", "state.connect_four.next_player"],
    ["ERROR_REASON_FLOATING_TOKEN", "state.connect_four.board[0]"],
    ["ERROR_REASON_UNKNOWN_TOKEN", "state.connect_four.board[5]"],
  ]);
  assert.ok(
    error.reasons.every(({ message }) => error.message.includes(message)),
    error.message,
  );
});

test("unlisted reasons are counted", async () => {
  const moves = Array.from({ length: 30 }, () => "x");
  const error = await raised(client.replayGame("4", moves), InvalidRequestError);
  assert.equal(error.reasons.length + error.unlisted, 30);
  assert.notEqual(error.unlisted, 0);
});

test("any other refusal is a RefusedError", async () => {
  const calls = Array.from({ length: 1001 }, () => call.listGames());
  const error = await raised(client.evaluateBatch(calls), RefusedError);
  assert.ok(!(error instanceof InvalidRequestError) && !(error instanceof IllegalMoveError));
  assert.equal(error.code, Code.ResourceExhausted);
  assert.equal(error.reason, "ERROR_REASON_TOO_MANY_ITEMS");
  assert.deepEqual(error.reasons, [{ code: error.reason, message: error.message, field: "", clause: "" }]);
});

const calls = [
  call.renderState("4453"),
  call.applyMove("444444", "4"),
  call.replayGame("44444", ["4", "4"]),
  call.renderState("nonsense"),
] as const;

function checkAnswers([rendered, illegal, replayed, invalid, ...more]: readonly unknown[]): void {
  assert.equal((rendered as RenderStateResponse).notation, "c4:7x6x4:4453");
  assert.ok(illegal instanceof IllegalMoveError);
  assert.deepEqual(illegal.reasons, [columnFull]);
  assert.equal(illegal.reason, columnFull.code);
  assert.equal(illegal.message, "illegal move: column 4 is full");
  assert.ok(replayed instanceof IllegalMoveError);
  assert.equal(replayed.moveIndex, 1);
  assert.ok(invalid instanceof InvalidRequestError);
  assert.equal(invalid.reason, "ERROR_REASON_INVALID_NOTATION");
  assert.equal(more.length, 0);
}

test("a refused item of a batch is a value", async () => {
  const answers = await client.evaluateBatch(calls);
  checkAnswers(answers);
  // Each answer has the type of its call; otherwise this would not compile.
  const [rendered, applied] = answers;
  assert.ok(!(rendered instanceof RefusedError) && rendered.text.length > 0);
  assert.ok(applied instanceof RefusedError || applied.outcome === undefined);
});

test("a refused item of a stream is a value", async () => {
  const answers: unknown[] = [];
  for await (const answer of client.evaluate(calls)) answers.push(answer);
  checkAnswers(answers);
});

test("calls of a stream may depend on its answers, and the stream ends when its reader stops", async () => {
  const states = new PassThrough({ objectMode: true });
  states.write("c4:7x6x4:");
  let ended = false;
  async function* moves() {
    try {
      for await (const state of states) yield call.applyMove(state as string, "4");
    } finally {
      ended = true;
    }
  }
  let last: string | undefined;
  for await (const answer of client.evaluate(moves())) {
    assert.ok(!(answer instanceof RefusedError));
    assert.equal(answer.state?.kind.case, "notation");
    last = answer.state.kind.value;
    if (last === "c4:7x6x4:444") break;
    states.write(last);
  }
  assert.equal(last, "c4:7x6x4:444");
  states.write(last);
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(ended, true);
});

test("an aborted call is cancelled", async () => {
  const signal = AbortSignal.abort();
  assert.equal((await raised(client.listGames({ signal }), ArbiterError)).code, Code.Canceled);
  assert.equal((await raised(client.evaluate([], { signal }).next(), ArbiterError)).code, Code.Canceled);
});

test("a closed client makes no calls", async () => {
  const closed = connect(server.target);
  await closed.listGames();
  closed.close();
  assert.equal((await raised(closed.listGames(), ArbiterError)).message, "the client is closed");
  assert.equal((await raised(closed.evaluate([]).next(), ArbiterError)).message, "the client is closed");
});

test("a game is started by the rules of a preset", async () => {
  const { games } = await client.listGames();
  const presets = games.flatMap(({ presets }) => presets);
  assert.notEqual(presets.length, 0);
  for (const { rules } of presets) assert.ok((await client.newGame(rules ?? {}, { seed: 1 })).state);
});
