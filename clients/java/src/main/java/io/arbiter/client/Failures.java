package io.arbiter.client;

import com.google.rpc.ErrorInfo;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Turns the failures of gRPC into those of this client: the one place where that is done. */
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

    /** What a status says, with its causes: of a connection's troubles gRPC itself says only "io exception". */
    private static String message(Status status) {
        String description = status.getDescription() == null ? status.getCode().name() : status.getDescription();
        List<String> parts = new ArrayList<>();
        // Where there is a cause, further lines are about the inside of the connection.
        parts.add(
                status.getCause() == null
                        ? description
                        : description.lines().findFirst().orElse(""));
        for (Throwable cause = status.getCause(); cause != null; cause = cause.getCause()) {
            String said = cause.getMessage();
            if (said != null && parts.stream().noneMatch(part -> part.contains(said))) {
                parts.add(said);
            }
        }
        return String.join(": ", parts);
    }
}
