/**
 * The client, its errors, and the messages of the contract. `connect` is in `arbiter-client/node` and
 * `arbiter-client/web`.
 *
 * @module
 */
export type { CallOptions } from "@connectrpc/connect";
export { Code } from "@connectrpc/connect";

export * as call from "./calls.js";
export { Client, type ClientOptions } from "./client.js";
export {
  ArbiterError,
  DeadlineError,
  IllegalMoveError,
  InvalidRequestError,
  RefusedError,
  UnreachableError,
  type RefusalDetails,
  type RefusalReason,
} from "./errors.js";
export { retry } from "./retry.js";
export type { Token } from "./token.js";
export type * from "./types.js";

export * from "./gen/arbiter/v1/connect_four_pb.js";
export * from "./gen/arbiter/v1/error_reason_pb.js";
export * from "./gen/arbiter/v1/game_pb.js";
export * from "./gen/arbiter/v1/player_pb.js";
export * from "./gen/arbiter/v1/queen_rooks_pb.js";
export * from "./gen/arbiter/v1/refusal_pb.js";
export * from "./gen/arbiter/v1/royal_match_pb.js";
export * from "./gen/arbiter/v1/rules_service_pb.js";
export * from "./gen/arbiter/v1/square_pb.js";
export * from "./gen/arbiter/v1/suggestion_pb.js";
export * from "./gen/arbiter/v1/triple_triad_pb.js";
