package io.arbiter.client;

import com.google.protobuf.Any;
import io.grpc.Status;
import java.util.List;

/**
 * A failed call, with a gRPC status code and a message for people. The subclasses are:
 *
 * <ul>
 *   <li>{@link RefusedException}: the service refused the call;
 *   <li>{@link UnreachableException}: the service could not be reached;
 *   <li>{@link DeadlineExceededException}: the deadline was exceeded.
 * </ul>
 */
@SuppressWarnings("serial") // The details are not serializable.
public class ArbiterException extends RuntimeException {
    private final Status.Code code;
    private final List<Any> details;

    ArbiterException(Status.Code code, String message, List<Any> details, Throwable cause) {
        super(message, cause);
        this.code = code;
        this.details = List.copyOf(details);
    }

    /** {@return the gRPC status code} */
    public Status.Code code() {
        return code;
    }

    /**
     * {@return the details of the status, unchanged} {@link RefusedException} has the content of those that this client
     * knows; a newer service may send others.
     */
    public List<Any> details() {
        return details;
    }
}
