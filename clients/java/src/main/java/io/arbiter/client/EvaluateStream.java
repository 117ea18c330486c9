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
 * A stream of calls and their answers, in order. Thread-safe. The stream buffers answers without a limit, so all calls
 * can be sent before answers are read.
 *
 * <p>The service ends the stream when it shuts down, and when it closes the connection, after half an hour by default:
 * that is an {@link UnreachableException}. Open a new stream then.
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
     * Sends a call. Waits while the connection applies backpressure.
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

    /** Ends the calls of the stream. Answers can still be received. */
    public synchronized void finish() {
        if (!finished && !ended) {
            calls.onCompleted();
        }
        finished = true;
        notifyAll();
    }

    /**
     * {@return whether there is another answer} Waits for it, or for the end of the stream. It waits forever if all
     * calls are answered and the stream is not {@linkplain #finish finished}.
     *
     * @throws ArbiterException if the stream has failed, after the answers before
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
     * @throws ArbiterException if the stream has failed, after the answers before
     */
    @Override
    public synchronized Reply next() {
        if (!hasNext()) {
            throw new NoSuchElementException("the stream has ended");
        }
        return replies.remove();
    }

    /** Cancels the stream, if it has not ended. */
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

    private synchronized void end(Throwable cause) {
        ended = true;
        failure = cause;
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
