package io.arbiter.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.arbiter.client.support.ArbiterServer;
import io.arbiter.v1.CompareCardsResponse;
import io.arbiter.v1.EndReason;
import io.arbiter.v1.GameResult;
import io.arbiter.v1.Outcome;
import io.arbiter.v1.Player;
import io.arbiter.v1.QueenRooksCorner;
import io.arbiter.v1.RoyalMatchOrder;
import io.arbiter.v1.RoyalMatchSuit;
import io.arbiter.v1.Square;
import io.arbiter.v1.TripleTriadSquare;
import io.arbiter.v1.TripleTriadTransfer;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** An absent field is an empty Optional. */
class OptionalFieldsTest {
    @AutoClose
    private static final ArbiterServer SERVER = ArbiterServer.start();

    @AutoClose
    private static final ArbiterClient ARBITER = ArbiterClient.connect(SERVER.target());

    private static final RoyalMatchSuit HEARTS = RoyalMatchSuit.ROYAL_MATCH_SUIT_HEARTS;

    @Test
    void aGameThatGoesOnHasNeitherWinnerNorEndReason() {
        Outcome outcome = ARBITER.applyMove("445566", "1").getOutcome();
        assertEquals(GameResult.GAME_RESULT_IN_PROGRESS, outcome.getResult());
        assertEquals(Optional.empty(), OptionalFields.winner(outcome));
        assertEquals(Optional.empty(), OptionalFields.endReason(outcome));
        assertEquals(List.of(Player.PLAYER_TWO), outcome.getNextPlayersList());
        assertEquals("", outcome.getExplanation());
        assertEquals(Outcome.DetailCase.DETAIL_NOT_SET, outcome.getDetailCase());
    }

    @Test
    void aWonGameHasBoth() {
        Outcome outcome = ARBITER.applyMove("445566", "7").getOutcome();
        assertEquals(Optional.of(Player.PLAYER_ONE), OptionalFields.winner(outcome));
        assertEquals(Optional.of(EndReason.END_REASON_LINE_COMPLETED), OptionalFields.endReason(outcome));
        assertTrue(outcome.getNextPlayersList().isEmpty());
        assertFalse(outcome.getExplanation().isEmpty());
        assertEquals(4, outcome.getConnectFour().getWinningLines(0).getSquaresCount());
    }

    @Test
    void aDrawnGameHasOnlyAnEndReason() {
        Outcome outcome = ARBITER.determineWinner("c4:2x1x2:12").getOutcome();
        assertEquals(Optional.empty(), OptionalFields.winner(outcome));
        assertEquals(Optional.of(EndReason.END_REASON_BOARD_FULL), OptionalFields.endReason(outcome));
    }

    @Test
    void onlyTwoCardsHaveAnOrder() {
        CompareCardsResponse two = ARBITER.compareCards(HEARTS, "8S", "7H");
        assertEquals(Optional.of(RoyalMatchOrder.ROYAL_MATCH_ORDER_FIRST_WINS), OptionalFields.order(two));
        CompareCardsResponse three = ARBITER.compareCards(HEARTS, "8S", "7H", "2C");
        assertEquals(Optional.empty(), OptionalFields.order(three));
        assertEquals("8S", OptionalFields.winner(three).orElseThrow().getNotation());
    }

    @Test
    void equalCardsHaveNoWinner() {
        CompareCardsResponse equal = ARBITER.compareCards(HEARTS, "8S", "8S");
        assertEquals(Optional.of(RoyalMatchOrder.ROYAL_MATCH_ORDER_EQUAL), OptionalFields.order(equal));
        assertEquals(Optional.empty(), OptionalFields.winner(equal));
    }

    @Test
    void anEmptyCornerHasNoOwner() {
        Square b1 = Square.newBuilder().setRow(0).setColumn(1).build();
        List<QueenRooksCorner> corners = ARBITER.resolveCaptures("qr:rR1q/2rr/R2R/Q3", b1)
                .getCaptures(0)
                .getQueenRooks()
                .getCornersList();
        assertEquals(
                List.of(Optional.of(Player.PLAYER_TWO), Optional.empty()),
                corners.stream().map(OptionalFields::owner).toList());
    }

    @Test
    void anEmptySquareHasNoOwner() {
        List<TripleTriadSquare> board = ARBITER.renderState("tt:-:-,X1,-/-,-,-/-,-,-:2,3,4,5:6,7,8,9,10:O")
                .getState()
                .getTripleTriad()
                .getBoardList();
        assertEquals(Optional.empty(), OptionalFields.owner(board.get(0)));
        assertEquals(Optional.of(Player.PLAYER_ONE), OptionalFields.owner(board.get(1)));
    }

    @Test
    void onlySuddenDeathHasANextRound() {
        String drawn = "tt:d:X1,O2,X3/O4,X5,O6/X7,O8,X9:-:10:O";
        assertTrue(OptionalFields.nextRound(ARBITER.determineWinner(drawn)).isPresent());
        String finalDraw = "tt:d1:X1,O2,X3/O4,X5,O6/X7,O8,X9:-:10:O";
        assertEquals(Optional.empty(), OptionalFields.nextRound(ARBITER.determineWinner(finalDraw)));
    }

    @Test
    void aCardOfNeitherCollectionHasNoOldOwner() {
        TripleTriadTransfer transfer = ARBITER.settleTrade(
                        "tt:R:X1=1111,X2=1111,X3=1111/X4=1111,X5=1111,O6=1111/X7=1111,O8=1111,X9=1111:-:10=1111:O",
                        List.of(),
                        List.of())
                .getTransfers(0);
        assertEquals(Optional.empty(), OptionalFields.from(transfer));
        assertFalse(transfer.getExplanation().isEmpty());
    }
}
