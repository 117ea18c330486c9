package io.arbiter.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.arbiter.client.RefusedException.Reason;
import io.arbiter.client.support.ArbiterServer;
import io.arbiter.v1.ConnectFourState;
import io.arbiter.v1.State;
import io.grpc.Status;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** The content of a refusal, thrown by a call or as an item of a batch. */
class ErrorsTest {
    @AutoClose
    private static final ArbiterServer SERVER = ArbiterServer.start();

    @AutoClose
    private static final ArbiterClient ARBITER = ArbiterClient.connect(SERVER.target());

    private static final Reason COLUMN_FULL =
            new Reason("ERROR_REASON_COLUMN_FULL", "column 4 is full", "move.notation", "C4-2");

    private static State board(String... rows) {
        return State.newBuilder()
                .setConnectFour(ConnectFourState.newBuilder().addAllBoard(List.of(rows)))
                .build();
    }

    @Test
    void anIllegalMoveHasItsReasons() {
        IllegalMoveException refused = assertThrows(IllegalMoveException.class, () -> ARBITER.applyMove("444444", "4"));
        assertEquals(Status.Code.FAILED_PRECONDITION, refused.code());
        assertEquals("ERROR_REASON_COLUMN_FULL", refused.reason());
        assertEquals(List.of(COLUMN_FULL), refused.reasons());
        assertEquals(Map.of("field", "move.notation", "clause", "C4-2"), refused.metadata());
        assertEquals(OptionalInt.empty(), refused.moveIndex());
        assertEquals("io.arbiter.client.IllegalMoveException: illegal move: column 4 is full", refused.toString());
    }

    @Test
    void aReplayReportsTheIndexOfAnIllegalMove() {
        IllegalMoveException refused =
                assertThrows(IllegalMoveException.class, () -> ARBITER.replayGame("44444", "4", "4", "1"));
        assertEquals(OptionalInt.of(1), refused.moveIndex());
        assertEquals("ERROR_REASON_COLUMN_FULL", refused.reason());
    }

    @Test
    void anImpossibleStateHasAllViolations() {
        String empty = ".".repeat(7);
        State state = board("X......", empty, empty, empty, empty, "...Z...");
        InvalidRequestException refused = assertThrows(InvalidRequestException.class, () -> ARBITER.renderState(state));
        assertEquals(
                List.of("ERROR_REASON_FIELD_REQUIRED", "ERROR_REASON_UNKNOWN_TOKEN", "ERROR_REASON_FLOATING_TOKEN"),
                refused.reasons().stream().map(Reason::code).toList());
        assertEquals("state.connect_four.board[5]", refused.reasons().get(1).field());
        assertEquals(0, refused.unlisted());
        for (Reason reason : refused.reasons()) {
            assertTrue(refused.getMessage().contains(reason.message()), refused::getMessage);
        }
    }

    @Test
    void unlistedReasonsAreCounted() {
        String[] moves = Collections.nCopies(30, "x").toArray(String[]::new);
        InvalidRequestException alone =
                assertThrows(InvalidRequestException.class, () -> ARBITER.replayGame("c4:", moves));
        assertEquals(30, alone.reasons().size() + alone.unlisted());
        assertTrue(alone.unlisted() > 0);
        assertSameRefusal(
                alone,
                ARBITER.evaluateBatch(Calls.replayGame(Notation.state("c4:"), Notation.moves(moves)))
                        .get(0));
    }

    @Test
    void aRefusedItemIsAValueAndDoesNotAffectOthers() {
        List<Reply> replies = ARBITER.evaluateBatch(
                Calls.applyMove(Notation.state("444444"), Notation.move("4")),
                Calls.renderState(Notation.state("nonsense")),
                Calls.replayGame(Notation.state("44444"), Notation.moves("4", "4")),
                Calls.applyMove(Notation.state("4"), Notation.move("4")));
        assertSameRefusal(assertThrows(RefusedException.class, () -> ARBITER.applyMove("444444", "4")), replies.get(0));
        assertSameRefusal(assertThrows(RefusedException.class, () -> ARBITER.renderState("nonsense")), replies.get(1));
        assertSameRefusal(
                assertThrows(RefusedException.class, () -> ARBITER.replayGame("44444", "4", "4")), replies.get(2));
        assertTrue(replies.get(3).refusal().isEmpty());
        assertEquals(
                "c4:7x6x4:44",
                replies.get(3).orThrow().getApplyMove().getState().getNotation());
    }

    private static void assertSameRefusal(RefusedException alone, Reply reply) {
        RefusedException item = assertThrows(RefusedException.class, reply::orThrow);
        assertEquals(alone.getClass(), item.getClass());
        assertEquals(alone.code(), item.code());
        assertEquals(alone.getMessage(), item.getMessage());
        assertEquals(alone.reason(), item.reason());
        assertEquals(alone.reasons().size(), item.reasons().size());
        assertEquals(alone.unlisted(), item.unlisted());
        if (alone instanceof IllegalMoveException illegal) {
            assertEquals(alone.reasons(), item.reasons());
            assertEquals(
                    illegal.moveIndex(),
                    assertInstanceOf(IllegalMoveException.class, item).moveIndex());
        }
    }

    @Test
    void tooManyItemsAreRefused() {
        RefusedException refused = assertThrows(
                RefusedException.class, () -> ARBITER.evaluateBatch(Collections.nCopies(1001, Calls.listGames())));
        assertEquals(Status.Code.RESOURCE_EXHAUSTED, refused.code());
        assertEquals("ERROR_REASON_TOO_MANY_ITEMS", refused.reason());
        assertEquals(List.of(new Reason(refused.reason(), refused.getMessage(), "", "")), refused.reasons());
    }

    /** The response, with a refusal for each answer that does not fit, has at most gRPC's default limit. */
    @Test
    void answersThatDoNotFitAreRefused() {
        List<Reply> replies =
                ARBITER.evaluateBatch(Collections.nCopies(1000, Calls.listGames(games -> games.setIncludeCards(true))));
        assertTrue(replies.get(0).refusal().isEmpty());
        assertEquals(
                "ERROR_REASON_ANSWER_TOO_LARGE",
                replies.get(999).refusal().orElseThrow().reason());
        int size = replies.stream()
                .mapToInt(reply -> reply.answer().getSerializedSize())
                .sum();
        assertTrue(size <= 4 << 20, () -> size + " bytes");
    }
}
