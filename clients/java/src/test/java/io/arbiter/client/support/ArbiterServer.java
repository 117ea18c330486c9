package io.arbiter.client.support;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The real server, on a free port. */
public final class ArbiterServer implements AutoCloseable {
    private static final Pattern ADDRESS = Pattern.compile("\\s+gRPC\\s+(\\S+)");

    private final Process process;
    private final String target;

    private ArbiterServer(Process process, String target) {
        this.process = process;
        this.target = target;
    }

    public static ArbiterServer start(String... flags) {
        String binary = Optional.ofNullable(System.getenv("ARBITER_BINARY"))
                .orElse(Repository.ROOT.resolve("target/debug/arbiter").toString());
        try {
            Process process = new ProcessBuilder(command(binary, flags))
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            Runtime.getRuntime().addShutdownHook(new Thread(process::destroy));
            BufferedReader banner = process.inputReader();
            String target = readTarget(banner);
            // Keep reading: the server would block on a full pipe.
            Thread reader = new Thread(() -> banner.lines().forEach(line -> {}));
            reader.setDaemon(true);
            reader.start();
            return new ArbiterServer(process, target);
        } catch (IOException failure) {
            throw new IllegalStateException("build the server, or set ARBITER_BINARY: " + failure.getMessage());
        }
    }

    /** On a free port, with a short drain: there is no load balancer, and no call to wait for. */
    private static List<String> command(String binary, String... flags) {
        String options =
                "--listen 127.0.0.1:0 --admin-listen 127.0.0.1:0 --log error --drain-delay 0s --drain-timeout 1s";
        return Stream.of(Stream.of(binary), Stream.of(options.split(" ")), Stream.of(flags))
                .flatMap(words -> words)
                .toList();
    }

    private static String readTarget(BufferedReader banner) throws IOException {
        for (String line = banner.readLine(); line != null; line = banner.readLine()) {
            Matcher address = ADDRESS.matcher(line);
            if (address.matches()) {
                return address.group(1);
            }
        }
        throw new IllegalStateException("the server did not print its address");
    }

    public String target() {
        return target;
    }

    public int port() {
        return Integer.parseInt(target.substring(target.lastIndexOf(':') + 1));
    }

    @Override
    public void close() {
        process.destroy();
        process.onExit().orTimeout(20, TimeUnit.SECONDS).join();
    }
}
