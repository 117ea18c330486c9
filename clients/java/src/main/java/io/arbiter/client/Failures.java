package io.arbiter.client;

import com.google.rpc.ErrorInfo;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Converts gRPC errors to exceptions of this client. */
final class Failures {
    private static final String DOMAIN = "arbiter.v1";

    private Failures() {}

    static ArbiterException read(Throwable failure) {
        Status status = Status.fromThrowable(failure);
        Details details = Details.read(Status.trailersFromThrowable(failure));
        Optional<ErrorInfo> info =
                details.find(ErrorInfo.class).filter(found -> found.getDomain().equals(DOMAIN));
        return switch (status.getCode()) {
            case UNAVAILABLE -> new UnreachableException(message(status), details.all(), failure);
            case DEADLINE_EXCEEDED -> new DeadlineExceededException(message(status), details.all(), failure);
            default ->
                info.isPresent()
                        ? Refused.of(status, info.get(), details, failure).toException()
                        : new ArbiterException(status.getCode(), message(status), details.all(), failure);
        };
    }

    /** The message of a status, with its causes: for a connection error, gRPC's own message is only "io exception". */
    private static String message(Status status) {
        String description = status.getDescription() == null ? status.getCode().name() : status.getDescription();
        List<String> parts = new ArrayList<>();
        // If there is a cause, the other lines are internals of the connection.
        parts.add(
                status.getCause() == null
                        ? description
                        : description.lines().findFirst().orElse(""));
        for (Throwable cause = status.getCause(); cause != null; cause = cause.getCause()) {
            String message = cause.getMessage();
            if (message != null && parts.stream().noneMatch(part -> part.contains(message))) {
                parts.add(message);
            }
        }
        return String.join(": ", parts);
    }
}
