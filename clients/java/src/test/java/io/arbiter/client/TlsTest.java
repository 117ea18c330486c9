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

/** TLS and mutual TLS, with a proxy in front of the real server. */
class TlsTest {
    @AutoClose
    private static final ArbiterServer SERVER = ArbiterServer.start();

    @TempDir
    private static Path folder;

    private static Identity server;
    private static Identity untrusted;

    @AutoClose
    private static TlsProxy proxy;

    @BeforeAll
    static void makeCertificates() throws Exception {
        server = Identity.make(folder, "server");
        untrusted = Identity.make(folder, "untrusted");
        proxy = TlsProxy.start(SERVER.port(), server, null);
    }

    private static void assertSucceeds(ArbiterClientBuilder builder) {
        try (ArbiterClient arbiter = builder.build()) {
            assertEquals(4, arbiter.listGames().getGamesCount());
        }
    }

    private static String failureOf(ArbiterClientBuilder builder) {
        try (ArbiterClient arbiter = builder.build()) {
            return assertThrows(UnreachableException.class, arbiter::listGames).getMessage();
        }
    }

    private static void assertContains(String part, String message) {
        assertTrue(message.contains(part), message);
    }

    @Test
    void aTrustedRoot() {
        assertSucceeds(ArbiterClient.builder(proxy.target()).roots(server.certificatePem()));
    }

    @Test
    void anUntrustedRootIsUnreachable() {
        String path = "unable to find valid certification path";
        assertContains(path, failureOf(ArbiterClient.builder(proxy.target()).roots(untrusted.certificatePem())));
        assertContains(path, failureOf(ArbiterClient.builder(proxy.target()).tls()));
    }

    @Test
    void anotherNameIsUnreachable() {
        ArbiterClientBuilder byAddress =
                ArbiterClient.builder("127.0.0.1:" + proxy.port()).roots(server.certificatePem());
        assertContains("No subject alternative names", failureOf(byAddress));
        assertSucceeds(byAddress.serverName("localhost"));
    }

    @Test
    void mutualTls() throws Exception {
        Identity client = Identity.make(folder, "client");
        try (TlsProxy mutual = TlsProxy.start(SERVER.port(), server, client)) {
            ArbiterClientBuilder builder =
                    ArbiterClient.builder(mutual.target()).roots(server.certificatePem());
            failureOf(builder);
            failureOf(builder.clientCertificate(untrusted.certificatePem(), untrusted.keyPem()));
            assertSucceeds(builder.clientCertificate(client.certificatePem(), client.keyPem()));
        }
    }

    @Test
    void aMissingFileIsNamed() {
        ArbiterClientBuilder builder = ArbiterClient.builder(proxy.target());
        UncheckedIOException failure =
                assertThrows(UncheckedIOException.class, () -> builder.roots(folder.resolve("none.pem")));
        assertContains("none.pem", failure.getMessage());
    }
}
