package io.arbiter.client;

import io.arbiter.v1.Call;
import io.arbiter.v1.EvaluateRequest;
import io.arbiter.v1.EvaluateResponse;
import io.arbiter.v1.RulesServiceGrpc;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ClientResponseObserver;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Queue;
import java.util.function.BooleanSupplier;

/**
 * A stream of calls and, in the same order, of their answers. Calls may be sent and answers taken in turn or all at
 * once, by one thread or by several: answers that nobody has taken yet are kept here, and hold up nothing.
 *
 * <p>A service ends the stream when it goes down, and with its connection, after half an hour by default: that is an
 * {@link UnreachableException}. Open a new stream then.
 */
public final class EvaluateStream implements Iterator<Reply>, AutoCloseable {
    private final Queue<Reply> replies = new ArrayDeque<>();
    private final ClientCallStreamObserver<EvaluateRequest> calls;
    private boolean finished;
    private boolean ended;
    private Throwable failure;

    EvaluateStream(Channel channel, CallOptions options) {
        calls = (ClientCallStreamObserver<EvaluateRequest>) ClientCalls.asyncBidiStreamingCall(
                channel.newCall(RulesServiceGrpc.getEvaluateMethod(), options), new Answers());
    }

    /**
     * Sends a call. Waits while the connection takes no more.
     *
     * @throws ArbiterException if the stream has failed
     * @throws IllegalStateException if the stream is finished
     */
    public synchronized void send(Call call) {
        await(() -> ended || finished || calls.isReady());
        if (failure != null) {
            throw Failures.read(failure);
        }
        if (ended || finished) {
            throw new IllegalStateException("the stream is finished");
        }
        calls.onNext(EvaluateRequest.newBuilder().setCall(call).build());
    }

    /** Says that no further call will be sent. The answers that are still to come can be taken. */
    public synchronized void finish() {
        if (!finished && !ended) {
            calls.onCompleted();
        }
        finished = true;
        notifyAll();
    }

    /**
     * {@return whether there is a further answer} Waits for it, or for the end of the stream: so either a call must be
     * unanswered, or the stream {@linkplain #finish finished}.
     *
     * @throws ArbiterException if the stream has failed and all answers that came before are taken
     */
    @Override
    public synchronized boolean hasNext() {
        await(() -> ended || !replies.isEmpty());
        if (replies.isEmpty() && failure != null) {
            throw Failures.read(failure);
        }
        return !replies.isEmpty();
    }

    /**
     * {@return the answer to the next call} Waits for it.
     *
     * @throws ArbiterException if the stream has failed and all answers that came before are taken
     */
    @Override
    public synchronized Reply next() {
        if (!hasNext()) {
            throw new NoSuchElementException("the stream has ended");
        }
        return replies.remove();
    }

    /** Ends the stream, whether it is finished or not. */
    @Override
    public synchronized void close() {
        finished = true;
        calls.cancel("the stream was closed", null);
        notifyAll();
    }

    private void await(BooleanSupplier condition) {
        try {
            while (!condition.getAsBoolean()) {
                wait();
            }
        } catch (InterruptedException interruption) {
            Thread.currentThread().interrupt();
            throw new ArbiterException(Status.Code.CANCELLED, "interrupted", List.of(), interruption);
        }
    }

    private synchronized void add(Reply reply) {
        replies.add(reply);
        notifyAll();
    }

    private synchronized void end(Throwable why) {
        ended = true;
        failure = why;
        notifyAll();
    }

    private synchronized void wake() {
        notifyAll();
    }

    private final class Answers implements ClientResponseObserver<EvaluateRequest, EvaluateResponse> {
        @Override
        public void beforeStart(ClientCallStreamObserver<EvaluateRequest> calls) {
            calls.setOnReadyHandler(EvaluateStream.this::wake);
        }

        @Override
        public void onNext(EvaluateResponse response) {
            add(new Reply(response.getAnswer()));
        }

        @Override
        public void onError(Throwable error) {
            end(error);
        }

        @Override
        public void onCompleted() {
            end(null);
        }
    }
}
