package io.arbiter.client;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.grpc.Metadata;
import io.grpc.protobuf.ProtoUtils;
import java.util.List;
import java.util.Optional;

/** The details of a status ({@code grpc-status-details-bin}). Ignores those that cannot be decoded. */
record Details(List<Any> all) {
    private static final Metadata.Key<com.google.rpc.Status> KEY = Metadata.Key.of(
            "grpc-status-details-bin", ProtoUtils.metadataMarshaller(com.google.rpc.Status.getDefaultInstance()));

    static Details read(Metadata trailers) {
        try {
            com.google.rpc.Status status = trailers == null ? null : trailers.get(KEY);
            return new Details(status == null ? List.of() : status.getDetailsList());
        } catch (IllegalArgumentException invalid) {
            return new Details(List.of());
        }
    }

    <M extends Message> Optional<M> find(Class<M> type) {
        for (Any detail : all) {
            try {
                if (detail.is(type)) {
                    return Optional.of(detail.unpack(type));
                }
            } catch (InvalidProtocolBufferException invalid) {
                // Another detail of this type may be valid.
            }
        }
        return Optional.empty();
    }
}
