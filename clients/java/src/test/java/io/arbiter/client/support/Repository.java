package io.arbiter.client.support;

import java.nio.file.Path;

/** Paths of the repository. Maven sets the property {@code basedir} to the folder of the module. */
public final class Repository {
    public static final Path MODULE = Path.of(System.getProperty("basedir", "")).toAbsolutePath();
    public static final Path ROOT = MODULE.resolve("../..").normalize();

    private Repository() {}
}
