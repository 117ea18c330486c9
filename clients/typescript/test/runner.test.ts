/** The case runner rejects invalid files, and detects wrong answers. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { create } from "@bufbuild/protobuf";
import { Code, ConnectError, createRouterTransport, type ServiceImpl } from "@connectrpc/connect";
import { IllegalMoveSchema, RulesService, ViewStateResponseSchema } from "arbiter-client";

import { ErrorInfoSchema } from "../dist/gen/google/rpc/error_details_pb.js";
import { readFile } from "./cases/case.js";
import { runCases } from "./cases/runner.js";

/** The errors of a file with one case, given without its name. */
function errorOf(json: string): string {
  const errors: string[] = [];
  readFile("file", `{"about": "x", "cases": [{"name": "x", ${json}}]}`, errors);
  return errors.join("\n");
}

test("an invalid file is rejected", () => {
  for (const text of ["", "{}", `{"about": "x", "cases": []}`, `{"about": "x", "cases": [{}], "more": 1}`]) {
    const errors: string[] = [];
    assert.deepEqual(readFile("file", text, errors), []);
    assert.equal(errors.length, 1, text);
  }
});

test("a case without an expected answer is rejected", () => {
  assert.match(errorOf(`"rpc": "ListGames", "request": {}`), /missing key "status"/);
  assert.match(errorOf(`"rpc": "ListGames", "request": {}, "status": "OK"`), /needs a response/);
  const refusal = `"rpc": "ListGames", "request": {}, "status": "INVALID_ARGUMENT"`;
  assert.match(errorOf(`${refusal}, "reasons": []`), /needs reasons/);
});

test("a key of the other kind of answer is rejected", () => {
  const ok = `"rpc": "NewGame", "request": {}, "status": "OK", "response": {}`;
  assert.match(errorOf(`${ok}, "reasons": []`), /only for a refusal/);
  assert.match(errorOf(`${ok}, "move_index": 1`), /only for a refusal/);
  const reason = `{"code": "ERROR_REASON_GAME_OVER", "field": "x"}`;
  const refused = `"rpc": "NewGame", "request": {}, "status": "INVALID_ARGUMENT", "reasons": [${reason}]`;
  assert.equal(errorOf(refused), "");
  assert.match(errorOf(`${refused}, "response": {}`), /only for OK/);
  assert.match(errorOf(`${refused}, "move_index": 1`), /only for FAILED_PRECONDITION/);
  assert.match(errorOf(refused.replace("INVALID_ARGUMENT", "UNIMPLEMENTED")), /field: false/);
  assert.match(errorOf(refused.replace("GAME_OVER", "NO_SUCH_REASON")), /there is no reason/);
  assert.match(errorOf(refused.replace("INVALID_ARGUMENT", "NOT_FOUND")), /there is no status/);
});

test("a duplicate name is rejected", () => {
  const json = `{"name": "x", "rpc": "ListGames", "request": {}, "status": "OK", "response": {}}`;
  const errors: string[] = [];
  assert.equal(readFile("file", `{"about": "x", "cases": [${json}, ${json}]}`, errors).length, 1);
  assert.match(errors.join(), /two cases with this name/);
});

test("an unknown name is rejected", () => {
  const of = (rpc: string, request: string, response: string, more = "") => {
    return errorOf(`"rpc": "${rpc}", "request": ${request}, "status": "OK", "response": ${response}${more}`);
  };
  assert.match(of("NoSuchCall", "{}", "{}"), /there is no call/);
  assert.match(of("NewGame", `{"sead": "1"}`, "{}"), /sead/);
  assert.match(of("NewGame", "{}", `{"sead": "1"}`), /sead/);
  assert.match(of("ViewState", `{"state": {"connectFour": {}}}`, "{}"), /connectFour/);
  assert.match(of("NewGame", "{}", "{}", `, "ignore": ["sead"]`), /sead/);
  assert.match(of("NewGame", "{}", `{"seed": "1"}`, `, "ignore": ["seed"]`), /must not be in the response/);
  assert.match(of("NewGame", "{}", "{}", `, "expect": 1`), /unknown key "expect"/);
});

/** The failures of one case with a service. */
async function failuresOf(
  json: string,
  service: Partial<ServiceImpl<typeof RulesService>>,
): Promise<string[]> {
  const errors: string[] = [];
  const cases = readFile("file", `{"about": "x", "cases": [{"name": "x", ${json}}]}`, errors);
  assert.deepEqual(errors, []);
  const transport = createRouterTransport((router) => {
    router.service(RulesService, { evaluateBatch: () => ({ answers: [batchAnswer] }), ...service });
  });
  return (await runCases(transport, cases, { streams: false })).failures;
}

const state = { kind: { case: "notation" as const, value: "c4:4" } };
const batchAnswer = { kind: { case: "viewState" as const, value: { state } } };
const viewed = `"rpc": "ViewState", "request": {}, "status": "OK", "response": {"state": {"notation": "c4:4"}}`;

test("a wrong answer is a failure, and shows the difference", async () => {
  assert.deepEqual(await failuresOf(viewed, { viewState: () => ({ state }) }), []);
  const wrong = { kind: { case: "notation" as const, value: "c4:5" } };
  const [failure] = await failuresOf(viewed, { viewState: () => ({ state: wrong }) });
  assert.match(failure ?? "", /^file: x\n[^]*-.*"c4:4"\n.*\+.*"c4:5"/);
  assert.equal((await failuresOf(viewed, { viewState: () => ({}) })).length, 1);
});

test("an unknown field is a failure", async () => {
  const more = create(ViewStateResponseSchema, { state });
  more.$unknown = [{ no: 99, wireType: 0, data: new Uint8Array([1]) }];
  assert.equal((await failuresOf(viewed, { viewState: () => more })).length, 1);
});

test("a missing ignored field is a failure", async () => {
  const ignored = `"rpc": "NewGame", "request": {}, "status": "OK", "response": {}, "ignore": ["seed"]`;
  const [failure] = await failuresOf(ignored, { newGame: () => ({}) });
  assert.match(failure ?? "", /ignored field is missing/);
});

test("another answer as an item is a failure", async () => {
  const answers = [{ kind: { case: "viewState" as const, value: {} } }];
  const service = { viewState: () => ({ state }), evaluateBatch: () => ({ answers }) };
  assert.match((await failuresOf(viewed, service)).join(), /as an item of EvaluateBatch/);
  const none = { ...service, evaluateBatch: () => ({ answers: [] }) };
  assert.match((await failuresOf(viewed, none)).join(), /0 answers to 1 items/);
});

test("a refusal without its details, or with others, is a failure", async () => {
  const reasons = `[{"code": "ERROR_REASON_COLUMN_FULL", "field": "move", "clause": "C4-2"}]`;
  const refused = `"rpc": "ApplyMove", "request": {}, "status": "FAILED_PRECONDITION", "reasons": ${reasons}`;
  const reason = { code: 101, message: "it is full", field: "move", clause: "C4-2" };
  const info = {
    domain: "arbiter.v1",
    reason: "ERROR_REASON_COLUMN_FULL",
    metadata: { field: "move", clause: "C4-2" },
  };
  const refuse = async (changes: object, infoChanges: object, moveIndex?: number) => {
    const details = [
      { desc: ErrorInfoSchema, value: { ...info, ...infoChanges } },
      { desc: IllegalMoveSchema, value: { reasons: [{ ...reason, ...changes }], moveIndex } },
    ];
    const applyMove = () => {
      throw new ConnectError("it is full", Code.FailedPrecondition, undefined, details);
    };
    const refusal = { code: 9, message: "it is full", reasons: [reason] };
    const evaluateBatch = () => ({ answers: [{ kind: { case: "refusal" as const, value: refusal } }] });
    return (await failuresOf(refused, { applyMove, evaluateBatch })).length;
  };
  assert.equal(await refuse({}, {}), 0);
  assert.equal(await refuse({}, {}, 0), 1, "an unexpected index");
  assert.equal(await refuse({ code: 100 }, {}), 1);
  assert.equal(await refuse({ field: "state" }, {}), 1);
  assert.equal(await refuse({ clause: "C4-3" }, {}), 1);
  assert.equal(await refuse({ message: "" }, {}), 1);
  assert.equal(await refuse({}, { domain: "other" }), 1);
  assert.equal(await refuse({}, { reason: "ERROR_REASON_GAME_OVER" }), 1);
  assert.equal(await refuse({}, { metadata: {} }), 1);
  const bare = () => {
    throw new ConnectError("it is full", Code.FailedPrecondition);
  };
  assert.match((await failuresOf(refused, { applyMove: bare })).join(), /no google.rpc.ErrorInfo/);
});
