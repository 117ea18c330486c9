package io.arbiter.client;

import com.google.protobuf.Any;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import io.arbiter.client.RefusedException.Reason;
import io.arbiter.v1.ErrorReason;
import io.arbiter.v1.IllegalMove;
import io.arbiter.v1.Refusal;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/** The content of a refusal, read from a status with its details or from an item of a batch or a stream. */
record Refused(
        Status.Code code,
        String message,
        List<Reason> reasons,
        OptionalInt moveIndex,
        int unlisted,
        Map<String, String> metadata,
        List<Any> details,
        Throwable cause) {

    private static final String UNLISTED = "unlisted_violations";

    /** Reads the details of a status. Uses the {@code ErrorInfo} for what is missing in them. */
    static Refused of(Status status, ErrorInfo info, Details details, Throwable cause) {
        List<Reason> reasons = new ArrayList<>();
        details.find(BadRequest.class)
                .ifPresent(request -> request.getFieldViolationsList()
                        .forEach(violation -> reasons.add(new Reason(
                                violation.getReason(), violation.getDescription(), violation.getField(), ""))));
        IllegalMove illegal = details.find(IllegalMove.class).orElse(IllegalMove.getDefaultInstance());
        illegal.getReasonsList().forEach(reason -> reasons.add(read(reason)));

        Map<String, String> metadata = info.getMetadataMap();
        String message = status.getDescription() == null ? "" : status.getDescription();
        Reason first = reasons.isEmpty()
                ? new Reason("", message, metadata.getOrDefault("field", ""), metadata.getOrDefault("clause", ""))
                : reasons.remove(0);
        // Only the ErrorInfo has the name of a reason with an unknown number.
        reasons.add(0, new Reason(info.getReason(), first.message(), first.field(), first.clause()));
        return new Refused(
                status.getCode(),
                message,
                List.copyOf(reasons),
                illegal.hasMoveIndex() ? OptionalInt.of(illegal.getMoveIndex()) : OptionalInt.empty(),
                count(metadata.getOrDefault(UNLISTED, "")),
                metadata,
                details.all(),
                cause);
    }

    /** Reads the refusal of an item of a batch or a stream. */
    static Refused of(Refusal refusal) {
        List<Reason> reasons =
                refusal.getReasonsList().stream().map(Refused::read).toList();
        return new Refused(
                Status.fromCodeValue(refusal.getCode()).getCode(),
                refusal.getMessage(),
                reasons.isEmpty() ? List.of(new Reason("", refusal.getMessage(), "", "")) : reasons,
                refusal.hasMoveIndex() ? OptionalInt.of(refusal.getMoveIndex()) : OptionalInt.empty(),
                refusal.getUnlistedReasons(),
                Map.of(),
                List.of(),
                null);
    }

    RefusedException toException() {
        return switch (code) {
            case INVALID_ARGUMENT -> new InvalidRequestException(this);
            case FAILED_PRECONDITION -> new IllegalMoveException(this);
            default -> new RefusedException(this);
        };
    }

    private static Reason read(io.arbiter.v1.Reason reason) {
        ErrorReason known = reason.getCode();
        String code = known == ErrorReason.UNRECOGNIZED ? Integer.toString(reason.getCodeValue()) : known.name();
        return new Reason(code, reason.getMessage(), reason.getField(), reason.getClause());
    }

    private static int count(String number) {
        return number.matches("\\d{1,9}") ? Integer.parseInt(number) : 0;
    }
}
