package io.arbiter.client;

import com.google.protobuf.Any;
import io.grpc.Status;
import java.util.List;

/** The deadline was exceeded: DEADLINE_EXCEEDED. */
@SuppressWarnings("serial") // As ArbiterException.
public final class DeadlineExceededException extends ArbiterException {
    DeadlineExceededException(String message, List<Any> details, Throwable cause) {
        super(Status.Code.DEADLINE_EXCEEDED, message, details, cause);
    }
}
