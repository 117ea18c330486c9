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
 * What the service has answered, in a form that can be compared: messages without the ignored fields, or a refusal,
 * which is the same on its own and as an item of many.
 */
record CaseAnswer(List<? extends Message> messages) {
    /** An answer is not what it must be, whatever the case wants. */
    static final class BadAnswer extends Exception {
        private static final long serialVersionUID = 1;

        BadAnswer(String message) {
            super(message);
        }
    }

    /** Reads the messages of an answer. */
    static CaseAnswer read(Case asked, List<Message> messages) throws BadAnswer {
        List<Message> kept = new ArrayList<>();
        FieldPath.Found found = new FieldPath.Found();
        for (Message message : messages) {
            Message.Builder builder = message.toBuilder();
            asked.ignored().forEach(path -> path.takeOut(builder, found));
            kept.add(builder.build());
        }
        check(found.missing == 0, "a field that is ignored must still be there: " + messages);
        return new CaseAnswer(kept);
    }

    /** Reads a refusal out of the status of a call. Everything that a refusal promises must be there. */
    static CaseAnswer read(StatusRuntimeException failure) throws BadAnswer {
        Status status = failure.getStatus();
        com.google.rpc.Status written = StatusProto.fromThrowable(failure);
        check(written != null && written.getDetailsCount() > 0, "the status has no details: " + status);
        check(written.getMessage().equals(status.getDescription()), "the details are of another status: " + status);
        ErrorInfo info = detail(written, ErrorInfo.class);
        Refusal.Builder refusal =
                Refusal.newBuilder().setCode(status.getCode().value()).setMessage(written.getMessage());
        switch (status.getCode()) {
            case INVALID_ARGUMENT ->
                detail(written, BadRequest.class)
                        .getFieldViolationsList()
                        .forEach(violation -> refusal.addReasons(Reason.newBuilder()
                                .setCode(reason(violation.getReason()))
                                .setMessage(violation.getDescription())
                                .setField(violation.getField())));
            case FAILED_PRECONDITION -> {
                IllegalMove move = detail(written, IllegalMove.class);
                refusal.addAllReasons(move.getReasonsList());
                if (move.hasMoveIndex()) {
                    refusal.setMoveIndex(move.getMoveIndex());
                }
            }
            default ->
                refusal.addReasons(
                        Reason.newBuilder().setCode(reason(info.getReason())).setMessage(written.getMessage()));
        }
        Optional.ofNullable(info.getMetadataMap().get("unlisted_violations"))
                .ifPresent(count -> refusal.setUnlistedReasons(Integer.parseInt(count)));
        check(info, refusal.build());
        return new CaseAnswer(List.of(refusal.build()));
    }

    /** Reads the answer to an item of {@code EvaluateBatch} or {@code Evaluate}. */
    static CaseAnswer readItem(Case asked, Answer item) throws BadAnswer {
        FieldDescriptor kind =
                item.getOneofFieldDescriptor(Answer.getDescriptor().getOneofs().get(0));
        check(kind != null, "the item has no answer");
        if (item.hasRefusal()) {
            return new CaseAnswer(List.of(item.getRefusal()));
        }
        Message response = (Message) item.getField(kind);
        check(
                response.getDescriptorForType().equals(asked.rpc().response().getDescriptorForType()),
                "the item's answer is a " + kind.getName());
        return read(asked, List.of(response));
    }

    /** Compares this answer with the one that the case wants. */
    Optional<String> differenceTo(Case.Wanted wanted) {
        if (wanted instanceof Case.Messages wantedMessages) {
            return difference(wantedMessages.messages());
        }
        Case.Refused refused = (Case.Refused) wanted;
        Refusal got = messages.size() == 1 && messages.get(0) instanceof Refusal refusal
                ? refusal
                : Refusal.getDefaultInstance();
        // Messages may be any unless the case wants one: those that were answered are taken over.
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

    /** Compares the answer to an item with the one that the same call has had on its own. */
    Optional<String> differenceTo(CaseAnswer alone) {
        if (messages.get(0) instanceof Refusal refusal && refusal.getCode() == Status.Code.INVALID_ARGUMENT.value()) {
            // A google.rpc.BadRequest has no room for the clauses.
            Refusal.Builder without = refusal.toBuilder();
            without.getReasonsBuilderList().forEach(Reason.Builder::clearClause);
            return new CaseAnswer(List.of(without.build())).difference(alone.messages);
        }
        return difference(alone.messages);
    }

    private Optional<String> difference(List<? extends Message> wanted) {
        return messages.equals(wanted)
                ? Optional.empty()
                : Optional.of(Json.diff(Json.write(wanted), Json.write(messages)));
    }

    /** Checks that the {@code google.rpc.ErrorInfo} of a refusal tells its first reason, and that all is in words. */
    private static void check(ErrorInfo info, Refusal refusal) throws BadAnswer {
        check(refusal.getReasonsCount() > 0, "there is no reason");
        Reason first = refusal.getReasons(0);
        check(
                info.getDomain().equals("arbiter.v1")
                        && info.getReason().equals(first.getCode().name()),
                "the google.rpc.ErrorInfo is not that of the first reason: " + info);
        Map<String, String> wanted = Map.of(
                "field", first.getField(),
                "clause", first.getClause(),
                "move_index", refusal.hasMoveIndex() ? Integer.toString(refusal.getMoveIndex()) : "");
        for (Map.Entry<String, String> told : wanted.entrySet()) {
            check(
                    told.getValue().isEmpty()
                            || told.getValue().equals(info.getMetadataMap().get(told.getKey())),
                    told + " should be in the metadata of google.rpc.ErrorInfo");
        }
        boolean worded = refusal.getReasonsList().stream()
                .noneMatch(reason -> reason.getMessage().isEmpty());
        check(worded && !refusal.getMessage().isEmpty(), "a message is empty: " + refusal);
    }

    private static <M extends Message> M detail(com.google.rpc.Status status, Class<M> type) throws BadAnswer {
        for (Any detail : status.getDetailsList()) {
            try {
                if (detail.is(type)) {
                    return detail.unpack(type);
                }
            } catch (InvalidProtocolBufferException error) {
                throw new BadAnswer(type.getSimpleName() + " cannot be read: " + error.getMessage());
            }
        }
        throw new BadAnswer("there is no " + type.getSimpleName());
    }

    private static ErrorReason reason(String name) {
        return Stream.of(ErrorReason.values())
                .filter(reason -> reason.name().equals(name))
                .findFirst()
                .orElse(ErrorReason.ERROR_REASON_UNSPECIFIED);
    }

    private static void check(boolean holds, String otherwise) throws BadAnswer {
        if (!holds) {
            throw new BadAnswer(otherwise);
        }
    }
}
