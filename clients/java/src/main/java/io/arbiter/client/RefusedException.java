package io.arbiter.client;

import java.util.List;
import java.util.Map;

/**
 * The service refused the call. Invalid requests and illegal moves have their own subclasses,
 * {@link InvalidRequestException} and {@link IllegalMoveException}.
 *
 * <p>Thrown by a single call; a value in the {@link Reply} of a batch or a stream.
 */
@SuppressWarnings("serial") // As ArbiterException.
public class RefusedException extends ArbiterException {
    private final transient Refused refused;

    RefusedException(Refused refused) {
        super(refused.code(), refused.message(), refused.details(), refused.cause());
        this.refused = refused;
    }

    /** {@return the name of the first reason, even if this client is older than the reason} */
    public String reason() {
        return refused.reasons().get(0).code();
    }

    /** {@return every reason, except those that {@link #unlisted()} counts; never empty} */
    public List<Reason> reasons() {
        return refused.reasons();
    }

    /** {@return how many further reasons are not listed} */
    public int unlisted() {
        return refused.unlisted();
    }

    /** {@return the metadata of {@code google.rpc.ErrorInfo}; empty in an answer of a batch or a stream} */
    public Map<String, String> metadata() {
        return refused.metadata();
    }

    Refused refused() {
        return refused;
    }

    /**
     * One reason of a refusal.
     *
     * @param code the name of the {@link io.arbiter.v1.ErrorReason}; a number if this client is older than the reason
     * @param message the reason in words; the wording may change between versions of the service
     * @param field the field of the request it is about, such as {@code move.connect_four.column}; empty when it is
     *     about no field
     * @param clause the clause of the rules that says so, such as {@code C4-2}; empty when no rule is concerned, or in
     *     an invalid request
     */
    public record Reason(String code, String message, String field, String clause) {}
}
