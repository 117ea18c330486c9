package io.arbiter.client;

import io.arbiter.v1.Answer;
import java.util.Optional;

/**
 * The answer to one of many calls: a response or, as a value and not thrown, a refusal.
 *
 * @param answer the answer as the service gave it
 */
public record Reply(Answer answer) {
    /** {@return why the call was refused; empty if it was not} */
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
