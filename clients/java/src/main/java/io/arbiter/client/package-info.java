/**
 * A client of Arbiter, the referee over gRPC: {@link io.arbiter.client.ArbiterClient} makes the calls of
 * {@link io.arbiter.client.Referee}, and every call that fails is an {@link io.arbiter.client.ArbiterException}.
 *
 * <p>The messages that are sent and answered are those of the contract, in {@code io.arbiter.v1}. They are values: they
 * never change, are compared by their content, and the state of an answer is handed to the next call as it is.
 */
package io.arbiter.client;
