import type { Message, MessageInitShape } from "@bufbuild/protobuf";

import type { MoveSchema, RuleSetSchema, StateSchema } from "./gen/arbiter/v1/game_pb.js";
import type { RoyalMatchCardSchema, RoyalMatchOrdering } from "./gen/arbiter/v1/royal_match_pb.js";
import type { Answer, Call, NewGameRequestSchema, StateForm } from "./gen/arbiter/v1/rules_service_pb.js";
import type { SquareSchema } from "./gen/arbiter/v1/square_pb.js";
import type { TripleTriadCardSchema } from "./gen/arbiter/v1/triple_triad_pb.js";

/**
 * A state: the message, such as one that was answered, its fields, or its text (`c4:7x6x4:4453`). It may be undefined, so
 * that an answer's state can be handed on as it is: a service that misses it says so.
 */
export type StateLike = string | MessageInitShape<typeof StateSchema> | undefined;

/** A move: the message, its fields, or its text. */
export type MoveLike = string | MessageInitShape<typeof MoveSchema>;

/** The rules of a game: the message, such as those of a preset that `listGames` tells, or its fields. */
export type RulesLike = MessageInitShape<typeof RuleSetSchema>;

/** A card of RoyalMatch: the message, its fields, or its text (`10H`). */
export type RoyalMatchCardLike = string | MessageInitShape<typeof RoyalMatchCardSchema>;

/** A card of Triple Triad: the message, its fields, or its text (`54`). */
export type TripleTriadCardLike = string | MessageInitShape<typeof TripleTriadCardSchema>;

/** A case of a oneof that is set. */
type CaseOf<Oneof> = Exclude<NonNullable<Oneof>, { case?: undefined }>;
type Setup = CaseOf<MessageInitShape<typeof NewGameRequestSchema>["setup"]>;
type Rules = CaseOf<Exclude<RulesLike, Message>["kind"]>;

/** The name of a game. */
export type Game = Setup["case"];

/** What `determineWinner` takes besides the state. */
export interface SeedOptions {
  /** The seed of random choices. Left out: the service draws one and answers it. */
  seed?: bigint | number | undefined;
}

/** What `newGame` takes besides a rule set. */
export interface NewGameOptions extends SeedOptions {
  /** The form of the answered state. Left out: typed. */
  form?: StateForm | undefined;
}

/** What `newGame` takes besides the name of a game. */
export interface NamedGameOptions<G extends Game> extends NewGameOptions {
  /** What the game is started from. Everything may be left out. */
  setup?: Extract<Setup, { case: G }>["value"] | undefined;
  /** The rules to play by. Left out: the game's defaults. */
  rules?: Extract<Rules, { case: G }>["value"] | undefined;
}

/** What `resolveCaptures` takes besides the state. */
export interface ResolveCapturesOptions {
  /** Where the piece or card has arrived. RoyalMatch has no squares, and Connect Four needs none. */
  arrivedAt?: MessageInitShape<typeof SquareSchema> | undefined;
}

/** What `compareCards` takes besides the cards and the suit. */
export interface CompareCardsOptions {
  /** How cards are compared. Left out: by value, then by suit. */
  ordering?: RoyalMatchOrdering | undefined;
}

/** What `listGames` takes. */
export interface ListGamesOptions {
  /** Whether to answer the built-in cards of the games too. */
  includeCards?: boolean | undefined;
}

/** What `settleTrade` takes besides the state and the collections. */
export interface SettleTradeOptions {
  /** The `id`s of the cards that the winner takes. Left out: the service takes the best. */
  picks?: readonly number[] | undefined;
}

/** The name of a call that can be an item of a batch or of a stream. */
export type CallKind = NonNullable<Call["kind"]["case"]>;

/** A call of one kind. */
export type CallOf<K extends CallKind> = Message<"arbiter.v1.Call"> & {
  kind: Extract<Call["kind"], { case: K }>;
};

/** The response to a call. */
export type ResponseTo<C extends Call> = Extract<
  Answer["kind"],
  { case: NonNullable<C["kind"]["case"]> }
>["value"];
