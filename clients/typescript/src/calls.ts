/**
 * Calls as values, for `Client.evaluateBatch` and `Client.evaluate`. Each function has the parameters of the `Client`
 * method of the same name.
 *
 * @module
 */
import { create, type MessageInitShape } from "@bufbuild/protobuf";

import { readCard, readMove, readSeed, readState } from "./forms.js";
import type { Player } from "./gen/arbiter/v1/player_pb.js";
import type { RoyalMatchSuit } from "./gen/arbiter/v1/royal_match_pb.js";
import { CallSchema } from "./gen/arbiter/v1/rules_service_pb.js";
import type {
  CallKind,
  CallOf,
  CompareCardsOptions,
  Game,
  ListGamesOptions,
  MoveLike,
  NamedGameOptions,
  NewGameOptions,
  ResolveCapturesOptions,
  RoyalMatchCardLike,
  RulesLike,
  SeedOptions,
  SettleTradeOptions,
  StateLike,
  TripleTriadCardLike,
} from "./types.js";

/** Checks whether a move is legal. */
export function validateMove(state: StateLike, move: MoveLike): CallOf<"validateMove"> {
  return callOf("validateMove", { state: readState(state), move: readMove(move) });
}

/** Makes a move. */
export function applyMove(state: StateLike, move: MoveLike): CallOf<"applyMove"> {
  return callOf("applyMove", { state: readState(state), move: readMove(move) });
}

/** Resolves the captures of the piece or card that has just arrived. */
export function resolveCaptures(
  state: StateLike,
  { arrivedAt }: ResolveCapturesOptions = {},
): CallOf<"resolveCaptures"> {
  return callOf("resolveCaptures", { state: readState(state), arrivedAt });
}

/** Determines the winner. */
export function determineWinner(state: StateLike, { seed }: SeedOptions = {}): CallOf<"determineWinner"> {
  return callOf("determineWinner", { state: readState(state), seed: readSeed(seed) });
}

/** Compares RoyalMatch cards. */
export function compareCards(
  cards: readonly RoyalMatchCardLike[],
  dominantSuit: RoyalMatchSuit,
  { ordering }: CompareCardsOptions = {},
): CallOf<"compareCards"> {
  return callOf("compareCards", { cards: cards.map(readCard), dominantSuit, ordering });
}

/** Lists the games. */
export function listGames({
  includeCards = false,
  includeClauses = false,
}: ListGamesOptions = {}): CallOf<"listGames"> {
  return callOf("listGames", { includeCards, includeClauses });
}

/** Starts a game by its name. */
export function newGame<G extends Game>(game: G, options?: NamedGameOptions<G>): CallOf<"newGame">;
/** Starts the game of a rule set. */
export function newGame(rules: RulesLike, options?: NewGameOptions): CallOf<"newGame">;
export function newGame(
  game: Game | RulesLike,
  { setup, rules, seed, form }: NamedGameOptions<Game> = {},
): CallOf<"newGame"> {
  const common = { seed: readSeed(seed), form };
  if (typeof game !== "string") return callOf("newGame", { ...common, rules: game });
  // The overloads guarantee that setup and rules are of the named game.
  const named = (value: unknown) => ({ case: game, value }) as never;
  return callOf("newGame", {
    ...common,
    setup: named(setup ?? {}),
    rules: rules && { kind: named(rules) },
  });
}

/** Lists the legal moves. */
export function listLegalMoves(state: StateLike): CallOf<"listLegalMoves"> {
  return callOf("listLegalMoves", { state: readState(state) });
}

/** Makes many moves in order. */
export function replayGame(state: StateLike, moves: readonly MoveLike[]): CallOf<"replayGame"> {
  return callOf("replayGame", { state: readState(state), moves: moves.map(readMove) });
}

/** Moves cards between collections after a game of Triple Triad. */
export function settleTrade(
  state: StateLike,
  collectionOne: readonly TripleTriadCardLike[],
  collectionTwo: readonly TripleTriadCardLike[],
  { picks }: SettleTradeOptions = {},
): CallOf<"settleTrade"> {
  return callOf("settleTrade", {
    state: readState(state),
    collectionOne: collectionOne.map(readCard),
    collectionTwo: collectionTwo.map(readCard),
    picks: [...(picks ?? [])],
  });
}

/** Returns the state as one player sees it: a view. */
export function viewState(state: StateLike, viewer: Player): CallOf<"viewState"> {
  return callOf("viewState", { state: readState(state), viewer });
}

/** Returns a state in every form. */
export function renderState(state: StateLike): CallOf<"renderState"> {
  return callOf("renderState", { state: readState(state) });
}

type CallInit<K extends CallKind> = Extract<
  NonNullable<MessageInitShape<typeof CallSchema>["kind"]>,
  { case: K }
>["value"];

function callOf<K extends CallKind>(kind: K, value: CallInit<K>): CallOf<K> {
  return create(CallSchema, { kind: { case: kind, value } as never }) as CallOf<K>;
}
