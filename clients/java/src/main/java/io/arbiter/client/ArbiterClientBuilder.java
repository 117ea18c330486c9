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

/** How a client connects: begun by {@link ArbiterClient#builder}, ended by {@link #build}. */
public final class ArbiterClientBuilder {
    private static final Duration DEADLINE = Duration.ofSeconds(5);

    // Not RESOURCE_EXHAUSTED: a message that is too large stays too large.
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

    // How large the answers of a batch may be is the service's to decide: 4 MiB, or what it is configured to.
    private static final int MAX_ANSWER_BYTES = 16 << 20;

    private final String target;
    private TlsChannelCredentials.Builder tls;
    private String serverName;
    private Optional<Token> token = Optional.empty();
    private Optional<Duration> deadline = Optional.of(DEADLINE);
    private boolean retries = true;

    ArbiterClientBuilder(String target) {
        this.target = target;
    }

    /** {@return this, with TLS, trusting whom the system trusts} */
    public ArbiterClientBuilder tls() {
        if (tls == null) {
            tls = TlsChannelCredentials.newBuilder();
        }
        return this;
    }

    /**
     * {@return this, with TLS, trusting the certificates of a PEM file and no others}
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
     * {@return this, with mutual TLS: the service is shown a certificate}
     *
     * @param chain the certificate and those between it and its root, a PEM file
     * @param key its private key, a PEM file in the form of PKCS #8 without a password
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

    /** {@return this, with another name for which the certificate of the service must be than the host's, for tests} */
    public ArbiterClientBuilder serverName(String name) {
        serverName = name;
        return this;
    }

    /**
     * {@return this, and every call shows a token, to a service that asks for one} Without TLS it can be read on its
     * way.
     *
     * @throws IllegalArgumentException if no header can hold the token
     */
    public ArbiterClientBuilder token(String token) {
        Token.check(token);
        return token(() -> token);
    }

    /**
     * {@return this, and every call shows the token that is present then} So a token that is renewed needs no new
     * client.
     *
     * @param present asked at each call, before the time of the call begins. What it throws, the call throws; if no
     *     header can hold the token, that is an {@link IllegalArgumentException}
     */
    public ArbiterClientBuilder token(Supplier<String> present) {
        token = Optional.of(new Token(present));
        return this;
    }

    /** {@return this, with another deadline for each call than 5 seconds} {@link EvaluateStream}s have their own. */
    public ArbiterClientBuilder deadline(Duration deadline) {
        this.deadline = Optional.of(ArbiterClient.positive(deadline));
        return this;
    }

    /** {@return this, without deadlines} */
    public ArbiterClientBuilder noDeadline() {
        deadline = Optional.empty();
        return this;
    }

    /** {@return this, and a call is made once, even if the service is unavailable} */
    public ArbiterClientBuilder noRetries() {
        retries = false;
        return this;
    }

    /**
     * {@return the client} It connects with its first call.
     *
     * @throws IllegalArgumentException if the target is none, or the certificates or the key cannot be understood
     */
    public ArbiterClient build() {
        ChannelCredentials credentials = tls == null ? InsecureChannelCredentials.create() : tls.build();
        ManagedChannelBuilder<?> channel =
                Grpc.newChannelBuilder(target, credentials).maxInboundMessageSize(MAX_ANSWER_BYTES);
        if (serverName != null) {
            channel.overrideAuthority(serverName);
        }
        if (retries) {
            channel.enableRetry().defaultServiceConfig(WITH_RETRIES);
        } else {
            channel.disableRetry();
        }
        return new ArbiterClient(channel.build(), deadline, token);
    }
}
