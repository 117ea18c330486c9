/** What the cases have come to, as the result of a test. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";

import type { Report } from "../cases/runner.js";

/** Fails with everything that was not as it should be. */
export function checkReport(t: TestContext, { asked, answered, items, failures }: Report): void {
  t.diagnostic(`${answered} of ${asked} cases are answered as they say, ${items} of them also as items`);
  assert.notEqual(asked, 0, "there are no cases");
  assert.equal(failures.length, 0, `\n${failures.join("\n\n")}\n\n${failures.length} failures`);
}
