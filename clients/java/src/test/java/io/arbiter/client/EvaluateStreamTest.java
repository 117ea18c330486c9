package io.arbiter.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.rpc.ErrorInfo;
import io.arbiter.client.support.ArbiterServer;
import io.arbiter.v1.State;
import java.util.NoSuchElementException;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Streams of calls and answers. */
@Timeout(60)
class EvaluateStreamTest {
    @AutoClose
    private static final ArbiterServer SERVER = ArbiterServer.start();

    @AutoClose
    private static final ArbiterClient ARBITER = ArbiterClient.connect(SERVER.target());

    @Test
    void callsMayDependOnAnswers() {
        State state = Notation.state("c4:");
        try (EvaluateStream stream = ARBITER.evaluate()) {
            for (String move : "4 3 4 3 4 3 4".split(" ")) {
                stream.send(Calls.applyMove(state, Notation.move(move)));
                state = stream.next().orThrow().getApplyMove().getState();
            }
            stream.finish();
            assertFalse(stream.hasNext());
            assertThrows(NoSuchElementException.class, stream::next);
        }
        assertEquals("c4:7x6x4:4343434", state.getNotation());
    }

    @Test
    void aRefusalIsAValueAndDoesNotEndTheStream() {
        try (EvaluateStream stream = ARBITER.evaluate()) {
            stream.send(Calls.applyMove(Notation.state("444444"), Notation.move("4")));
            stream.send(Calls.listGames());
            stream.finish();
            assertEquals(
                    "ERROR_REASON_COLUMN_FULL",
                    stream.next().refusal().orElseThrow().reason());
            assertEquals(4, stream.next().orThrow().getListGames().getGamesCount());
            assertFalse(stream.hasNext());
        }
    }

    /** There are more answers than fit into the buffers of the connection: this hangs if they block the calls. */
    @Test
    void allCallsMayBeSentBeforeAnAnswerIsRead() {
        int calls = 5000;
        try (EvaluateStream stream = ARBITER.evaluate()) {
            for (int sent = 0; sent < calls; sent++) {
                stream.send(Calls.listGames(games -> games.setIncludeCards(true)));
            }
            stream.finish();
            int answers = 0;
            for (; stream.hasNext(); answers++) {
                stream.next().orThrow();
            }
            assertEquals(calls, answers);
        }
    }

    @Test
    void sendFailsAfterFinish() {
        try (EvaluateStream stream = ARBITER.evaluate()) {
            stream.finish();
            stream.finish();
            assertThrows(IllegalStateException.class, () -> stream.send(Calls.listGames()));
        }
    }

    @Test
    void shutdownOfTheServiceEndsTheStream() throws Exception {
        ArbiterServer server = ArbiterServer.start();
        try (ArbiterClient arbiter = ArbiterClient.connect(server.target());
                EvaluateStream stream = arbiter.evaluate()) {
            stream.send(Calls.listGames());
            stream.next().orThrow();
            server.close();
            UnreachableException failure = assertThrows(UnreachableException.class, stream::hasNext);
            assertEquals(
                    "ERROR_REASON_SHUTTING_DOWN",
                    failure.details().get(0).unpack(ErrorInfo.class).getReason());
            assertThrows(UnreachableException.class, () -> stream.send(Calls.listGames()));
        }
    }

    @Test
    void aWaitingThreadCanBeInterrupted() {
        try (EvaluateStream stream = ARBITER.evaluate()) {
            Thread.currentThread().interrupt();
            assertThrows(ArbiterException.class, stream::hasNext);
            assertTrue(Thread.interrupted());
        }
    }
}
