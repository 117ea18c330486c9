package io.arbiter.client;

/**
 * The request is malformed, its state is impossible, or it asks about a view and the answer depends on hidden cards:
 * INVALID_ARGUMENT. The reasons are every violation, each with its field.
 */
@SuppressWarnings("serial") // As ArbiterException.
public final class InvalidRequestException extends RefusedException {
    InvalidRequestException(Refused refused) {
        super(refused);
    }
}
