package io.arbiter.client.cases;

import com.google.protobuf.Message;
import io.arbiter.v1.Reason;
import io.grpc.Status;
import java.util.List;
import java.util.Optional;

/**
 * One request and its expected answer.
 *
 * @param name the file and the name of the case
 * @param rpc the call
 * @param request the messages to send: one, unless the call is a stream
 * @param ignored the fields of the response that must be present with any value
 * @param expected the expected answer
 */
record Case(String name, Rpc rpc, List<Message> request, List<FieldPath> ignored, Expected expected) {
    Case in(String file) {
        return new Case(file + ": " + name, rpc, request, ignored, expected);
    }

    /** An expected answer. */
    sealed interface Expected {}

    /** The call succeeds with these messages: one, unless the call is a stream. */
    record Messages(List<Message> messages) implements Expected {}

    /** The call is refused. If the message of a reason is empty, any message is accepted. */
    record Refused(Status.Code code, List<Reason> reasons, Optional<Integer> moveIndex) implements Expected {}
}
