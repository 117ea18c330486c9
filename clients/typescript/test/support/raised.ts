/** Errors that are wanted. */
import assert from "node:assert/strict";

/** Waits for a promise to be rejected with an error of a class, and returns that. */
export async function raised<E extends Error>(
  promise: Promise<unknown>,
  kind: abstract new (...args: never[]) => E,
): Promise<E> {
  try {
    await promise;
  } catch (error) {
    assert.ok(error instanceof kind, `expected ${kind.name}, got ${String(error)}`);
    return error;
  }
  assert.fail(`expected ${kind.name}, got an answer`);
}
