import { Code, ConnectError } from "@connectrpc/connect";

import { ErrorReasonSchema, type ErrorReason } from "./gen/arbiter/v1/error_reason_pb.js";
import { IllegalMoveSchema, type Reason, type Refusal } from "./gen/arbiter/v1/refusal_pb.js";
import { BadRequestSchema, ErrorInfoSchema, type ErrorInfo } from "./gen/google/rpc/error_details_pb.js";

/** The `domain` of error details that come from Arbiter itself. */
const DOMAIN = "arbiter.v1";

/** A call failed. Base class of all errors of this package, and the class of errors without a subclass. */
export class ArbiterError extends Error {
  override name = "ArbiterError";
  /** The gRPC status code. */
  readonly code: Code;

  /** An error with a message for people. */
  constructor(message: string, code: Code, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The service could not be reached, or the connection broke (UNAVAILABLE). The message has the cause. */
export class UnreachableError extends ArbiterError {
  override name = "UnreachableError";
}

/** The deadline was exceeded (DEADLINE_EXCEEDED). */
export class DeadlineError extends ArbiterError {
  override name = "DeadlineError";
}

/** One reason of a refusal. */
export interface RefusalReason {
  /** The name of the `ErrorReason`; a number if this client is older than the reason. */
  readonly code: string;
  /** The reason in words. The wording may change between versions of the service. */
  readonly message: string;
  /** The field of the request it is about, such as `move.connect_four.column`. Empty when it is about no field. */
  readonly field: string;
  /** The clause of the rules that says so, such as `C4-2`. Empty when no rule is concerned, or in an invalid request. */
  readonly clause: string;
}

/** The details of a refusal besides its code and its message. */
export interface RefusalDetails {
  /** The name of the first reason, even if this client is older than the reason. */
  readonly reason: string;
  /** Every reason, except those that `unlisted` counts. */
  readonly reasons: readonly RefusalReason[];
  /** The metadata of `google.rpc.ErrorInfo`. Empty in an answer of a batch or a stream. */
  readonly metadata: Readonly<Record<string, string>>;
  /** How many further reasons are not listed. */
  readonly unlisted: number;
}

/** The service refused the call. */
export class RefusedError extends ArbiterError implements RefusalDetails {
  override name = "RefusedError";
  readonly reason: string;
  readonly reasons: readonly RefusalReason[];
  readonly metadata: Readonly<Record<string, string>>;
  readonly unlisted: number;

  /** A refusal with its details. */
  constructor(message: string, code: Code, details: RefusalDetails, options?: ErrorOptions) {
    super(message, code, options);
    this.reason = details.reason;
    this.reasons = details.reasons;
    this.metadata = details.metadata;
    this.unlisted = details.unlisted;
  }
}

/**
 * The request is malformed, its state is impossible, or the response is hidden (INVALID_ARGUMENT). Every violation is in
 * `reasons`.
 */
export class InvalidRequestError extends RefusedError {
  override name = "InvalidRequestError";
}

/** The rules forbid the move (FAILED_PRECONDITION). */
export class IllegalMoveError extends RefusedError {
  override name = "IllegalMoveError";
  /** The index of the move in a replay, from 0; undefined for other calls. */
  readonly moveIndex: number | undefined;

  /** A refusal of a move. */
  constructor(message: string, details: RefusalDetails, moveIndex?: number, options?: ErrorOptions) {
    super(message, Code.FailedPrecondition, details, options);
    this.moveIndex = moveIndex;
  }
}

/** Converts an error that a call has thrown to one of this package. */
export function errorOf(thrown: unknown): ArbiterError {
  if (thrown instanceof ArbiterError) return thrown;
  const error = ConnectError.from(thrown);
  const options = { cause: error };
  // By code first: a deadline may also be exceeded in the service, with details.
  if (error.code === Code.Unavailable) return new UnreachableError(error.rawMessage, error.code, options);
  if (error.code === Code.DeadlineExceeded) return new DeadlineError(error.rawMessage, error.code, options);
  const info = error.findDetails(ErrorInfoSchema).find((detail) => detail.domain === DOMAIN);
  return info === undefined
    ? new ArbiterError(error.rawMessage, error.code, options)
    : refusedCall(error, info, options);
}

/** The refusal of an item of a batch or a stream, as the error that the call would have thrown on its own. */
export function refusedItem(refusal: Refusal): RefusedError {
  const reasons = refusal.reasons.map((reason) => readReason(reason));
  return refused(refusal.message, refusal.code, refusal.moveIndex, {
    reason: reasons[0]?.code ?? "",
    reasons,
    metadata: {},
    unlisted: refusal.unlistedReasons ?? 0,
  });
}

function refusedCall(error: ConnectError, info: ErrorInfo, options: ErrorOptions): RefusedError {
  const [illegalMove] = error.findDetails(IllegalMoveSchema);
  const [badRequest] = error.findDetails(BadRequestSchema);
  const reasons =
    illegalMove?.reasons.map((reason, index) => readReason(reason, index === 0 ? info.reason : undefined)) ??
    badRequest?.fieldViolations.map(({ reason, description, field }) => {
      return { code: reason, message: description, field, clause: "" };
    });
  const alone = { code: info.reason, message: error.rawMessage, field: "", clause: "" };
  const details = {
    reason: info.reason,
    reasons: reasons ?? [alone],
    metadata: info.metadata,
    unlisted: Number(info.metadata.unlisted_violations ?? 0),
  };
  return refused(error.rawMessage, error.code, illegalMove?.moveIndex, details, options);
}

function refused(
  message: string,
  code: Code,
  moveIndex: number | undefined,
  details: RefusalDetails,
  options?: ErrorOptions,
): RefusedError {
  switch (code) {
    case Code.InvalidArgument:
      return new InvalidRequestError(message, code, details, options);
    case Code.FailedPrecondition:
      return new IllegalMoveError(message, details, moveIndex, options);
    default:
      return new RefusedError(message, code, details, options);
  }
}

/** Converts a reason. `unknownName` is its name if this client does not know the number. */
function readReason({ code, message, field, clause }: Reason, unknownName?: string): RefusalReason {
  return { code: reasonName(code) ?? unknownName ?? String(code), message, field, clause };
}

function reasonName(code: ErrorReason): string | undefined {
  return ErrorReasonSchema.values.find((value) => value.number === (code as number))?.name;
}
