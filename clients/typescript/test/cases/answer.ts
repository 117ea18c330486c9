/** The answers of the service, compared with the expected ones. */
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
import { removeFields } from "./ignore.js";
import { diff, readMessage, writeMessage } from "./json.js";

/** Without extensions: all that is not in the contract is unknown. */
const REGISTRY = createRegistry();

/**
 * An answer in a comparable form: a refusal is the same for a call on its own and for an item of a batch or a stream.
 * There is one response, unless the call is a stream, without the fields that the case ignores.
 */
export type Answer = { messages: Message[] } | { refusal: Refusal };

/** Reads the answer to a call: its responses, or its error. Throws if the answer is invalid. */
export function readAnswer(one: Case, answer: Message[] | ConnectError): Answer {
  return answer instanceof ConnectError ? { refusal: readStatus(answer) } : readMessages(one, answer);
}

/** Reads the answer to an item of `EvaluateBatch` or `Evaluate`. */
export function readItem(one: Case, item: Item | undefined): Answer {
  if (item?.kind.case === undefined) throw new Error("the item has no answer");
  if (item.kind.case === "refusal") return { refusal: item.kind.value };
  if (item.kind.value.$typeName !== one.method.output.typeName) {
    throw new Error(`the answer to the item is a ${item.kind.value.$typeName}`);
  }
  return readMessages(one, [item.kind.value]);
}

function readMessages({ method: { output }, ignored }: Case, messages: Message[]): Answer {
  for (const message of messages) {
    const json = writeMessage(output, message);
    if (!same(output, readMessage(output, json), message)) {
      throw new Error(`the response differs after a JSON round trip: ${JSON.stringify(json)}`);
    }
    if (removeFields(output, message, ignored).missing > 0) {
      throw new Error(`an ignored field is missing in the response: ${JSON.stringify(json)}`);
    }
  }
  return { messages };
}

/** Compares an answer with the expected one. Throws the difference. */
export function checkAnswer({ method, expected }: Case, answer: Answer): void {
  if ("messages" in expected) {
    compare(method.output, expected, answer);
    return;
  }
  const got = "refusal" in answer ? answer.refusal : create(RefusalSchema);
  // Where the case has no message, any message is accepted: use the received one.
  const reasons = expected.reasons.map(({ code, field, clause, message }, index) => {
    return { code, field, clause, message: message || (got.reasons[index]?.message ?? "") };
  });
  const { code, moveIndex } = expected;
  const { message, unlistedReasons } = got;
  const refusal = create(RefusalSchema, { code, message, reasons, moveIndex, unlistedReasons });
  compare(method.output, { refusal }, answer);
}

/** Compares the answer to an item with that of the call on its own. Throws the difference. */
export function checkItem({ method }: Case, alone: Answer, item: Answer): void {
  if ("refusal" in item && item.refusal.code === (Code.InvalidArgument as number)) {
    // A google.rpc.BadRequest has no clauses.
    for (const reason of item.refusal.reasons) reason.clause = "";
  }
  compare(method.output, alone, item);
}

function compare(schema: DescMessage, expected: Answer, got: Answer): void {
  if (!isEqual(schema, expected, got)) throw new Error(diff(toJson(schema, expected), toJson(schema, got)));
}

function isEqual(schema: DescMessage, expected: Answer, got: Answer): boolean {
  if ("refusal" in expected) return "refusal" in got && same(RefusalSchema, expected.refusal, got.refusal);
  if ("refusal" in got || expected.messages.length !== got.messages.length) return false;
  return expected.messages.every((message, index) => same(schema, message, got.messages[index]));
}

/** Whether two messages are equal, including unknown fields. */
function same(schema: DescMessage, a: Message, b: Message | undefined): boolean {
  return b !== undefined && equals(schema, a, b, { registry: REGISTRY, unknown: true });
}

function toJson(schema: DescMessage, answer: Answer): JsonValue {
  if ("refusal" in answer) return writeMessage(RefusalSchema, answer.refusal);
  return answer.messages.map((message) => writeMessage(schema, message));
}

/** Reads a refusal from the status of a call, and checks that its details are complete. */
function readStatus(status: ConnectError): Refusal {
  const { code, rawMessage: message, metadata } = status;
  const fail = (what: string) => new Error(`${what}: ${status.message}`);
  // The code and the message come from grpc-status-details-bin; over gRPC the headers have them too.
  const [headerCode, headerMessage] = [metadata.get("grpc-status"), metadata.get("grpc-message")];
  if (
    headerCode !== null &&
    (headerCode !== String(code) || decodeURIComponent(headerMessage ?? "") !== message)
  ) {
    throw fail("the details have another status");
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

/** Checks that the `google.rpc.ErrorInfo` of a refusal matches its first reason. */
function checkErrorInfo(
  { domain, reason, metadata }: ErrorInfo,
  { message, reasons, moveIndex }: Refusal,
): void {
  const [first] = reasons;
  if (first === undefined) throw new Error("there is no reason");
  if (domain !== "arbiter.v1" || readReason(reason) !== first.code) {
    throw new Error(`the google.rpc.ErrorInfo does not match the first reason: ${domain} ${reason}`);
  }
  const expected = { field: first.field, clause: first.clause, move_index: moveIndex?.toString() ?? "" };
  for (const [key, value] of Object.entries(expected)) {
    if (value !== "" && metadata[key] !== value) {
      throw new Error(`${key} in the metadata of google.rpc.ErrorInfo should be ${value}`);
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
