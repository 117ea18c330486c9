import type { Message, MessageInitShape } from "@bufbuild/protobuf";

import type { MoveSchema, RuleSetSchema, StateSchema } from "./gen/arbiter/v1/game_pb.js";
import type { Player } from "./gen/arbiter/v1/player_pb.js";
import type { RoyalMatchCardSchema, RoyalMatchOrdering } from "./gen/arbiter/v1/royal_match_pb.js";
import type { Answer, Call, NewGameRequestSchema, StateForm } from "./gen/arbiter/v1/rules_service_pb.js";
import type { SquareSchema } from "./gen/arbiter/v1/square_pb.js";
import type { SuggestionLevel } from "./gen/arbiter/v1/suggestion_pb.js";
import type { TripleTriadCardSchema } from "./gen/arbiter/v1/triple_triad_pb.js";

/**
 * A state or a view: the message, such as one that was returned, its fields, or its notation (`c4:7x6x4:4453`). It may be
 * undefined, so that the state of a response needs no check: the service refuses a call without a state.
 */
export type StateLike = string | MessageInitShape<typeof StateSchema> | undefined;

/** A move: the message, its fields, or its notation. */
export type MoveLike = string | MessageInitShape<typeof MoveSchema>;

/** The rules of a game: the message, such as those of a preset that `listGames` returns, or its fields. */
export type RulesLike = MessageInitShape<typeof RuleSetSchema>;

/** A card of RoyalMatch: the message, its fields, or its notation (`10H`). */
export type RoyalMatchCardLike = string | MessageInitShape<typeof RoyalMatchCardSchema>;

/** A card of Triple Triad: the message, its fields, or its notation (`54`). */
export type TripleTriadCardLike = string | MessageInitShape<typeof TripleTriadCardSchema>;

/** A case of a oneof that is set. */
type CaseOf<Oneof> = Exclude<NonNullable<Oneof>, { case?: undefined }>;
type Setup = CaseOf<MessageInitShape<typeof NewGameRequestSchema>["setup"]>;
type Rules = CaseOf<Exclude<RulesLike, Message>["kind"]>;

/** The name of a game. */
export type Game = Setup["case"];

/** The options of `determineWinner`. */
export interface SeedOptions {
  /** The seed of random choices. Default: the service draws one and returns it. */
  seed?: bigint | number | undefined;
}

/** The options of `newGame` with a rule set. */
export interface NewGameOptions extends SeedOptions {
  /** The form of the returned state. Default: typed. */
  form?: StateForm | undefined;
}

/** The options of `newGame` with the name of a game. */
export interface NamedGameOptions<G extends Game> extends NewGameOptions {
  /** What the game is started from. All its fields are optional. */
  setup?: Extract<Setup, { case: G }>["value"] | undefined;
  /** The rules to play by. Default: the game's defaults. */
  rules?: Extract<Rules, { case: G }>["value"] | undefined;
}

/** The options of `resolveCaptures`. */
export interface ResolveCapturesOptions {
  /** Where the piece or card has arrived. RoyalMatch has no squares, and Connect Four needs none. */
  arrivedAt?: MessageInitShape<typeof SquareSchema> | undefined;
}

/** The options of `compareCards`. */
export interface CompareCardsOptions {
  /** How cards are compared. Default: by value, then by suit. */
  ordering?: RoyalMatchOrdering | undefined;
}

/** The options of `listGames`. */
export interface ListGamesOptions {
  /** Whether to return the built-in cards of the games. Default false. */
  includeCards?: boolean | undefined;
  /** Whether to return the text of every clause of the rules. Default false. */
  includeClauses?: boolean | undefined;
}

/** The options of `settleTrade`. */
export interface SettleTradeOptions {
  /** The `id`s of the cards that the winner takes. Default: the service takes the best. */
  picks?: readonly number[] | undefined;
}

/** The options of `suggestMove`. */
export interface SuggestMoveOptions {
  /** The player to suggest a move for, who must be to move. Default: the first player to move; for a view, the viewer. */
  player?: Player | undefined;
  /** How well the suggested move is played. Default: the best. */
  level?: SuggestionLevel | undefined;
  /** The maximum number of positions to search: more take more time, and prove more. */
  maxNodes?: number | undefined;
  /** The seed for the choices of the levels below the best, and for what hidden cards may be. Default 0. */
  seed?: bigint | number | undefined;
  /** The maximum length of the line of best play. Default: no maximum. */
  maxLinePlies?: number | undefined;
  /** What the hidden cards of a Triple Triad view may be. Default: the built-in cards. */
  tripleTriadPool?: readonly TripleTriadCardLike[] | undefined;
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
