package io.arbiter.client.support;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/** A TLS proxy for a server without TLS. */
public final class TlsProxy implements AutoCloseable {
    private final SSLServerSocket listener;
    private final int serverPort;

    private TlsProxy(SSLServerSocket listener, int serverPort) {
        this.listener = listener;
        this.serverPort = serverPort;
    }

    /** Starts a proxy. If {@code client} is not null, the proxy requires its certificate. */
    public static TlsProxy start(int serverPort, Identity server, Identity client) throws Exception {
        SSLServerSocket listener = (SSLServerSocket) context(server, client)
                .getServerSocketFactory()
                .createServerSocket(0, 50, InetAddress.getLoopbackAddress());
        SSLParameters parameters = listener.getSSLParameters();
        parameters.setApplicationProtocols(new String[] {"h2"});
        parameters.setNeedClientAuth(client != null);
        listener.setSSLParameters(parameters);
        TlsProxy proxy = new TlsProxy(listener, serverPort);
        inBackground(proxy::accept);
        return proxy;
    }

    private static SSLContext context(Identity server, Identity client) throws GeneralSecurityException, IOException {
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(server.store(), Identity.PASSWORD);
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        if (client != null) {
            trusted.setCertificateEntry("client", client.certificate());
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        return context;
    }

    /** The address of the proxy, with the host name of its certificate. */
    public String target() {
        return "localhost:" + listener.getLocalPort();
    }

    public int port() {
        return listener.getLocalPort();
    }

    private void accept() throws IOException {
        while (true) {
            SSLSocket client = (SSLSocket) listener.accept();
            inBackground(() -> {
                client.startHandshake();
                Socket server = new Socket(InetAddress.getLoopbackAddress(), serverPort);
                inBackground(() -> copy(server, client));
                copy(client, server);
            });
        }
    }

    private static void copy(Socket from, Socket to) throws IOException {
        try (from;
                to) {
            from.getInputStream().transferTo(to.getOutputStream());
        }
    }

    private interface Work {
        void run() throws IOException;
    }

    private static void inBackground(Work work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (IOException ended) {
                // The connection or the proxy was closed: the other side will notice.
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
