package io.arbiter.client;

import com.google.protobuf.Any;
import io.grpc.Status;
import java.util.List;

/**
 * The service could not be reached, is shutting down, or TLS failed: UNAVAILABLE. The message has the cause. A later
 * retry may succeed.
 */
@SuppressWarnings("serial") // As ArbiterException.
public final class UnreachableException extends ArbiterException {
    UnreachableException(String message, List<Any> details, Throwable cause) {
        super(Status.Code.UNAVAILABLE, message, details, cause);
    }
}
