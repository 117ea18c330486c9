package io.arbiter.client.cases;

/** A case is invalid. */
final class InvalidCase extends Exception {
    private static final long serialVersionUID = 1;

    InvalidCase(String message) {
        super(message);
    }
}
