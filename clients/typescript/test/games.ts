/** One whole game of each kind, with the client. They also run in a browser, so they cannot use `node:assert`. */
import { equals } from "@bufbuild/protobuf";
import {
  Certainty,
  EndReason,
  GameResult,
  MoveSchema,
  Player,
  RoyalMatchDecision,
  RoyalMatchOrder,
  RoyalMatchSuit,
  StateForm,
  StateSchema,
  SuggestionLevel,
  TripleTriadTradeRule,
  type Client,
  type Move,
  type Outcome,
  type State,
} from "arbiter-client";

/** The games, by name. Each throws if a check fails. */
export const games: Record<string, (client: Client) => Promise<void>> = {
  "Connect Four to a win, typed and as text": playConnectFour,
  "Connect Four to a win, by suggested moves": playSuggestions,
  "Triple Triad from the deal to the trade": playTripleTriad,
  "Queen and rooks to an end": playQueenRooks,
  "RoyalMatch, a whole match": playRoyalMatch,
};

async function playConnectFour(client: Client): Promise<void> {
  let { state: typed } = await client.newGame("connectFour");
  let { state: text } = await client.newGame("connectFour", { form: StateForm.NOTATION });
  let outcome: Outcome | undefined;
  for (const [turn, column] of [3, 2, 3, 2, 3, 2, 3].entries()) {
    const move = { kind: { case: "connectFour" as const, value: { column } } };
    ({ state: typed, outcome } = await client.applyMove(typed, move));
    // Absent is undefined, not 0.
    same(set(outcome).winner, turn < 6 ? undefined : Player.ONE);
    same(set(outcome).endReason, turn < 6 ? undefined : EndReason.LINE_COMPLETED);
    ({ state: text } = await client.applyMove(text, String(column + 1)));
  }
  const { explanation, detail } = set(outcome);
  same(explanation, "player one wins with a vertical line of 4 tokens");
  same(detail.case === "connectFour" && detail.value.winningLines.length, 1);
  same(notation(text), "c4:7x6x4:4343434");

  const rendered = await client.renderState("c4:7x6x4:4343434");
  same(equals(StateSchema, set(rendered.state), set(typed)), true);
  same((await client.determineWinner(typed)).outcome?.winner, Player.ONE);
  same((await client.listLegalMoves(typed)).moves.length, 0);
}

async function playSuggestions(client: Client): Promise<void> {
  let state: State | undefined = { $typeName: "arbiter.v1.State", kind: { case: "notation", value: "2233" } };
  const plies: number[] = [];
  for (let outcome: Outcome | undefined; outcome?.endReason === undefined;) {
    const { move, evaluations, line } = await client.suggestMove(state, { maxNodes: 10_000 });
    const [best] = evaluations;
    same(equals(MoveSchema, set(move), set(best?.move)), true);
    same(equals(MoveSchema, set(move), set(line[0])), true);
    same(best?.certainty, Certainty.EXACT);
    if (best?.value.case === "forcedEnd") plies.push(best.value.value.plies);
    ({ state, outcome } = await client.applyMove(state, set(move)));
  }
  same(plies.join(), "3,2,1");

  const options = { level: SuggestionLevel.CASUAL, seed: 7 };
  const { move, explanation } = await client.suggestMove("112233", options);
  same(move?.kind.value, "4");
  same(explanation, "column 4 wins in 1 ply");
}

async function playTripleTriad(client: Client): Promise<void> {
  const hands = [
    ["53", "3", "61", "107", "13"],
    ["78", "34", "24", "110", "20"],
  ] as const;
  const cards = hands.map((hand) => hand.map((notation) => ({ notation })));
  const game = await client.newGame("tripleTriad", {
    setup: { firstPlayer: Player.ONE, handOne: cards[0] ?? [], handTwo: cards[1] ?? [] },
    rules: { elemental: true, same: true, plus: true, combo: true, tradeRule: TripleTriadTradeRule.ONE },
    seed: 2,
  });
  same(game.seed, 2n);
  const { state, outcome, moves } = await playOut(client, set(game.state));
  same(moves.length, 9);
  same(outcome.endReason, EndReason.BOARD_FULL);
  same((await client.determineWinner(state, { seed: 2n })).outcome?.winner, outcome.winner);
  same(outcome.result, GameResult.WINNER_DETERMINED);

  const trade = await client.settleTrade(state, ...hands);
  same(trade.transfers.length, 1);
  same(trade.transfers[0]?.to, outcome.winner);
  same(trade.explanation.length > 0, true);
  same(Math.abs(trade.collectionOne.length - trade.collectionTwo.length), 2);
}

async function playQueenRooks(client: Client): Promise<void> {
  const game = await client.newGame("queenRooks", { rules: { size: 6, quietMoveLimit: 20 } });
  const { outcome } = await playOut(client, set(game.state));
  same(outcome.result === GameResult.IN_PROGRESS, false);
  same(outcome.scores.length, 2);

  const board = "qr:7q/8/7r/8/r1R1R3/1r6/8/Q2rr3";
  const { captures } = await client.resolveCaptures(board, { arrivedAt: { row: 4, column: 4 } });
  same(captures[0]?.explanation.startsWith("the rook on e5 and the queen on a8 take the rook on a5"), true);
}

async function playRoyalMatch(client: Client): Promise<void> {
  const setup = { players: 3, handSize: 3 };
  const game = await client.newGame("royalMatch", { setup, seed: 11, form: StateForm.NOTATION });
  same(notation(game.state), "rm:vC:4C,AS,10H;0/QH,10S,10D;0/QS,5C,9C;0");
  const { state: view } = await client.viewState(game.state, Player.TWO);
  same(notation(view), "rm:vC:?3;0/QH,10S,10D;0/?3;0");
  same((await client.listLegalMoves(view)).moves.length, 3);
  const played = await client.applyMove(game.state, "2:QH");
  const foreseen = await client.applyMove(view, "2:QH");
  same(notation(foreseen.state), notation((await client.viewState(played.state, Player.TWO)).state));
  const suggested = await client.suggestMove(game.state, { player: Player.TWO, maxNodes: 1000 });
  same(suggested.evaluations.length, 3);
  const fromView = await client.suggestMove(view, { maxNodes: 1000 });
  same(fromView.evaluations[0]?.value.case, "expectedMillitricks");
  const { outcome, moves } = await playOut(client, set(game.state));
  same(moves.length, 9);
  same(outcome.endReason, EndReason.HANDS_EMPTY);

  const { order, comparisons } = await client.compareCards(["7♣", "7♦"], RoyalMatchSuit.HEARTS);
  same(order, RoyalMatchOrder.SECOND_WINS);
  same(comparisons[0]?.decision, RoyalMatchDecision.NEUTRAL_COLOUR);
  const ranking = await client.compareCards(["7♣", "7♦", "7♥"], RoyalMatchSuit.HEARTS);
  same(ranking.order, undefined);
  same(ranking.winner?.notation, "7H");
}

/** Plays the first legal move until there is none, then replays the whole game. */
async function playOut(
  client: Client,
  first: State,
): Promise<{ state: State; outcome: Outcome; moves: Move[] }> {
  const moves: Move[] = [];
  let [state, outcome]: [State, Outcome | undefined] = [first, undefined];
  while (moves.length < 500) {
    const [move] = (await client.listLegalMoves(state)).moves;
    if (move === undefined) break;
    const applied = await client.applyMove(state, move);
    [state, outcome] = [set(applied.state), applied.outcome];
    moves.push(move);
  }
  const replayed = await client.replayGame(first, moves);
  same(replayed.events.length, moves.length);
  same(equals(StateSchema, set(replayed.state), state), true);
  return { state, outcome: set(outcome), moves };
}

function notation(state: State | undefined): string | undefined {
  return state?.kind.case === "notation" ? state.kind.value : undefined;
}

/** A field that every response has. */
function set<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("a field of the response is missing");
  return value;
}

function same(got: unknown, expected: unknown): void {
  if (got !== expected) throw new Error(`expected ${String(expected)}, got ${String(got)}`);
}
