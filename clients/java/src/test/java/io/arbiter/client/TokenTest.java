package io.arbiter.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.arbiter.client.support.ArbiterServer;
import io.arbiter.client.support.FakeServer;
import io.arbiter.v1.RulesServiceGrpc.RulesServiceImplBase;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.Status;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls with and without a bearer token. */
class TokenTest {
    private static final String TOKEN = UUID.randomUUID().toString();

    @AutoClose
    private static ArbiterServer server;

    @BeforeAll
    static void startServer(@TempDir Path folder) throws Exception {
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(TOKEN.getBytes());
        Path file = folder.resolve("tokens");
        Files.writeString(file, "tests " + HexFormat.of().formatHex(digest) + "\n");
        server = ArbiterServer.start("--token-file", file.toString());
    }

    private static Supplier<String> tokenSequence(String... tokens) {
        Iterator<String> next = List.of(tokens).iterator();
        return next::next;
    }

    private static void listGames(EvaluateStream stream) {
        try (stream) {
            stream.send(Calls.listGames());
            stream.next().orThrow();
        }
    }

    private static RefusedException assertUnauthenticated(Executable call) {
        RefusedException refused = assertThrows(RefusedException.class, call);
        assertEquals(Status.Code.UNAUTHENTICATED, refused.code());
        assertEquals("ERROR_REASON_UNAUTHENTICATED", refused.reason());
        return refused;
    }

    @Test
    void aKnownTokenIsAccepted() {
        for (ArbiterClientBuilder builder : List.of(
                ArbiterClient.builder(server.target()).token(TOKEN),
                ArbiterClient.builder(server.target()).token(() -> TOKEN))) {
            try (ArbiterClient arbiter = builder.build()) {
                assertEquals(4, arbiter.listGames().getGamesCount());
                assertEquals(4, arbiter.withoutDeadline().listGames().getGamesCount());
                listGames(arbiter.evaluate());
                listGames(arbiter.evaluate(Duration.ofMinutes(1)));
            }
        }
    }

    @Test
    void aCallWithoutATokenIsRefused() {
        try (ArbiterClient arbiter = ArbiterClient.connect(server.target())) {
            assertUnauthenticated(arbiter::listGames);
            assertUnauthenticated(() -> listGames(arbiter.evaluate()));
        }
    }

    @Test
    void aCallWithAnUnknownTokenIsRefusedAndTheErrorDoesNotContainIt() {
        String wrong = UUID.randomUUID().toString();
        ArbiterClientBuilder builder = ArbiterClient.builder(server.target()).token(wrong);
        try (ArbiterClient arbiter = builder.build()) {
            StringWriter text = new StringWriter();
            PrintWriter printer = new PrintWriter(text, true);
            assertUnauthenticated(arbiter::listGames).printStackTrace(printer);
            assertUnauthenticated(() -> listGames(arbiter.evaluate())).printStackTrace(printer);
            printer.println(builder + " " + arbiter);
            assertFalse(text.toString().contains(wrong), text::toString);
        }
    }

    @Test
    void aTokenSupplierIsCalledForEachCall() {
        try (ArbiterClient arbiter = ArbiterClient.builder(server.target())
                .token(tokenSequence(TOKEN, "old", TOKEN, "old"))
                .build()) {
            arbiter.listGames();
            assertUnauthenticated(arbiter::listGames);
            listGames(arbiter.evaluate());
            assertUnauthenticated(() -> listGames(arbiter.evaluate()));
        }
    }

    /** Records the tokens, and fails all calls: the first two with UNAVAILABLE. */
    private static final class Recording implements ServerInterceptor {
        private final List<String> tokens = Collections.synchronizedList(new ArrayList<>());

        @Override
        public <Q, A> ServerCall.Listener<Q> interceptCall(
                ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
            tokens.add(headers.get(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER)));
            call.close(tokens.size() <= 2 ? Status.UNAVAILABLE : Status.ABORTED, new Metadata());
            return new ServerCall.Listener<>() {};
        }
    }

    @Test
    void everyAttemptHasTheToken() throws Exception {
        Recording recording = new Recording();
        try (FakeServer fake =
                        FakeServer.start(() -> ServerInterceptors.intercept(new RulesServiceImplBase() {}, recording));
                ArbiterClient arbiter = ArbiterClient.builder(fake.target())
                        .token(tokenSequence("first", "second"))
                        .build()) {
            assertThrows(ArbiterException.class, arbiter::listGames);
            assertThrows(ArbiterException.class, arbiter::listGames);
        }
        assertEquals(List.of("Bearer first", "Bearer first", "Bearer first", "Bearer second"), recording.tokens);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "sesame\n", "\tsesame", "open sesame", "sésame", "sesame\u007f", "sesame\0"})
    void anInvalidTokenIsAnIllegalArgument(String bad) {
        ArbiterClientBuilder builder = ArbiterClient.builder(server.target());
        try (ArbiterClient arbiter = builder.token(() -> bad).build()) {
            for (Executable call :
                    List.<Executable>of(() -> builder.token(bad), arbiter::listGames, arbiter::evaluate)) {
                String message =
                        assertThrows(IllegalArgumentException.class, call).getMessage();
                assertTrue(message.contains("visible ASCII"), message);
                assertFalse(message.contains("same"), message);
            }
        }
    }

    @Test
    void anExceptionOfTheTokenSupplierIsThrownUnchanged() {
        RuntimeException failure = Status.UNAVAILABLE.asRuntimeException();
        Supplier<String> supplier = () -> {
            throw failure;
        };
        try (ArbiterClient arbiter =
                ArbiterClient.builder(server.target()).token(supplier).build()) {
            assertSame(failure, assertThrows(RuntimeException.class, arbiter::listGames));
            assertSame(failure, assertThrows(RuntimeException.class, arbiter::evaluate));
        }
    }
}
