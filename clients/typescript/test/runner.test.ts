/** The runner of the cases can fail. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { create } from "@bufbuild/protobuf";
import { Code, ConnectError, createRouterTransport, type ServiceImpl } from "@connectrpc/connect";
import { IllegalMoveSchema, RulesService, ViewStateResponseSchema } from "arbiter-client";

import { ErrorInfoSchema } from "../dist/gen/google/rpc/error_details_pb.js";
import { readFile } from "./cases/case.js";
import { runCases } from "./cases/runner.js";

/** What is wrong with a file of one case, written without its name. */
function errorOf(written: string): string {
  const errors: string[] = [];
  readFile("file", `{"about": "x", "cases": [{"name": "x", ${written}}]}`, errors);
  return errors.join("\n");
}

test("a file without cases is refused", () => {
  for (const text of ["", "{}", `{"about": "x", "cases": []}`, `{"about": "x", "cases": [{}], "more": 1}`]) {
    const errors: string[] = [];
    assert.deepEqual(readFile("file", text, errors), []);
    assert.equal(errors.length, 1, text);
  }
});

test("a case that expects nothing is refused", () => {
  assert.match(errorOf(`"rpc": "ListGames", "request": {}`), /missing key "status"/);
  assert.match(errorOf(`"rpc": "ListGames", "request": {}, "status": "OK"`), /needs a response/);
  const refusal = `"rpc": "ListGames", "request": {}, "status": "INVALID_ARGUMENT"`;
  assert.match(errorOf(`${refusal}, "reasons": []`), /needs reasons/);
});

test("what is of the other kind of answer is refused", () => {
  const ok = `"rpc": "NewGame", "request": {}, "status": "OK", "response": {}`;
  assert.match(errorOf(`${ok}, "reasons": []`), /of a refusal, not of OK/);
  assert.match(errorOf(`${ok}, "move_index": 1`), /of a refusal, not of OK/);
  const reason = `{"code": "ERROR_REASON_GAME_OVER", "field": "x"}`;
  const refused = `"rpc": "NewGame", "request": {}, "status": "INVALID_ARGUMENT", "reasons": [${reason}]`;
  assert.equal(errorOf(refused), "");
  assert.match(errorOf(`${refused}, "response": {}`), /of OK, not of a refusal/);
  assert.match(errorOf(`${refused}, "move_index": 1`), /of FAILED_PRECONDITION/);
  assert.match(errorOf(refused.replace("INVALID_ARGUMENT", "UNIMPLEMENTED")), /field: false/);
  assert.match(errorOf(refused.replace("GAME_OVER", "NO_SUCH_REASON")), /there is no reason/);
  assert.match(errorOf(refused.replace("INVALID_ARGUMENT", "NOT_FOUND")), /there is no status/);
});

test("two cases of one name are refused", () => {
  const written = `{"name": "x", "rpc": "ListGames", "request": {}, "status": "OK", "response": {}}`;
  const errors: string[] = [];
  assert.equal(readFile("file", `{"about": "x", "cases": [${written}, ${written}]}`, errors).length, 1);
  assert.match(errors.join(), /two cases of this name/);
});

test("a name that the contract does not know is refused", () => {
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

/** What is wrong with the answers of a service to one case. */
async function failuresOf(
  written: string,
  service: Partial<ServiceImpl<typeof RulesService>>,
): Promise<string[]> {
  const errors: string[] = [];
  const cases = readFile("file", `{"about": "x", "cases": [{"name": "x", ${written}}]}`, errors);
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

test("more than was wanted is a failure, even if nobody knows what it is", async () => {
  const more = create(ViewStateResponseSchema, { state });
  more.$unknown = [{ no: 99, wireType: 0, data: new Uint8Array([1]) }];
  assert.equal((await failuresOf(viewed, { viewState: () => more })).length, 1);
});

test("a field that is ignored must be there", async () => {
  const ignored = `"rpc": "NewGame", "request": {}, "status": "OK", "response": {}, "ignore": ["seed"]`;
  const [failure] = await failuresOf(ignored, { newGame: () => ({}) });
  assert.match(failure ?? "", /must still be there/);
});

test("an answer that is another as an item is a failure", async () => {
  const answers = [{ kind: { case: "viewState" as const, value: {} } }];
  const service = { viewState: () => ({ state }), evaluateBatch: () => ({ answers }) };
  assert.match((await failuresOf(viewed, service)).join(), /as an item of EvaluateBatch/);
  const none = { ...service, evaluateBatch: () => ({ answers: [] }) };
  assert.match((await failuresOf(viewed, none)).join(), /0 answers to 1 items/);
});

test("a refusal without its details is a failure, and so is one with others", async () => {
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
  assert.equal(await refuse({}, {}, 0), 1, "an index that was not wanted");
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
