package io.arbiter.client.cases;

import com.google.protobuf.Message;
import io.arbiter.v1.Call;
import io.arbiter.v1.RulesServiceGrpc;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.PrototypeMarshaller;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/** A method of the service, with an empty request and an empty response. */
record Rpc(MethodDescriptor<Message, Message> method, Message request, Message response) {
    /** The timeout of a call. */
    private static final int TIMEOUT_SECONDS = 30;

    static Rpc find(String name) throws InvalidCase {
        for (MethodDescriptor<?, ?> method :
                RulesServiceGrpc.getServiceDescriptor().getMethods()) {
            if (name.equals(method.getBareMethodName())) {
                return of(method);
            }
        }
        throw new InvalidCase("there is no call \"" + name + "\"");
    }

    @SuppressWarnings("unchecked") // All requests and responses are messages.
    private static Rpc of(MethodDescriptor<?, ?> method) {
        MethodDescriptor<Message, Message> known = (MethodDescriptor<Message, Message>) method;
        return new Rpc(known, prototype(known.getRequestMarshaller()), prototype(known.getResponseMarshaller()));
    }

    private static Message prototype(MethodDescriptor.Marshaller<Message> marshaller) {
        return ((PrototypeMarshaller<Message>) marshaller).getMessagePrototype();
    }

    boolean isStream() {
        return method.getType() == MethodDescriptor.MethodType.BIDI_STREAMING;
    }

    /**
     * Sends the requests, and returns all responses. A call that is not a stream has one of each.
     *
     * @throws StatusRuntimeException if it is refused
     */
    List<Message> call(Channel channel, List<Message> requests) {
        CallOptions options = CallOptions.DEFAULT.withDeadlineAfter(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        if (!isStream()) {
            return List.of(ClientCalls.blockingUnaryCall(channel, method, options, requests.get(0)));
        }
        ClientCall<Message, Message> call = channel.newCall(method, options);
        Answers answers = new Answers();
        StreamObserver<Message> stream = ClientCalls.asyncBidiStreamingCall(call, answers);
        requests.forEach(stream::onNext);
        stream.onCompleted();
        try {
            return answers.all.join();
        } catch (CompletionException failure) {
            throw (StatusRuntimeException) failure.getCause();
        }
    }

    /** The request of this call as an {@code arbiter.v1.Call}, if it can be one. */
    Optional<Call> toCall(Message request) {
        return Call.getDescriptor().getFields().stream()
                .filter(field -> field.getMessageType().equals(request.getDescriptorForType()))
                .findFirst()
                .map(field -> Call.newBuilder().setField(field, request).build());
    }

    private static final class Answers implements StreamObserver<Message> {
        private final CompletableFuture<List<Message>> all = new CompletableFuture<>();
        private final List<Message> messages = new ArrayList<>();

        @Override
        public void onNext(Message message) {
            messages.add(message);
        }

        @Override
        public void onError(Throwable error) {
            all.completeExceptionally(error);
        }

        @Override
        public void onCompleted() {
            all.complete(messages);
        }
    }
}
