package io.arbiter.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.arbiter.client.support.ArbiterServer;
import io.arbiter.v1.ApplyMoveResponse;
import io.arbiter.v1.Certainty;
import io.arbiter.v1.CompareCardsResponse;
import io.arbiter.v1.ConnectFourMove;
import io.arbiter.v1.ConnectFourSetup;
import io.arbiter.v1.DetermineWinnerResponse;
import io.arbiter.v1.EndReason;
import io.arbiter.v1.ForcedEnd;
import io.arbiter.v1.ForcedResult;
import io.arbiter.v1.GameDescription;
import io.arbiter.v1.GameResult;
import io.arbiter.v1.Move;
import io.arbiter.v1.MoveEvaluation;
import io.arbiter.v1.Outcome;
import io.arbiter.v1.Player;
import io.arbiter.v1.QueenRooksRules;
import io.arbiter.v1.RoyalMatchOrder;
import io.arbiter.v1.RoyalMatchOrdering;
import io.arbiter.v1.RoyalMatchSetup;
import io.arbiter.v1.RoyalMatchSuit;
import io.arbiter.v1.RuleClause;
import io.arbiter.v1.RuleSet;
import io.arbiter.v1.SettleTradeResponse;
import io.arbiter.v1.Square;
import io.arbiter.v1.State;
import io.arbiter.v1.StateForm;
import io.arbiter.v1.SuggestMoveRequest;
import io.arbiter.v1.SuggestMoveResponse;
import io.arbiter.v1.SuggestionLevel;
import io.arbiter.v1.TripleTriadRules;
import io.arbiter.v1.TripleTriadSetup;
import io.arbiter.v1.TripleTriadState;
import io.arbiter.v1.TripleTriadTradeRule;
import io.arbiter.v1.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Whole games, with the methods of the client. */
class GamesTest {
    @AutoClose
    private static final ArbiterServer SERVER = ArbiterServer.start();

    @AutoClose
    private static final ArbiterClient ARBITER = ArbiterClient.connect(SERVER.target());

    /** A game that was played to its end. */
    private record Played(State first, List<Move> moves, State last, Outcome outcome) {}

    /** Plays the first legal move until the game is over. */
    private static Played play(State first) {
        List<Move> moves = new ArrayList<>();
        State state = first;
        Outcome outcome = ARBITER.determineWinner(state).getOutcome();
        while (outcome.getResult() == GameResult.GAME_RESULT_IN_PROGRESS) {
            Move move = ARBITER.listLegalMoves(state).getMoves(0);
            assertEquals(
                    Verdict.VERDICT_LEGAL, ARBITER.validateMove(state, move).getVerdict());
            ApplyMoveResponse made = ARBITER.applyMove(state, move);
            moves.add(move);
            state = made.getState();
            outcome = made.getOutcome();
        }
        assertTrue(ARBITER.listLegalMoves(state).getMovesList().isEmpty());
        assertEquals(state, ARBITER.replayGame(first, moves).getState());
        return new Played(first, moves, state, outcome);
    }

    @Test
    void connectFourTyped() {
        State state = ARBITER.newGame(game -> game.setConnectFour(ConnectFourSetup.getDefaultInstance()))
                .getState();
        Outcome outcome = Outcome.getDefaultInstance();
        for (int column : new int[] {3, 2, 3, 2, 3, 2, 3}) {
            Move move = Move.newBuilder()
                    .setConnectFour(ConnectFourMove.newBuilder().setColumn(column))
                    .build();
            ApplyMoveResponse made = ARBITER.applyMove(state, move);
            state = made.getState();
            outcome = made.getOutcome();
        }
        assertEquals(Player.PLAYER_ONE, outcome.getWinner());
        assertEquals(EndReason.END_REASON_LINE_COMPLETED, outcome.getEndReason());
        assertEquals(state, ARBITER.viewState(state, Player.PLAYER_TWO).getState());
        assertTrue(ARBITER.resolveCaptures(state).getCapturesList().isEmpty());
    }

    @Test
    void connectFourAsText() {
        State state = ARBITER.replayGame("c4:", "4", "3", "4", "3", "4").getState();
        assertEquals("c4:7x6x4:43434", state.getNotation());
        state = ARBITER.applyMove(state, "3").getState();
        ApplyMoveResponse won = ARBITER.applyMove(state.getNotation(), "4");
        assertEquals(Notation.state("c4:7x6x4:4343434"), won.getState());
        assertEquals(won.getOutcome(), ARBITER.determineWinner("4343434").getOutcome());
        assertEquals(
                "|.|.|.|X|.|.|.|",
                ARBITER.renderState(won.getState())
                        .getText()
                        .lines()
                        .toList()
                        .get(2)
                        .replace(' ', '.'));
        assertEquals(
                Verdict.VERDICT_ILLEGAL, ARBITER.validateMove("4343434", "1").getVerdict());
        assertEquals(3, ARBITER.listLegalMoves("c4:3x3x3:").getMovesCount());
    }

    @Test
    void tripleTriadFromTheDealToTheTrade() {
        TripleTriadRules rules = TripleTriadRules.newBuilder()
                .setElemental(true)
                .setSame(true)
                .setPlus(true)
                .setCombo(true)
                .setTradeRule(TripleTriadTradeRule.TRIPLE_TRIAD_TRADE_RULE_ONE)
                .build();
        Played played = play(ARBITER.newGame(game -> game.setTripleTriad(TripleTriadSetup.getDefaultInstance())
                        .setRules(RuleSet.newBuilder().setTripleTriad(rules))
                        .setSeed(2))
                .getState());
        assertEquals(9, played.moves.size());

        DetermineWinnerResponse end = ARBITER.determineWinner(played.last, 1);
        assertEquals(played.outcome, end.getOutcome());
        assertEquals(GameResult.GAME_RESULT_WINNER_DETERMINED, end.getOutcome().getResult(), "this seed has a winner");
        TripleTriadState dealt = played.first.getTripleTriad();
        SettleTradeResponse trade = ARBITER.settleTrade(played.last, dealt.getHandOneList(), dealt.getHandTwoList());
        assertEquals(1, trade.getTransfersCount());
        assertEquals(end.getOutcome().getWinner(), trade.getTransfers(0).getTo());
        assertNotEquals(
                OptionalFields.winner(end.getOutcome()), OptionalFields.from(trade.getTransfers(0)), "from the loser");
        assertFalse(trade.getExplanation().isEmpty());
        int taken = trade.getTransfers(0).getCardId();
        assertEquals(trade, ARBITER.settleTrade(played.last, dealt.getHandOneList(), dealt.getHandTwoList(), taken));
    }

    /** A view works for the viewer's own moves. A call whose response depends on hidden cards is refused. */
    @Test
    void tripleTriadOnAView() {
        State view = ARBITER.viewState("tt:-:-,-,-/-,-,-/-,-,-:1,2,3,4,5:6,7,8,9,10:X", Player.PLAYER_ONE)
                .getState();
        TripleTriadState seen = ARBITER.renderState(view).getState().getTripleTriad();
        assertEquals(5, seen.getHandOneCount());
        assertEquals(0, seen.getHandTwoCount());
        assertEquals(5, seen.getView().getHiddenCards());
        assertEquals(45, ARBITER.listLegalMoves(view).getMovesCount());
        assertEquals(
                Verdict.VERDICT_ILLEGAL, ARBITER.validateMove(view, "6@5").getVerdict(), "a card of the other player");
        assertEquals(
                List.of(Player.PLAYER_ONE),
                ARBITER.determineWinner(view).getOutcome().getNextPlayersList());

        State next = ARBITER.applyMove(view, "1@5").getState();
        assertEquals(
                Player.PLAYER_ONE,
                ARBITER.renderState(next).getState().getTripleTriad().getView().getViewer());
        InvalidRequestException refused =
                assertThrows(InvalidRequestException.class, () -> ARBITER.listLegalMoves(next));
        assertEquals("ERROR_REASON_HIDDEN_INFORMATION", refused.reason());
    }

    @Test
    void queenAndRooksToItsEnd() {
        QueenRooksRules rules =
                QueenRooksRules.newBuilder().setSize(4).setQuietMoveLimit(20).build();
        Played played =
                play(ARBITER.newGame(game -> game.setRules(RuleSet.newBuilder().setQueenRooks(rules)))
                        .getState());
        assertFalse(played.moves.isEmpty());
        assertTrue(OptionalFields.endReason(played.outcome).isPresent());

        Square b1 = Square.newBuilder().setRow(0).setColumn(1).build();
        assertEquals(1, ARBITER.resolveCaptures("qr:rR1q/2rr/R2R/Q3", b1).getCapturesCount());
    }

    @Test
    void royalMatchAsText() {
        Played played = play(ARBITER.newGame(game -> game.setRoyalMatch(
                                RoyalMatchSetup.newBuilder().setPlayers(3).setHandSize(3))
                        .setSeed(11)
                        .setForm(StateForm.STATE_FORM_NOTATION))
                .getState());
        assertEquals(Notation.state("rm:vC:4C,AS,10H;0/QH,10S,10D;0/QS,5C,9C;0"), played.first);
        assertEquals(9, played.moves.size());
        assertEquals(EndReason.END_REASON_HANDS_EMPTY, played.outcome.getEndReason());
    }

    @Test
    void cardsAreCompared() {
        CompareCardsResponse byValue = ARBITER.compareCards(RoyalMatchSuit.ROYAL_MATCH_SUIT_HEARTS, "A♠", "2♥");
        assertEquals(RoyalMatchOrder.ROYAL_MATCH_ORDER_FIRST_WINS, byValue.getOrder());
        CompareCardsResponse bySuit = ARBITER.compareCards(
                RoyalMatchSuit.ROYAL_MATCH_SUIT_HEARTS,
                RoyalMatchOrdering.ROYAL_MATCH_ORDERING_SUIT_THEN_VALUE,
                byValue.getRanking(0),
                byValue.getRanking(1));
        assertEquals(RoyalMatchOrder.ROYAL_MATCH_ORDER_SECOND_WINS, bySuit.getOrder());
    }

    @Test
    void aWinningMoveIsSuggested() {
        SuggestMoveResponse suggested = ARBITER.suggestMove("2233");
        assertEquals(Notation.move("4"), suggested.getMove());
        assertEquals(suggested.getMove(), suggested.getLine(0));
        assertEquals("column 4 wins in 3 plies", suggested.getExplanation());
        assertEquals(7, suggested.getEvaluationsCount());
        MoveEvaluation best = suggested.getEvaluations(0);
        assertEquals(suggested.getMove(), best.getMove());
        assertEquals(Certainty.CERTAINTY_EXACT, best.getCertainty());
        assertEquals(MoveEvaluation.ValueCase.FORCED_END, best.getValueCase());
        assertEquals(
                ForcedEnd.newBuilder()
                        .setResult(ForcedResult.FORCED_RESULT_WIN)
                        .setPlies(3)
                        .build(),
                best.getForcedEnd());
    }

    @Test
    void aLevelAndASeedDecideTheSuggestion() {
        Consumer<SuggestMoveRequest.Builder> casual = options ->
                options.setLevel(SuggestionLevel.SUGGESTION_LEVEL_CASUAL).setSeed(7);
        SuggestMoveResponse suggested = ARBITER.suggestMove("112233", casual);
        assertEquals("4", suggested.getMove().getNotation());
        assertEquals(suggested, ARBITER.suggestMove("112233", casual));
    }

    @Test
    void aMoveIsSuggestedForAPlayerAndOnAView() {
        State whole = Notation.state("rm:vC:4C,AS,10H;0/QH,10S,10D;0/QS,5C,9C;0");
        SuggestMoveResponse suggested = ARBITER.suggestMove(
                whole, options -> options.setPlayer(Player.PLAYER_TWO).setMaxNodes(1000));
        assertTrue(suggested.getMove().getNotation().startsWith("2:"));
        State view = ARBITER.viewState(whole, Player.PLAYER_TWO).getState();
        SuggestMoveResponse onView = ARBITER.suggestMove(view, options -> options.setMaxNodes(1000));
        assertEquals(3, onView.getEvaluationsCount());
        assertTrue(onView.getEvaluations(0).hasExpectedMillitricks());
    }

    @Test
    void gamesAreListed() {
        List<String> names = ARBITER.listGames().getGamesList().stream()
                .map(GameDescription::getName)
                .toList();
        assertEquals(List.of("connect_four", "triple_triad", "queen_rooks", "royal_match"), names);
    }

    @Test
    void cardsAndClausesAreListedOnRequest() {
        GameDescription without = ARBITER.listGames().getGames(1);
        assertEquals(0, without.getTripleTriadCardsCount());
        assertEquals(0, without.getClausesCount());
        GameDescription withCards =
                ARBITER.listGames(games -> games.setIncludeCards(true)).getGames(1);
        assertEquals(110, withCards.getTripleTriadCardsCount());
        assertEquals(0, withCards.getClausesCount());

        RuleClause clause = ARBITER.listGames(games -> games.setIncludeClauses(true))
                .getGames(0)
                .getClauses(1);
        assertEquals("C4-2", clause.getId());
        assertFalse(clause.getTitle().isEmpty());
        assertFalse(clause.getText().isEmpty());
    }
}
