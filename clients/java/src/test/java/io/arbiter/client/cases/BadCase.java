package io.arbiter.client.cases;

/** A case that is not written as it must be. */
final class BadCase extends Exception {
    private static final long serialVersionUID = 1;

    BadCase(String message) {
        super(message);
    }
}
