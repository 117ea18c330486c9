package io.arbiter.client;

import static java.util.Map.entry;

import io.grpc.ChannelCredentials;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannelBuilder;
import io.grpc.TlsChannelCredentials;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** Builds a client. Created by {@link ArbiterClient#builder}. */
public final class ArbiterClientBuilder {
    // No call has side effects, so every call may be retried. RESOURCE_EXHAUSTED is not retried: it is also the status
    // of a message that is too large.
    private static final Map<String, ?> RETRY_POLICY = Map.ofEntries(
            entry("maxAttempts", 4.0),
            entry("initialBackoff", "0.1s"),
            entry("maxBackoff", "1s"),
            entry("backoffMultiplier", 2.0),
            entry("retryableStatusCodes", List.of("UNAVAILABLE")));

    private static final Map<String, ?> WITH_RETRIES = Map.of(
            "methodConfig",
            List.of(Map.of(
                    "name", List.of(Map.of("service", "arbiter.v1.RulesService")), "retryPolicy", RETRY_POLICY)));

    // The service limits the size of a batch's response: by default to 4 MiB, which is also gRPC's default limit.
    private static final int MAX_RESPONSE_BYTES = 16 << 20;

    private final String target;
    private TlsChannelCredentials.Builder tls;
    private String serverName;
    private Optional<Token> token = Optional.empty();
    private Deadlines deadlines = Deadlines.DEFAULT;
    private boolean retries = true;

    ArbiterClientBuilder(String target) {
        this.target = target;
    }

    /** {@return this, with TLS, which trusts the root certificates of the system} */
    public ArbiterClientBuilder tls() {
        if (tls == null) {
            tls = TlsChannelCredentials.newBuilder();
        }
        return this;
    }

    /**
     * {@return this, with TLS, which trusts only the root certificates of a PEM file}
     *
     * @throws UncheckedIOException if the file cannot be read
     */
    public ArbiterClientBuilder roots(Path pem) {
        tls();
        try {
            tls.trustManager(pem.toFile());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        return this;
    }

    /**
     * {@return this, with mutual TLS}
     *
     * @param chain the certificate chain of the client, a PEM file
     * @param key its private key, a PEM file with PKCS #8 and without a password
     * @throws UncheckedIOException if a file cannot be read
     */
    public ArbiterClientBuilder clientCertificate(Path chain, Path key) {
        tls();
        try {
            tls.keyManager(chain.toFile(), key.toFile());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        return this;
    }

    /** {@return this, with the expected name in the certificate of the service, instead of the host of the target} */
    public ArbiterClientBuilder serverName(String name) {
        serverName = name;
        return this;
    }

    /**
     * {@return this, with a bearer token for every call} Without TLS it is sent in plaintext.
     *
     * @throws IllegalArgumentException if the token is not a valid header value
     */
    public ArbiterClientBuilder token(String token) {
        Token.check(token);
        return token(() -> token);
    }

    /**
     * {@return this, with a bearer token that can change} A rotated token needs no new client.
     *
     * @param current returns the current token. It is called for every call, before the deadline starts. If it throws,
     *     the call throws the same exception; if the token is not a valid header value, the call throws an
     *     {@link IllegalArgumentException}
     */
    public ArbiterClientBuilder token(Supplier<String> current) {
        token = Optional.of(new Token(current));
        return this;
    }

    /**
     * {@return this, with a deadline for each call} Default: 10 seconds for {@link Referee#suggestMove}, and 5
     * seconds for other calls. Not for {@link EvaluateStream}.
     */
    public ArbiterClientBuilder deadline(Duration deadline) {
        deadlines = Deadlines.of(deadline);
        return this;
    }

    /** {@return this, without deadlines} */
    public ArbiterClientBuilder noDeadline() {
        deadlines = Deadlines.NONE;
        return this;
    }

    /** {@return this, without retries} By default a call that fails with UNAVAILABLE is tried up to four times. */
    public ArbiterClientBuilder noRetries() {
        retries = false;
        return this;
    }

    /**
     * {@return the client} The first call opens the connection.
     *
     * @throws IllegalArgumentException if the target, a certificate or the key is invalid
     */
    public ArbiterClient build() {
        ChannelCredentials credentials = tls == null ? InsecureChannelCredentials.create() : tls.build();
        ManagedChannelBuilder<?> channel =
                Grpc.newChannelBuilder(target, credentials).maxInboundMessageSize(MAX_RESPONSE_BYTES);
        if (serverName != null) {
            channel.overrideAuthority(serverName);
        }
        if (retries) {
            channel.enableRetry().defaultServiceConfig(WITH_RETRIES);
        } else {
            channel.disableRetry();
        }
        return new ArbiterClient(channel.build(), deadlines, token);
    }
}
