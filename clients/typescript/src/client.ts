import { create } from "@bufbuild/protobuf";
import {
  Code,
  createClient,
  type CallOptions,
  type Client as ServiceClient,
  type Transport,
} from "@connectrpc/connect";

import * as call from "./calls.js";
import { ArbiterError, errorOf, refusedItem, type RefusedError } from "./errors.js";
import { readCard, readSeed, readState } from "./forms.js";
import type { Player } from "./gen/arbiter/v1/player_pb.js";
import type { RoyalMatchSuit } from "./gen/arbiter/v1/royal_match_pb.js";
import {
  EvaluateRequestSchema,
  RulesService,
  type Answer,
  type ApplyMoveResponse,
  type Call,
  type CompareCardsResponse,
  type DetermineWinnerResponse,
  type EvaluateRequest,
  type ListGamesResponse,
  type ListLegalMovesResponse,
  type NewGameResponse,
  type RenderStateResponse,
  type ReplayGameResponse,
  type ResolveCapturesResponse,
  type SettleTradeResponse,
  type SuggestMoveResponse,
  type ValidateMoveResponse,
  type ViewStateResponse,
} from "./gen/arbiter/v1/rules_service_pb.js";
import { tokenSource, type Token } from "./token.js";
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
  ResponseTo,
  RoyalMatchCardLike,
  RulesLike,
  SeedOptions,
  SettleTradeOptions,
  StateLike,
  SuggestMoveOptions,
  TripleTriadCardLike,
} from "./types.js";

/** The default timeout of a call. */
const TIMEOUT_MS = 5000;
/** The default timeout of a suggestion: the service's own default limit, because a search may take that long. */
const SUGGEST_MOVE_TIMEOUT_MS = 10_000;

/** The options of a client. */
export interface ClientOptions {
  /**
   * The timeout of a call, in milliseconds; 0 is no limit. Default 10000 for `suggestMove`, and 5000 for other calls.
   * Streams have none by default.
   */
  timeoutMs?: number | undefined;
  /**
   * The bearer token that is sent with every call. Without TLS it is sent in plaintext. A token that is not a valid
   * header value is a `TypeError`.
   */
  token?: Token | undefined;
}

/**
 * A client of Arbiter, created by `connect` of `arbiter-client/node` or of `arbiter-client/web`.
 *
 * Every method throws an `ArbiterError` if its call fails. The options of a call are those of Connect, such as
 * `timeoutMs` and `signal`.
 */
export class Client {
  readonly #rpc: ServiceClient<typeof RulesService>;
  readonly #timeoutMs: number | undefined;
  readonly #token: (() => Promise<string>) | undefined;
  #closed = false;

  /** A client over any Connect transport. The client sets timeouts and tokens; the transport retries. */
  constructor(transport: Transport, { timeoutMs, token }: ClientOptions = {}) {
    this.#rpc = createClient(RulesService, transport);
    this.#timeoutMs = timeoutMs;
    this.#token = token === undefined ? undefined : tokenSource(token);
  }

  /** Closes the client. Further calls fail. */
  close(): void {
    this.#closed = true;
  }

  /** Returns whether a move is legal and, if not, every reason why. An illegal move is not an error here. */
  validateMove(state: StateLike, move: MoveLike, options?: CallOptions): Promise<ValidateMoveResponse> {
    return this.#call(call.validateMove(state, move), options);
  }

  /** Makes a move: returns the next state, the events and the outcome. On a view, the viewer's next view. */
  applyMove(state: StateLike, move: MoveLike, options?: CallOptions): Promise<ApplyMoveResponse> {
    return this.#call(call.applyMove(state, move), options);
  }

  /** Returns what the piece or card that has just arrived captures, and the state after it. */
  resolveCaptures(
    state: StateLike,
    options?: ResolveCapturesOptions & CallOptions,
  ): Promise<ResolveCapturesResponse> {
    return this.#call(call.resolveCaptures(state, options), options);
  }

  /** Returns whether the game is over, why, who has won, and by which lines or scores. */
  determineWinner(state: StateLike, options?: SeedOptions & CallOptions): Promise<DetermineWinnerResponse> {
    return this.#call(call.determineWinner(state, options), options);
  }

  /** Compares RoyalMatch cards: which wins, and what decides it. */
  compareCards(
    cards: readonly RoyalMatchCardLike[],
    dominantSuit: RoyalMatchSuit,
    options?: CompareCardsOptions & CallOptions,
  ): Promise<CompareCardsResponse> {
    return this.#call(call.compareCards(cards, dominantSuit, options), options);
  }

  /** Lists the games of the service, with their rules and notations; on request with their cards and clauses. */
  listGames(options?: ListGamesOptions & CallOptions): Promise<ListGamesResponse> {
    return this.#call(call.listGames(options), options);
  }

  /** Starts a game by its name: returns its first state, and the seed that was used. */
  newGame<G extends Game>(game: G, options?: NamedGameOptions<G> & CallOptions): Promise<NewGameResponse>;
  /** Starts the game of a rule set, such as that of a preset. */
  newGame(rules: RulesLike, options?: NewGameOptions & CallOptions): Promise<NewGameResponse>;
  newGame(game: Game | RulesLike, options?: NamedGameOptions<Game> & CallOptions): Promise<NewGameResponse> {
    return this.#call(call.newGame(game as Game, options), options);
  }

  /** Lists the legal moves of a state, in the form of the state. Empty when the game is over. */
  listLegalMoves(state: StateLike, options?: CallOptions): Promise<ListLegalMovesResponse> {
    return this.#call(call.listLegalMoves(state), options);
  }

  /** Makes many moves in order. An illegal one is an `IllegalMoveError` with its index. */
  replayGame(
    state: StateLike,
    moves: readonly MoveLike[],
    options?: CallOptions,
  ): Promise<ReplayGameResponse> {
    return this.#call(call.replayGame(state, moves), options);
  }

  /** Moves cards between collections after a game of Triple Triad that has a winner. */
  settleTrade(
    state: StateLike,
    collectionOne: readonly TripleTriadCardLike[],
    collectionTwo: readonly TripleTriadCardLike[],
    options?: SettleTradeOptions & CallOptions,
  ): Promise<SettleTradeResponse> {
    return this.#call(call.settleTrade(state, collectionOne, collectionTwo, options), options);
  }

  /** Returns the state as one player sees it: a view. Most calls accept it in place of the whole state. */
  viewState(state: StateLike, viewer: Player, options?: CallOptions): Promise<ViewStateResponse> {
    return this.#call(call.viewState(state, viewer), options);
  }

  /** Returns a state in every form: typed, as notation, and as a text board for people. */
  renderState(state: StateLike, options?: CallOptions): Promise<RenderStateResponse> {
    return this.#call(call.renderState(state), options);
  }

  /**
   * Evaluates every legal move of a player, and chooses one that a player of the level would make. The same arguments
   * have the same result. It cannot be an item of a batch or a stream.
   */
  suggestMove(
    state: StateLike,
    options: SuggestMoveOptions & CallOptions = {},
  ): Promise<SuggestMoveResponse> {
    const { player, level, maxNodes, seed, maxLinePlies, tripleTriadPool } = options;
    const request = {
      state: readState(state),
      player,
      level,
      maxNodes,
      seed: readSeed(seed),
      maxLinePlies,
      tripleTriadPool: tripleTriadPool && { cards: tripleTriadPool.map(readCard) },
    };
    const send = (options: CallOptions) => this.#rpc.suggestMove(request, options);
    return this.#unary(send, options, SUGGEST_MOVE_TIMEOUT_MS);
  }

  /** Makes many calls in one. Returns for each, in order, its response or the error that it would have thrown. */
  async evaluateBatch<const Calls extends readonly Call[]>(
    calls: Calls,
    options?: CallOptions,
  ): Promise<{ -readonly [I in keyof Calls]: ResponseTo<Calls[I]> | RefusedError }> {
    const request = { calls: [...calls] };
    const { answers } = await this.#unary((options) => this.#rpc.evaluateBatch(request, options), options);
    if (answers.length !== calls.length) {
      throw new ArbiterError(`${answers.length} answers to ${calls.length} calls`, Code.Internal);
    }
    return answers.map((answer) => readAnswer(answer)) as never;
  }

  /**
   * Makes calls as `calls` yields them, and yields their answers in order, as `evaluateBatch` returns them. There is no
   * default timeout. To stop early, stop iterating. Browsers cannot stream requests: this throws there.
   */
  async *evaluate<C extends Call>(
    calls: AsyncIterable<C> | Iterable<C>,
    options: CallOptions = {},
  ): AsyncGenerator<ResponseTo<C> | RefusedError, void, undefined> {
    const authorized = await this.#withToken(options);
    // Connect does not cancel a stream whose reader stops early, so abort it.
    const stopped = new AbortController();
    const signal = options.signal ? AbortSignal.any([stopped.signal, options.signal]) : stopped.signal;
    try {
      this.#checkOpen();
      for await (const { answer } of this.#rpc.evaluate(toRequests(calls), { ...authorized, signal })) {
        yield readAnswer(answer) as ResponseTo<C> | RefusedError;
      }
    } catch (error) {
      throw errorOf(error);
    } finally {
      stopped.abort();
    }
  }

  #call<C extends CallOf<CallKind>>({ kind }: C, options?: CallOptions): Promise<ResponseTo<C>> {
    // Each kind of call has the name of its method, and so the type of its request. The compiler cannot infer that.
    const method = this.#rpc[kind.case] as (request: unknown, options: CallOptions) => Promise<ResponseTo<C>>;
    return this.#unary((options) => method(kind.value, options), options);
  }

  async #unary<R>(
    send: (options: CallOptions) => Promise<R>,
    options: CallOptions = {},
    defaultTimeoutMs = TIMEOUT_MS,
  ): Promise<R> {
    const authorized = await this.#withToken(options);
    try {
      this.#checkOpen();
      const timeoutMs = options.timeoutMs ?? this.#timeoutMs ?? defaultTimeoutMs;
      return await send({ ...authorized, timeoutMs });
    } catch (error) {
      throw errorOf(error);
    }
  }

  /** Adds the token, if there is one, to the headers of a call. */
  async #withToken(options: CallOptions): Promise<CallOptions> {
    if (this.#token === undefined) return options;
    const headers = new Headers(options.headers);
    headers.set("authorization", `Bearer ${await this.#token()}`);
    return { ...options, headers };
  }

  #checkOpen(): void {
    if (this.#closed) throw new ArbiterError("the client is closed", Code.Canceled);
  }
}

async function* toRequests(calls: AsyncIterable<Call> | Iterable<Call>): AsyncGenerator<EvaluateRequest> {
  for await (const call of calls) yield create(EvaluateRequestSchema, { call });
}

function readAnswer(answer: Answer | undefined): ResponseTo<Call> | RefusedError {
  if (answer?.kind.case === undefined) {
    throw new ArbiterError("the answer has a kind that this client does not know", Code.Internal);
  }
  return answer.kind.case === "refusal" ? refusedItem(answer.kind.value) : answer.kind.value;
}
