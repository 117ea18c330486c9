package io.arbiter.client;

import com.google.protobuf.Any;
import io.grpc.Status;
import java.util.List;

/**
 * The service could not be reached, or is going down: UNAVAILABLE. A failure of TLS is one too; the message has its
 * cause. Trying again later may help.
 */
@SuppressWarnings("serial") // As ArbiterException.
public final class UnreachableException extends ArbiterException {
    UnreachableException(String message, List<Any> details, Throwable cause) {
        super(Status.Code.UNAVAILABLE, message, details, cause);
    }
}
