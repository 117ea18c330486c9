package io.arbiter.client;

/**
 * The request is malformed, its state is impossible, or the response depends on cards that a view hides:
 * INVALID_ARGUMENT. The reasons are every violation, each with its field.
 */
@SuppressWarnings("serial") // As ArbiterException.
public final class InvalidRequestException extends RefusedException {
    InvalidRequestException(Refused refused) {
        super(refused);
    }
}
