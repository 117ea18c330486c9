package io.arbiter.client;

import com.google.protobuf.Any;
import io.grpc.Status;
import java.util.List;

/**
 * A call that failed. Its message is for people. What kind of failure it is:
 *
 * <ul>
 *   <li>{@link RefusedException}: the service has answered, and refuses the call;
 *   <li>{@link UnreachableException}: the service could not be reached;
 *   <li>{@link DeadlineExceededException}: there was no answer in time;
 *   <li>none of these: anything else, by its {@link #code()}.
 * </ul>
 */
@SuppressWarnings("serial") // Not meant to be serialised: the details are not.
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
     * {@return the details of the status, just as they came} Everything in them that this client knows is easier to
     * have from {@link RefusedException}; a newer service may send others.
     */
    public List<Any> details() {
        return details;
    }
}
