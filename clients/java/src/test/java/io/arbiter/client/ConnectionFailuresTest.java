package io.arbiter.client;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeout;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.arbiter.client.support.FakeServer;
import io.arbiter.v1.EvaluateRequest;
import io.arbiter.v1.EvaluateResponse;
import io.arbiter.v1.ListGamesRequest;
import io.arbiter.v1.ListGamesResponse;
import io.arbiter.v1.RulesServiceGrpc.RulesServiceImplBase;
import io.arbiter.v1.SuggestMoveRequest;
import io.arbiter.v1.SuggestMoveResponse;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A service that cannot be reached, does not answer, or is unavailable: deadlines and retries. */
class ConnectionFailuresTest {
    private static final Duration SHORT = Duration.ofMillis(200);
    private static final Duration LIMIT = Duration.ofSeconds(10);

    /** Fails {@code ListGames} a number of times, then answers. Records the remaining time of each call. */
    private static final class Failing extends RulesServiceImplBase {
        private final Status failure;
        private final int failures;
        private final List<Long> milliseconds = Collections.synchronizedList(new ArrayList<>());

        Failing(Status failure, int failures) {
            this.failure = failure;
            this.failures = failures;
        }

        @Override
        public void listGames(ListGamesRequest request, StreamObserver<ListGamesResponse> response) {
            recordDeadline();
            if (milliseconds.size() <= failures) {
                response.onError(failure.asRuntimeException());
                return;
            }
            response.onNext(ListGamesResponse.getDefaultInstance());
            response.onCompleted();
        }

        @Override
        public void suggestMove(SuggestMoveRequest request, StreamObserver<SuggestMoveResponse> response) {
            recordDeadline();
            response.onNext(SuggestMoveResponse.getDefaultInstance());
            response.onCompleted();
        }

        @Override
        public StreamObserver<EvaluateRequest> evaluate(StreamObserver<EvaluateResponse> answers) {
            recordDeadline();
            answers.onCompleted();
            return new StreamObserver<>() {
                @Override
                public void onNext(EvaluateRequest request) {}

                @Override
                public void onError(Throwable error) {}

                @Override
                public void onCompleted() {}
            };
        }

        private void recordDeadline() {
            Deadline deadline = Context.current().getDeadline();
            milliseconds.add(deadline == null ? null : deadline.timeRemaining(MILLISECONDS));
        }
    }

    private static String target(ServerSocket socket) {
        return "127.0.0.1:" + socket.getLocalPort();
    }

    private static ServerSocket listen() throws IOException {
        return new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    }

    @Test
    void aClosedPortIsUnreachable() throws Exception {
        ServerSocket closed = listen();
        closed.close();
        try (ArbiterClient arbiter = ArbiterClient.connect(target(closed))) {
            UnreachableException failure =
                    assertTimeout(LIMIT, () -> assertThrows(UnreachableException.class, arbiter::listGames));
            assertEquals(Status.Code.UNAVAILABLE, failure.code());
            assertTrue(failure.getMessage().contains("Connection refused"), failure::getMessage);
            try (EvaluateStream stream = arbiter.evaluate()) {
                assertThrows(UnreachableException.class, () -> stream.send(Calls.listGames()));
            }
        }
    }

    @Test
    void aSilentServerExceedsTheDeadline() throws Exception {
        try (ServerSocket silent = listen();
                ArbiterClient arbiter =
                        ArbiterClient.builder(target(silent)).deadline(SHORT).build()) {
            DeadlineExceededException failure =
                    assertTimeout(LIMIT, () -> assertThrows(DeadlineExceededException.class, arbiter::listGames));
            assertEquals(Status.Code.DEADLINE_EXCEEDED, failure.code());
            try (EvaluateStream stream = arbiter.evaluate(SHORT)) {
                assertThrows(DeadlineExceededException.class, stream::hasNext);
            }
        }
    }

    @Test
    void theDefaultDeadlineIsFiveSeconds() throws Exception {
        Failing service = new Failing(Status.OK, 0);
        try (FakeServer server = FakeServer.start(service);
                ArbiterClient arbiter = ArbiterClient.connect(server.target());
                EvaluateStream stream = arbiter.evaluate()) {
            assertFalse(stream.hasNext());
            arbiter.listGames();
            arbiter.withDeadline(Duration.ofSeconds(50)).listGames();
            arbiter.withoutDeadline().listGames();
        }
        assertNull(service.milliseconds.get(0), "a stream has no deadline");
        assertWithin(5, service.milliseconds.get(1));
        assertWithin(50, service.milliseconds.get(2));
        assertNull(service.milliseconds.get(3));
    }

    @Test
    void theDefaultDeadlineOfASuggestionIsTenSeconds() throws Exception {
        Failing service = new Failing(Status.OK, 0);
        try (FakeServer server = FakeServer.start(service);
                ArbiterClient arbiter = ArbiterClient.connect(server.target())) {
            arbiter.suggestMove("c4:");
            arbiter.withDeadline(Duration.ofSeconds(50)).suggestMove("c4:");
            arbiter.withoutDeadline().suggestMove("c4:");
        }
        assertWithin(10, service.milliseconds.get(0));
        assertWithin(50, service.milliseconds.get(1));
        assertNull(service.milliseconds.get(2));
    }

    /** Some of the time has passed, more on a busy machine. */
    private static void assertWithin(int seconds, long milliseconds) {
        long spent = seconds * 1000 - milliseconds;
        assertTrue(spent >= 0 && spent < 2000, () -> milliseconds + " ms are left of " + seconds + " s");
    }

    @Test
    void aDeadlineMustBePositive() {
        ArbiterClientBuilder builder = ArbiterClient.builder("127.0.0.1:1");
        assertThrows(IllegalArgumentException.class, () -> builder.deadline(Duration.ZERO));
    }

    @Test
    void unavailableIsRetried() throws Exception {
        Failing service = new Failing(Status.UNAVAILABLE, 2);
        try (FakeServer server = FakeServer.start(service);
                ArbiterClient arbiter = ArbiterClient.connect(server.target())) {
            assertEquals(ListGamesResponse.getDefaultInstance(), arbiter.listGames());
        }
        assertEquals(3, service.milliseconds.size());
    }

    @Test
    void aCallHasAtMostFourAttempts() throws Exception {
        assertEquals(4, attempts(new Failing(Status.UNAVAILABLE, 9), true));
    }

    @Test
    void withoutRetriesACallHasOneAttempt() throws Exception {
        assertEquals(1, attempts(new Failing(Status.UNAVAILABLE, 9), false));
    }

    @Test
    void resourceExhaustedIsNotRetried() throws Exception {
        assertEquals(1, attempts(new Failing(Status.RESOURCE_EXHAUSTED, 9), true));
    }

    private static int attempts(Failing service, boolean retries) throws IOException {
        try (FakeServer server = FakeServer.start(service)) {
            ArbiterClientBuilder builder = ArbiterClient.builder(server.target());
            try (ArbiterClient arbiter = (retries ? builder : builder.noRetries()).build()) {
                ArbiterException failure = assertThrows(ArbiterException.class, arbiter::listGames);
                assertEquals(service.failure.getCode(), failure.code());
            }
        }
        return service.milliseconds.size();
    }
}
