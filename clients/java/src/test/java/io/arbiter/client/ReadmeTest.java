package io.arbiter.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.arbiter.client.support.ArbiterServer;
import io.arbiter.client.support.Repository;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What README.md shows: the first example is run, and prints what is printed below it; all others compile. */
class ReadmeTest {
    private static final String ADDRESS = "127.0.0.1:50051";

    @TempDir
    private static Path folder;

    private static List<String> examples;
    private static String printed;

    @BeforeAll
    static void readExamples() throws Exception {
        String readme = Files.readString(Repository.MODULE.resolve("README.md"));
        examples = blocks(readme, "java");
        printed = blocks(readme, "text").get(0);
    }

    private static List<String> blocks(String markdown, String language) {
        List<String> blocks = new ArrayList<>();
        Matcher block =
                Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL).matcher(markdown);
        while (block.find()) {
            blocks.add(block.group(1));
        }
        return blocks;
    }

    private static void compile(String name, String source) throws Exception {
        Path file = Files.writeString(folder.resolve(name + ".java"), source);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter said = new StringWriter();
        List<String> options = List.of("-d", folder.toString(), "-Xlint:all", "-Werror", "-proc:none");
        try (var files = compiler.getStandardFileManager(null, null, null)) {
            boolean compiled = compiler.getTask(said, files, null, options, null, files.getJavaFileObjects(file))
                    .call();
            assertTrue(compiled, () -> said + source);
        }
    }

    @Test
    void theFirstExamplePrintsWhatIsBelowIt() throws Exception {
        PrintStream console = System.out;
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        try (ArbiterServer server = ArbiterServer.start();
                URLClassLoader loader =
                        new URLClassLoader(new URL[] {folder.toUri().toURL()})) {
            assertTrue(examples.get(0).contains(ADDRESS));
            compile("Play", examples.get(0).replace(ADDRESS, server.target()));
            System.setOut(new PrintStream(output, true));
            loader.loadClass("Play").getMethod("main", String[].class).invoke(null, (Object) new String[0]);
        } finally {
            System.setOut(console);
        }
        assertEquals(printed, output.toString());
    }

    @Test
    void allOtherExamplesCompile() throws Exception {
        for (int index = 1; index < examples.size(); index++) {
            String name = "Example" + index;
            compile(name, """
                    import static io.arbiter.client.Notation.*;

                    import io.arbiter.client.*;
                    import io.arbiter.v1.*;
                    import java.nio.file.Path;
                    import java.time.Duration;
                    import java.util.*;

                    class %s {
                        void run(ArbiterClient arbiter, State state) {
                            %s
                        }
                    }
                    """.formatted(name, examples.get(index)));
        }
        assertTrue(examples.size() > 1);
    }
}
