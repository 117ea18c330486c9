/**
 * A client of Arbiter, the gRPC referee for board and card games. {@link io.arbiter.client.ArbiterClient} makes the
 * calls of {@link io.arbiter.client.Referee}. A failed call throws an {@link io.arbiter.client.ArbiterException}.
 *
 * <p>Requests and responses are the messages of the contract, in {@code io.arbiter.v1}. They are immutable, and
 * compared by content. Pass the state of a response to the next call.
 */
package io.arbiter.client;
