package io.arbiter.client.support;

import java.nio.file.Path;

/** Where things are: Maven runs tests in the folder of the module, and tells it. */
public final class Repository {
    public static final Path MODULE = Path.of(System.getProperty("basedir", "")).toAbsolutePath();
    public static final Path ROOT = MODULE.resolve("../..").normalize();

    private Repository() {}
}
