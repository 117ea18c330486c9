/** What the service has answered, and whether it is what was wanted. */
import {
  create,
  createRegistry,
  equals,
  type DescMessage,
  type JsonValue,
  type Message,
} from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import {
  ErrorReasonSchema,
  IllegalMoveSchema,
  ReasonSchema,
  RefusalSchema,
  type Answer as Item,
  type Reason,
  type Refusal,
} from "arbiter-client";

import {
  BadRequestSchema,
  ErrorInfoSchema,
  type ErrorInfo,
} from "../../dist/gen/google/rpc/error_details_pb.js";
import type { Case } from "./case.js";
import { takeOut } from "./ignore.js";
import { diff, readMessage, writeMessage } from "./json.js";

/** There are no extensions: what is not in the contract is unknown. */
const REGISTRY = createRegistry();

/**
 * An answer, in a form that can be compared: a refusal is the same on its own and as an item of many. The messages are
 * one, unless the call is a stream, and without the fields that the case ignores.
 */
export type Answer = { messages: Message[] } | { refusal: Refusal };

/** Reads the answer to a call: its messages, or what it has thrown. Throws if it is not as every answer must be. */
export function readAnswer(asked: Case, answer: Message[] | ConnectError): Answer {
  return answer instanceof ConnectError ? { refusal: readStatus(answer) } : readMessages(asked, answer);
}

/** Reads the answer to an item of `EvaluateBatch` or `Evaluate`. */
export function readItem(asked: Case, item: Item | undefined): Answer {
  if (item?.kind.case === undefined) throw new Error("the item has no answer");
  if (item.kind.case === "refusal") return { refusal: item.kind.value };
  if (item.kind.value.$typeName !== asked.method.output.typeName) {
    throw new Error(`the item's answer is a ${item.kind.value.$typeName}`);
  }
  return readMessages(asked, [item.kind.value]);
}

function readMessages({ method: { output }, ignored }: Case, messages: Message[]): Answer {
  for (const message of messages) {
    const json = writeMessage(output, message);
    if (!same(output, readMessage(output, json), message)) {
      throw new Error(`the answer is not the same after a turn through JSON: ${JSON.stringify(json)}`);
    }
    if (takeOut(output, message, ignored).missing > 0) {
      throw new Error(`a field that is ignored must still be there: ${JSON.stringify(json)}`);
    }
  }
  return { messages };
}

/** Compares an answer with the one that the case wants. Throws the difference. */
export function checkAnswer({ method, wanted }: Case, answer: Answer): void {
  if ("messages" in wanted) {
    compare(method.output, wanted, answer);
    return;
  }
  const got = "refusal" in answer ? answer.refusal : create(RefusalSchema);
  // Messages may be any unless the case wants one: those that were answered are taken over.
  const reasons = wanted.reasons.map(({ code, field, clause, message }, index) => {
    return { code, field, clause, message: message || (got.reasons[index]?.message ?? "") };
  });
  const { code, moveIndex } = wanted;
  const { message, unlistedReasons } = got;
  const refusal = create(RefusalSchema, { code, message, reasons, moveIndex, unlistedReasons });
  compare(method.output, { refusal }, answer);
}

/** Compares the answer to an item with the one that the same call has had on its own. Throws the difference. */
export function checkItem({ method }: Case, alone: Answer, item: Answer): void {
  if ("refusal" in item && item.refusal.code === (Code.InvalidArgument as number)) {
    // A google.rpc.BadRequest has no room for the clauses.
    for (const reason of item.refusal.reasons) reason.clause = "";
  }
  compare(method.output, alone, item);
}

function compare(schema: DescMessage, wanted: Answer, got: Answer): void {
  if (!isEqual(schema, wanted, got)) throw new Error(diff(toJson(schema, wanted), toJson(schema, got)));
}

function isEqual(schema: DescMessage, wanted: Answer, got: Answer): boolean {
  if ("refusal" in wanted) return "refusal" in got && same(RefusalSchema, wanted.refusal, got.refusal);
  if ("refusal" in got || wanted.messages.length !== got.messages.length) return false;
  return wanted.messages.every((message, index) => same(schema, message, got.messages[index]));
}

/** Whether two messages are equal, fields that nobody knows included. */
function same(schema: DescMessage, a: Message, b: Message | undefined): boolean {
  return b !== undefined && equals(schema, a, b, { registry: REGISTRY, unknown: true });
}

function toJson(schema: DescMessage, answer: Answer): JsonValue {
  if ("refusal" in answer) return writeMessage(RefusalSchema, answer.refusal);
  return answer.messages.map((message) => writeMessage(schema, message));
}

/** Reads a refusal out of the status of a call. Everything that a refusal promises must be there. */
function readStatus(status: ConnectError): Refusal {
  const { code, rawMessage: message, metadata } = status;
  const fail = (what: string) => new Error(`${what}: ${status.message}`);
  // The code and the message are those of grpc-status-details-bin; over gRPC the headers have them too.
  const [headerCode, headerMessage] = [metadata.get("grpc-status"), metadata.get("grpc-message")];
  if (
    headerCode !== null &&
    (headerCode !== String(code) || decodeURIComponent(headerMessage ?? "") !== message)
  ) {
    throw fail("the details are of another status");
  }
  const [info] = status.findDetails(ErrorInfoSchema);
  if (info === undefined) throw fail("there is no google.rpc.ErrorInfo");
  const [illegalMove] = status.findDetails(IllegalMoveSchema);
  const [badRequest] = status.findDetails(BadRequestSchema);
  let reasons = [create(ReasonSchema, { code: readReason(info.reason), message })];
  if (code === Code.InvalidArgument) {
    if (badRequest === undefined) throw fail("there is no google.rpc.BadRequest");
    reasons = badRequest.fieldViolations.map(({ reason, description, field }) => {
      return create(ReasonSchema, { code: readReason(reason), message: description, field });
    });
  } else if (code === Code.FailedPrecondition) {
    if (illegalMove === undefined) throw fail("there is no arbiter.v1.IllegalMove");
    reasons = illegalMove.reasons;
  }
  const unlisted = info.metadata.unlisted_violations;
  const refusal = create(RefusalSchema, {
    code,
    message,
    reasons,
    moveIndex: illegalMove?.moveIndex,
    unlistedReasons: unlisted === undefined ? undefined : Number(unlisted),
  });
  checkErrorInfo(info, refusal);
  return refusal;
}

/** Checks that the `google.rpc.ErrorInfo` of a refusal tells its first reason. */
function checkErrorInfo(
  { domain, reason, metadata }: ErrorInfo,
  { message, reasons, moveIndex }: Refusal,
): void {
  const [first] = reasons;
  if (first === undefined) throw new Error("there is no reason");
  if (domain !== "arbiter.v1" || readReason(reason) !== first.code) {
    throw new Error(`the google.rpc.ErrorInfo is not that of the first reason: ${domain} ${reason}`);
  }
  const told = { field: first.field, clause: first.clause, move_index: moveIndex?.toString() ?? "" };
  for (const [key, wanted] of Object.entries(told)) {
    if (wanted !== "" && metadata[key] !== wanted) {
      throw new Error(`${key} in the metadata of google.rpc.ErrorInfo should be ${wanted}`);
    }
  }
  if (message === "" || reasons.some((reason) => reason.message === ""))
    throw new Error("a message is empty");
}

function readReason(name: string): Reason["code"] {
  const reason = ErrorReasonSchema.values.find((value) => value.name === name);
  if (reason === undefined) throw new Error(`there is no reason "${name}"`);
  return reason.number;
}
