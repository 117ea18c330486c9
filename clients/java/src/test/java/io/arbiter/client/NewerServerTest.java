package io.arbiter.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import com.google.rpc.ErrorInfo;
import io.arbiter.client.RefusedException.Reason;
import io.arbiter.client.support.FakeServer;
import io.arbiter.v1.Answer;
import io.arbiter.v1.ApplyMoveRequest;
import io.arbiter.v1.ApplyMoveResponse;
import io.arbiter.v1.ConnectFourState;
import io.arbiter.v1.IllegalMove;
import io.arbiter.v1.NewGameRequest;
import io.arbiter.v1.NewGameResponse;
import io.arbiter.v1.Player;
import io.arbiter.v1.Refusal;
import io.arbiter.v1.RulesServiceGrpc.RulesServiceImplBase;
import io.arbiter.v1.State;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** A server that is newer than this client, or broken. */
class NewerServerTest {
    private static final UnknownFieldSet UNKNOWN = UnknownFieldSet.newBuilder()
            .addField(
                    99,
                    UnknownFieldSet.Field.newBuilder()
                            .addLengthDelimited(ByteString.copyFromUtf8("new"))
                            .build())
            .build();

    /** A state with an unknown field and an unknown player. */
    private static final State NEWER = State.newBuilder()
            .setConnectFour(ConnectFourState.newBuilder().setNextPlayerValue(7).setUnknownFields(UNKNOWN))
            .build();

    /** A state of an unknown game. */
    private static final State NEW_GAME =
            State.newBuilder().setUnknownFields(UNKNOWN).build();

    /** Starts a game with a state, and returns the same state for each move. */
    private static final class Echo extends RulesServiceImplBase {
        private final State first;

        Echo(State first) {
            this.first = first;
        }

        @Override
        public void newGame(NewGameRequest request, StreamObserver<NewGameResponse> answer) {
            answer.onNext(NewGameResponse.newBuilder().setState(first).build());
            answer.onCompleted();
        }

        @Override
        public void applyMove(ApplyMoveRequest request, StreamObserver<ApplyMoveResponse> answer) {
            answer.onNext(
                    ApplyMoveResponse.newBuilder().setState(request.getState()).build());
            answer.onCompleted();
        }
    }

    @Test
    void unknownFieldsArePreserved() throws Exception {
        for (State first : List.of(NEWER, NEW_GAME)) {
            try (FakeServer server = FakeServer.start(new Echo(first));
                    ArbiterClient arbiter = ArbiterClient.connect(server.target())) {
                State state = arbiter.newGame(game -> {}).getState();
                assertEquals(first, state);
                assertEquals(first, arbiter.applyMove(state, "4").getState());
            }
        }
    }

    @Test
    void anUnknownEnumNumberCanBeRead() {
        assertEquals(Player.UNRECOGNIZED, NEWER.getConnectFour().getNextPlayer());
        assertEquals(7, NEWER.getConnectFour().getNextPlayerValue());
    }

    private static ArbiterException refusalOf(StatusRuntimeException status) throws Exception {
        RulesServiceImplBase service = new RulesServiceImplBase() {
            @Override
            public void applyMove(ApplyMoveRequest request, StreamObserver<ApplyMoveResponse> answer) {
                answer.onError(status);
            }
        };
        try (FakeServer server = FakeServer.start(service);
                ArbiterClient arbiter = ArbiterClient.connect(server.target())) {
            return assertThrows(ArbiterException.class, () -> arbiter.applyMove("4", "4"));
        }
    }

    private static StatusRuntimeException status(Status.Code code, Any... details) {
        return StatusProto.toStatusRuntimeException(com.google.rpc.Status.newBuilder()
                .setCode(code.value())
                .setMessage("not today")
                .addAllDetails(List.of(details))
                .build());
    }

    private static final Any HINT =
            Any.newBuilder().setTypeUrl("type.googleapis.com/arbiter.v1.Hint").build();

    private static final Any INFO = Any.pack(ErrorInfo.newBuilder()
            .setDomain("arbiter.v1")
            .setReason("ERROR_REASON_HOLIDAY")
            .putMetadata("field", "move")
            .build());

    @Test
    void unknownReasonsAndDetailsArePreserved() throws Exception {
        Any illegal = Any.pack(IllegalMove.newBuilder()
                .addReasons(io.arbiter.v1.Reason.newBuilder()
                        .setCodeValue(998)
                        .setMessage("it is a holiday")
                        .setClause("C4-9"))
                .addReasons(io.arbiter.v1.Reason.newBuilder().setCodeValue(999).setMessage("all is closed"))
                .build());
        IllegalMoveException refused =
                (IllegalMoveException) refusalOf(status(Status.Code.FAILED_PRECONDITION, HINT, INFO, illegal));
        assertEquals("ERROR_REASON_HOLIDAY", refused.reason());
        assertEquals(
                List.of(
                        new Reason("ERROR_REASON_HOLIDAY", "it is a holiday", "", "C4-9"),
                        new Reason("999", "all is closed", "", "")),
                refused.reasons());
        assertEquals(OptionalInt.empty(), refused.moveIndex());
        assertEquals("not today", refused.getMessage());
        assertEquals(HINT, refused.details().get(0));
    }

    @Test
    void aRefusalWithoutDetailsIsReadFromItsErrorInfo() throws Exception {
        RefusedException refused = (RefusedException) refusalOf(status(Status.Code.ABORTED, INFO));
        assertEquals(Status.Code.ABORTED, refused.code());
        assertEquals(List.of(new Reason("ERROR_REASON_HOLIDAY", "not today", "move", "")), refused.reasons());
    }

    @Test
    void aStatusOfAProxyIsNotARefusal() throws Exception {
        Any foreign = Any.pack(ErrorInfo.newBuilder().setDomain("other.v1").build());
        for (Any[] details : new Any[][] {{}, {HINT}, {foreign}}) {
            ArbiterException failure = refusalOf(status(Status.Code.FAILED_PRECONDITION, details));
            assertEquals(ArbiterException.class, failure.getClass());
            assertEquals("not today", failure.getMessage());
        }
    }

    @Test
    void detailsThatCannotBeDecodedAreIgnored() throws Exception {
        Metadata trailers = new Metadata();
        trailers.put(Metadata.Key.of("grpc-status-details-bin", Metadata.BINARY_BYTE_MARSHALLER), new byte[] {1, 2, 3});
        ArbiterException failure =
                refusalOf(Status.INVALID_ARGUMENT.withDescription("no").asRuntimeException(trailers));
        assertEquals(ArbiterException.class, failure.getClass());
        assertEquals(Status.Code.INVALID_ARGUMENT, failure.code());
        assertTrue(failure.details().isEmpty());

        Any broken = INFO.toBuilder()
                .setValue(ByteString.copyFrom(new byte[] {1, 2, 3}))
                .build();
        assertEquals(
                ArbiterException.class,
                refusalOf(status(Status.Code.INVALID_ARGUMENT, broken)).getClass());
    }

    @Test
    void anUnknownItemCanBeRead() {
        Refusal refusal = Refusal.newBuilder()
                .setCode(99)
                .setMessage("not today")
                .addReasons(io.arbiter.v1.Reason.newBuilder().setCodeValue(998))
                .build();
        RefusedException refused = new Reply(
                        Answer.newBuilder().setRefusal(refusal).build())
                .refusal()
                .orElseThrow();
        assertEquals(Status.Code.UNKNOWN, refused.code());
        assertEquals("998", refused.reason());
        assertEquals("not today", refused.getMessage());

        Answer newer = Answer.newBuilder().setUnknownFields(UNKNOWN).build();
        assertEquals(newer, new Reply(newer).orThrow());
    }
}
