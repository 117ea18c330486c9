package io.arbiter.client;

import io.grpc.ClientInterceptor;
import io.grpc.Metadata;
import io.grpc.stub.MetadataUtils;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/** The token of a client: asked for at each call. No record, as that would print it. */
final class Token {
    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
    private static final Pattern VISIBLE = Pattern.compile("[!-~]+");

    private final Supplier<String> present;

    Token(Supplier<String> present) {
        this.present = present;
    }

    /** Gives back a token that a header can hold. The failure does not repeat it: failures are written to logs. */
    static String check(String token) {
        if (!VISIBLE.matcher(token).matches()) {
            throw new IllegalArgumentException(
                    "a token is one or more visible ASCII characters, without spaces and line breaks");
        }
        return token;
    }

    /** What makes a call show the present token. */
    ClientInterceptor show() {
        Metadata headers = new Metadata();
        headers.put(AUTHORIZATION, "Bearer " + check(present.get()));
        return MetadataUtils.newAttachHeadersInterceptor(headers);
    }
}
