/** Expected errors. */
import assert from "node:assert/strict";

/** Waits until a promise is rejected with an error of a class, and returns the error. */
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
  assert.fail(`expected ${kind.name}, got a response`);
}
