package io.arbiter.client;

import java.util.List;
import java.util.Map;

/**
 * The service refuses the call, and says why. {@link InvalidRequestException} and {@link IllegalMoveException} are the
 * two kinds that a game meets; others are those of a service that is asked for too much, or for what it does not have.
 *
 * <p>Thrown by a call of its own; a value in the {@link Reply} to an item of many.
 */
@SuppressWarnings("serial") // As ArbiterException.
public class RefusedException extends ArbiterException {
    private final transient Refused refused;

    RefusedException(Refused refused) {
        super(refused.code(), refused.message(), refused.details(), refused.cause());
        this.refused = refused;
    }

    /** {@return the first reason in code: the code of the first of {@link #reasons()}} */
    public String reason() {
        return refused.reasons().get(0).code();
    }

    /** {@return every reason, at least one} */
    public List<Reason> reasons() {
        return refused.reasons();
    }

    /** {@return how many further reasons there are that {@link #reasons()} has no room for, mostly 0} */
    public int unlisted() {
        return refused.unlisted();
    }

    /** {@return the metadata of the status's {@code google.rpc.ErrorInfo}; empty if this is of an item of many} */
    public Map<String, String> metadata() {
        return refused.metadata();
    }

    Refused refused() {
        return refused;
    }

    /**
     * One reason of a refusal.
     *
     * @param code the name of the {@link io.arbiter.v1.ErrorReason}, also if this client does not know it yet (where
     *     only its number came, that number)
     * @param message the reason in words, for people
     * @param field the field of the request it is about, such as {@code move.connect_four.column}; empty if about none
     * @param clause the clause of the rules that says so, such as {@code C4-2}; empty if the service tells none
     */
    public record Reason(String code, String message, String field, String clause) {}
}
