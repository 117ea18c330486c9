package io.arbiter.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.arbiter.client.support.ArbiterServer;
import io.arbiter.client.support.Identity;
import io.arbiter.client.support.TlsProxy;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** TLS and mutual TLS, in front of the real server. */
class TlsTest {
    @AutoClose
    private static final ArbiterServer SERVER = ArbiterServer.start();

    @TempDir
    private static Path folder;

    private static Identity server;
    private static Identity stranger;

    @AutoClose
    private static TlsProxy proxy;

    @BeforeAll
    static void makeCertificates() throws Exception {
        server = Identity.make(folder, "server");
        stranger = Identity.make(folder, "stranger");
        proxy = TlsProxy.start(SERVER.port(), server, null);
    }

    private static void assertAnswers(ArbiterClientBuilder builder) {
        try (ArbiterClient arbiter = builder.build()) {
            assertEquals(4, arbiter.listGames().getGamesCount());
        }
    }

    private static String failureOf(ArbiterClientBuilder builder) {
        try (ArbiterClient arbiter = builder.build()) {
            return assertThrows(UnreachableException.class, arbiter::listGames).getMessage();
        }
    }

    private static void assertTells(String what, String message) {
        assertTrue(message.contains(what), message);
    }

    @Test
    void theRightRootWorks() {
        assertAnswers(ArbiterClient.builder(proxy.target()).roots(server.certificatePem()));
    }

    @Test
    void aWrongRootIsNamed() {
        String path = "unable to find valid certification path";
        assertTells(path, failureOf(ArbiterClient.builder(proxy.target()).roots(stranger.certificatePem())));
        assertTells(path, failureOf(ArbiterClient.builder(proxy.target()).tls()));
    }

    @Test
    void aWrongNameIsNamed() {
        ArbiterClientBuilder byAddress =
                ArbiterClient.builder("127.0.0.1:" + proxy.port()).roots(server.certificatePem());
        assertTells("No subject alternative names", failureOf(byAddress));
        assertAnswers(byAddress.serverName("localhost"));
    }

    @Test
    void mutualTlsWantsTheRightCertificate() throws Exception {
        Identity client = Identity.make(folder, "client");
        try (TlsProxy mutual = TlsProxy.start(SERVER.port(), server, client)) {
            ArbiterClientBuilder builder =
                    ArbiterClient.builder(mutual.target()).roots(server.certificatePem());
            failureOf(builder);
            failureOf(builder.clientCertificate(stranger.certificatePem(), stranger.keyPem()));
            assertAnswers(builder.clientCertificate(client.certificatePem(), client.keyPem()));
        }
    }

    @Test
    void aFileThatIsMissingIsNamed() {
        ArbiterClientBuilder builder = ArbiterClient.builder(proxy.target());
        UncheckedIOException failure =
                assertThrows(UncheckedIOException.class, () -> builder.roots(folder.resolve("none.pem")));
        assertTells("none.pem", failure.getMessage());
    }
}
