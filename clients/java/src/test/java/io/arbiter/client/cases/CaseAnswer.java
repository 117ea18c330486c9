package io.arbiter.client.cases;

import com.google.protobuf.Any;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import io.arbiter.v1.Answer;
import io.arbiter.v1.ErrorReason;
import io.arbiter.v1.IllegalMove;
import io.arbiter.v1.Reason;
import io.arbiter.v1.Refusal;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * An answer of the service in a comparable form: responses without the ignored fields, or a refusal, which is the same
 * for a call on its own and for an item of a batch or a stream.
 */
record CaseAnswer(List<? extends Message> messages) {
    /** An answer is wrong. */
    static final class WrongAnswer extends Exception {
        private static final long serialVersionUID = 1;

        WrongAnswer(String message) {
            super(message);
        }
    }

    /** Reads the responses to a call. */
    static CaseAnswer read(Case testCase, List<Message> messages) throws WrongAnswer {
        List<Message> kept = new ArrayList<>();
        FieldPath.Found found = new FieldPath.Found();
        for (Message message : messages) {
            Message.Builder builder = message.toBuilder();
            testCase.ignored().forEach(path -> path.remove(builder, found));
            kept.add(builder.build());
        }
        check(found.missing == 0, "an ignored field is missing in the response: " + messages);
        return new CaseAnswer(kept);
    }

    /** Reads a refusal from the status of a call, and checks that its details are complete. */
    static CaseAnswer read(StatusRuntimeException failure) throws WrongAnswer {
        Status status = failure.getStatus();
        com.google.rpc.Status decoded = StatusProto.fromThrowable(failure);
        check(decoded != null && decoded.getDetailsCount() > 0, "the status has no details: " + status);
        check(decoded.getMessage().equals(status.getDescription()), "the details have another status: " + status);
        ErrorInfo info = detail(decoded, ErrorInfo.class);
        Refusal.Builder refusal =
                Refusal.newBuilder().setCode(status.getCode().value()).setMessage(decoded.getMessage());
        switch (status.getCode()) {
            case INVALID_ARGUMENT ->
                detail(decoded, BadRequest.class)
                        .getFieldViolationsList()
                        .forEach(violation -> refusal.addReasons(Reason.newBuilder()
                                .setCode(reason(violation.getReason()))
                                .setMessage(violation.getDescription())
                                .setField(violation.getField())));
            case FAILED_PRECONDITION -> {
                IllegalMove move = detail(decoded, IllegalMove.class);
                refusal.addAllReasons(move.getReasonsList());
                if (move.hasMoveIndex()) {
                    refusal.setMoveIndex(move.getMoveIndex());
                }
            }
            default ->
                refusal.addReasons(
                        Reason.newBuilder().setCode(reason(info.getReason())).setMessage(decoded.getMessage()));
        }
        Optional.ofNullable(info.getMetadataMap().get("unlisted_violations"))
                .ifPresent(count -> refusal.setUnlistedReasons(Integer.parseInt(count)));
        check(info, refusal.build());
        return new CaseAnswer(List.of(refusal.build()));
    }

    /** Reads the answer to an item of {@code EvaluateBatch} or {@code Evaluate}. */
    static CaseAnswer readItem(Case testCase, Answer item) throws WrongAnswer {
        FieldDescriptor kind =
                item.getOneofFieldDescriptor(Answer.getDescriptor().getOneofs().get(0));
        check(kind != null, "the item has no answer");
        if (item.hasRefusal()) {
            return new CaseAnswer(List.of(item.getRefusal()));
        }
        Message response = (Message) item.getField(kind);
        check(
                response.getDescriptorForType().equals(testCase.rpc().response().getDescriptorForType()),
                "the answer to the item is a " + kind.getName());
        return read(testCase, List.of(response));
    }

    /** Compares this answer with the expected one. */
    Optional<String> differenceTo(Case.Expected expected) {
        if (expected instanceof Case.Messages expectedMessages) {
            return difference(expectedMessages.messages());
        }
        Case.Refused refused = (Case.Refused) expected;
        Refusal got = messages.size() == 1 && messages.get(0) instanceof Refusal refusal
                ? refusal
                : Refusal.getDefaultInstance();
        // Where the case has no message, any message is accepted: use the received one.
        Refusal.Builder whole =
                got.toBuilder().setCode(refused.code().value()).clearReasons().clearMoveIndex();
        for (Reason reason : refused.reasons()) {
            int index = whole.getReasonsCount();
            boolean any = reason.getMessage().isEmpty() && index < got.getReasonsCount();
            whole.addReasons(
                    reason.toBuilder().setMessage(any ? got.getReasons(index).getMessage() : reason.getMessage()));
        }
        refused.moveIndex().ifPresent(whole::setMoveIndex);
        return difference(List.of(whole.build()));
    }

    /** Compares the answer to an item with that of the call on its own. */
    Optional<String> differenceTo(CaseAnswer alone) {
        if (messages.get(0) instanceof Refusal refusal && refusal.getCode() == Status.Code.INVALID_ARGUMENT.value()) {
            // A google.rpc.BadRequest has no clauses.
            Refusal.Builder without = refusal.toBuilder();
            without.getReasonsBuilderList().forEach(Reason.Builder::clearClause);
            return new CaseAnswer(List.of(without.build())).difference(alone.messages);
        }
        return difference(alone.messages);
    }

    private Optional<String> difference(List<? extends Message> expected) {
        return messages.equals(expected)
                ? Optional.empty()
                : Optional.of(Json.diff(Json.write(expected), Json.write(messages)));
    }

    /** Checks that the {@code google.rpc.ErrorInfo} matches the first reason, and that no message is empty. */
    private static void check(ErrorInfo info, Refusal refusal) throws WrongAnswer {
        check(refusal.getReasonsCount() > 0, "there is no reason");
        Reason first = refusal.getReasons(0);
        check(
                info.getDomain().equals("arbiter.v1")
                        && info.getReason().equals(first.getCode().name()),
                "the google.rpc.ErrorInfo does not match the first reason: " + info);
        Map<String, String> expected = Map.of(
                "field", first.getField(),
                "clause", first.getClause(),
                "move_index", refusal.hasMoveIndex() ? Integer.toString(refusal.getMoveIndex()) : "");
        for (Map.Entry<String, String> entry : expected.entrySet()) {
            check(
                    entry.getValue().isEmpty()
                            || entry.getValue().equals(info.getMetadataMap().get(entry.getKey())),
                    entry + " should be in the metadata of google.rpc.ErrorInfo");
        }
        boolean haveMessages = refusal.getReasonsList().stream()
                .noneMatch(reason -> reason.getMessage().isEmpty());
        check(haveMessages && !refusal.getMessage().isEmpty(), "a message is empty: " + refusal);
    }

    private static <M extends Message> M detail(com.google.rpc.Status status, Class<M> type) throws WrongAnswer {
        for (Any detail : status.getDetailsList()) {
            try {
                if (detail.is(type)) {
                    return detail.unpack(type);
                }
            } catch (InvalidProtocolBufferException error) {
                throw new WrongAnswer(type.getSimpleName() + " cannot be decoded: " + error.getMessage());
            }
        }
        throw new WrongAnswer("there is no " + type.getSimpleName());
    }

    private static ErrorReason reason(String name) {
        return Stream.of(ErrorReason.values())
                .filter(reason -> reason.name().equals(name))
                .findFirst()
                .orElse(ErrorReason.ERROR_REASON_UNSPECIFIED);
    }

    private static void check(boolean holds, String otherwise) throws WrongAnswer {
        if (!holds) {
            throw new WrongAnswer(otherwise);
        }
    }
}
