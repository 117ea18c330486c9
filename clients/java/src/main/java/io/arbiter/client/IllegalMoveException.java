package io.arbiter.client;

import java.util.OptionalInt;

/** The rules forbid the move: FAILED_PRECONDITION. The reasons are those of {@code ValidateMove}. */
@SuppressWarnings("serial") // As ArbiterException.
public final class IllegalMoveException extends RefusedException {
    IllegalMoveException(Refused refused) {
        super(refused);
    }

    /** {@return the index of the move in a replay, from 0; empty for other calls} */
    public OptionalInt moveIndex() {
        return refused().moveIndex();
    }
}
