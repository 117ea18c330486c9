package io.arbiter.client;

/**
 * The request makes no sense, or its state is one that no game can be in: INVALID_ARGUMENT. The reasons are everything
 * that is wrong with it, each by its field.
 */
@SuppressWarnings("serial") // As ArbiterException.
public final class InvalidRequestException extends RefusedException {
    InvalidRequestException(Refused refused) {
        super(refused);
    }
}
