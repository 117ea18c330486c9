package io.arbiter.client;

import io.grpc.ClientInterceptor;
import io.grpc.Metadata;
import io.grpc.stub.MetadataUtils;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/** The token of a client. Not a record, because the {@code toString} of a record would print it. */
final class Token {
    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
    private static final Pattern VISIBLE = Pattern.compile("[!-~]+");

    private final Supplier<String> current;

    Token(Supplier<String> current) {
        this.current = current;
    }

    /** Returns the token if it is a valid header value. The exception does not contain it: errors end up in logs. */
    static String check(String token) {
        if (!VISIBLE.matcher(token).matches()) {
            throw new IllegalArgumentException(
                    "a token is one or more visible ASCII characters, without spaces and line breaks");
        }
        return token;
    }

    /** Adds the current token to the headers of a call. */
    ClientInterceptor interceptor() {
        Metadata headers = new Metadata();
        headers.put(AUTHORIZATION, "Bearer " + check(current.get()));
        return MetadataUtils.newAttachHeadersInterceptor(headers);
    }
}
