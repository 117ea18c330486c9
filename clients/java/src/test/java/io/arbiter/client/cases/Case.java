package io.arbiter.client.cases;

import com.google.protobuf.Message;
import io.arbiter.v1.Reason;
import io.grpc.Status;
import java.util.List;
import java.util.Optional;

/**
 * One request, and the answer that is wanted.
 *
 * @param name the file and what the case shows
 * @param rpc the call
 * @param request the messages to send: one, unless the call is a stream
 * @param ignored the fields of the answer that must be there with whatever value
 * @param wanted the answer that is wanted
 */
record Case(String name, Rpc rpc, List<Message> request, List<FieldPath> ignored, Wanted wanted) {
    Case in(String file) {
        return new Case(file + ": " + name, rpc, request, ignored, wanted);
    }

    /** The answer that is wanted. */
    sealed interface Wanted {}

    /** The call succeeds with these messages: one, unless the call is a stream. */
    record Messages(List<Message> messages) implements Wanted {}

    /** The call is refused. A reason whose message is empty may have any. */
    record Refused(Status.Code code, List<Reason> reasons, Optional<Integer> moveIndex) implements Wanted {}
}
