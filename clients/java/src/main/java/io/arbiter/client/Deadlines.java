package io.arbiter.client;

import io.arbiter.v1.RulesServiceGrpc;
import io.grpc.MethodDescriptor;
import java.time.Duration;
import java.util.Optional;

/** The deadlines of unary calls. Empty: no deadline. */
record Deadlines(Optional<Duration> suggestMove, Optional<Duration> others) {
    /** A search may take as long as the service's own default limit. */
    static final Deadlines DEFAULT =
            new Deadlines(Optional.of(Duration.ofSeconds(10)), Optional.of(Duration.ofSeconds(5)));

    static final Deadlines NONE = new Deadlines(Optional.empty(), Optional.empty());

    /** The same deadline for every call. */
    static Deadlines of(Duration deadline) {
        Optional<Duration> every = Optional.of(positive(deadline));
        return new Deadlines(every, every);
    }

    Optional<Duration> of(MethodDescriptor<?, ?> method) {
        return method.equals(RulesServiceGrpc.getSuggestMoveMethod()) ? suggestMove : others;
    }

    static Duration positive(Duration deadline) {
        if (deadline.isNegative() || deadline.isZero()) {
            throw new IllegalArgumentException("a deadline must be positive, not " + deadline);
        }
        return deadline;
    }
}
