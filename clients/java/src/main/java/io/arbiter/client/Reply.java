package io.arbiter.client;

import io.arbiter.v1.Answer;
import java.util.Optional;

/**
 * The answer to one call of a batch or a stream: its response, or the refusal as a value.
 *
 * @param answer the message of the service
 */
public record Reply(Answer answer) {
    /** {@return the refusal; empty if the call was not refused} */
    public Optional<RefusedException> refusal() {
        return answer.hasRefusal() ? Optional.of(Refused.of(answer.getRefusal()).toException()) : Optional.empty();
    }

    /**
     * {@return the answer, which is a response}
     *
     * @throws RefusedException if the call was refused
     */
    public Answer orThrow() {
        refusal().ifPresent(refusal -> {
            throw refusal;
        });
        return answer;
    }
}
