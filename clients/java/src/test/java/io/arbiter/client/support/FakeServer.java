package io.arbiter.client.support;

import io.grpc.BindableService;
import io.grpc.Grpc;
import io.grpc.InsecureServerCredentials;
import io.grpc.Server;
import java.io.IOException;

/** A server whose responses a test defines: newer, broken, or overloaded. */
public final class FakeServer implements AutoCloseable {
    private final Server server;

    private FakeServer(Server server) {
        this.server = server;
    }

    public static FakeServer start(BindableService service) throws IOException {
        return new FakeServer(Grpc.newServerBuilderForPort(0, InsecureServerCredentials.create())
                .addService(service)
                .build()
                .start());
    }

    public String target() {
        return "127.0.0.1:" + server.getPort();
    }

    @Override
    public void close() {
        server.shutdownNow();
    }
}
