/** The report of the case runner as the result of a test. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";

import type { Report } from "../cases/runner.js";

/** Fails the test with all failures. */
export function checkReport(t: TestContext, { total, passed, items, failures }: Report): void {
  t.diagnostic(`${passed} of ${total} cases passed, ${items} of them also as items`);
  assert.notEqual(total, 0, "there are no cases");
  assert.equal(failures.length, 0, `\n${failures.join("\n\n")}\n\n${failures.length} failures`);
}
