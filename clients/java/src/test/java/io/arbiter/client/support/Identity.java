package io.arbiter.client.support;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** A self-signed certificate and its key, in a key store and as PEM files. */
public record Identity(KeyStore store, Certificate certificate, Path certificatePem, Path keyPem) {
    static final char[] PASSWORD = "changeit".toCharArray();
    private static final String ALIAS = "it";

    /** Creates one for the host {@code localhost}, with the keytool of the JDK. */
    public static Identity make(Path folder, String name) throws Exception {
        Path file = folder.resolve(name + ".p12");
        Path program = Path.of(System.getProperty("java.home"), "bin", "keytool");
        // The JVM option: keytool is too short for the C2 compiler to pay off.
        String options = "-J-XX:TieredStopAtLevel=1 -genkeypair -keyalg EC -ext san=dns:localhost -alias %s"
                + " -dname CN=%s -storepass %s -keystore";
        List<String> command = new ArrayList<>(List.of(program.toString()));
        command.addAll(
                List.of(options.formatted(ALIAS, name, new String(PASSWORD)).split(" ")));
        command.add(file.toString());
        Process keytool = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(keytool.getInputStream().readAllBytes());
        if (keytool.waitFor() != 0) {
            throw new IllegalStateException(output);
        }
        return read(folder, name, file);
    }

    private static Identity read(Path folder, String name, Path file) throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream stored = Files.newInputStream(file)) {
            store.load(stored, PASSWORD);
        }
        Certificate certificate = store.getCertificate(ALIAS);
        byte[] key = store.getKey(ALIAS, PASSWORD).getEncoded();
        return new Identity(
                store,
                certificate,
                writePem(folder.resolve(name + ".pem"), "CERTIFICATE", certificate.getEncoded()),
                writePem(folder.resolve(name + ".key"), "PRIVATE KEY", key));
    }

    private static Path writePem(Path file, String kind, byte[] content) throws IOException {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        return Files.writeString(file, "-----BEGIN %1$s-----%n%2$s%n-----END %1$s-----%n".formatted(kind, text));
    }
}
