package io.arbiter.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.arbiter.client.support.ArbiterServer;
import io.arbiter.client.support.Repository;
import io.arbiter.v1.State;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.StringWriter;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every example of README.md compiles. If the README shows its output, it is run, and must have that output. */
class ReadmeTest {
    private static final String ADDRESS = "127.0.0.1:50051";

    @AutoClose
    private static final ArbiterServer SERVER = ArbiterServer.start();

    @TempDir
    private static Path folder;

    private static List<Example> examples;

    /** A block of Java and its output; {@code null} if the README does not show it. */
    private record Example(String source, String output) {}

    @BeforeAll
    static void readExamples() throws Exception {
        String readme = Files.readString(Repository.MODULE.resolve("README.md"));
        Matcher block = Pattern.compile("```java\n(.*?)```(?:\n\n```text\n(.*?)```)?", Pattern.DOTALL)
                .matcher(readme);
        examples = new ArrayList<>();
        while (block.find()) {
            examples.add(new Example(block.group(1), block.group(2)));
        }
    }

    private static void compile(String name, String source) throws Exception {
        Path file = Files.writeString(folder.resolve(name + ".java"), source);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter messages = new StringWriter();
        List<String> options = List.of("-d", folder.toString(), "-Xlint:all", "-Werror", "-proc:none");
        try (var files = compiler.getStandardFileManager(null, null, null)) {
            boolean compiled = compiler.getTask(messages, files, null, options, null, files.getJavaFileObjects(file))
                    .call();
            assertTrue(compiled, () -> messages + source);
        }
    }

    /** Calls a static method of a compiled example, and returns its output. */
    private static String run(String name, String method, Class<?>[] types, Object... arguments) throws Exception {
        PrintStream console = System.out;
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {folder.toUri().toURL()})) {
            Method example = loader.loadClass(name).getMethod(method, types);
            System.setOut(new PrintStream(output, true, StandardCharsets.UTF_8));
            example.invoke(null, arguments);
        } finally {
            System.setOut(console);
        }
        return output.toString(StandardCharsets.UTF_8);
    }

    @Test
    void theFirstExampleIsAProgram() throws Exception {
        Example program = examples.get(0);
        assertTrue(program.source.contains(ADDRESS));
        compile("Play", program.source.replace(ADDRESS, SERVER.target()));
        assertEquals(program.output, run("Play", "main", new Class<?>[] {String[].class}, (Object) new String[0]));
    }

    @Test
    void theOtherExamplesCompileAndHaveTheirOutput() throws Exception {
        int printing = 0;
        try (ArbiterClient arbiter = ArbiterClient.connect(SERVER.target())) {
            for (int index = 1; index < examples.size(); index++) {
                String name = "Example" + index;
                Example example = examples.get(index);
                compile(name, """
                        import static io.arbiter.client.Notation.*;

                        import io.arbiter.client.*;
                        import io.arbiter.v1.*;
                        import java.nio.file.Path;
                        import java.time.Duration;
                        import java.util.*;

                        public class %s {
                            public static void run(ArbiterClient arbiter, State state) {
                                %s
                            }
                        }
                        """.formatted(name, example.source));
                if (example.output != null) {
                    Class<?>[] types = {ArbiterClient.class, State.class};
                    assertEquals(example.output, run(name, "run", types, arbiter, Notation.state("c4:")));
                    printing++;
                }
            }
        }
        assertTrue(printing > 0);
    }
}
