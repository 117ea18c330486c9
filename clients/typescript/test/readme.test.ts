/** The examples of the README compile, and have the output that the README shows. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { test } from "node:test";

import { PACKAGE } from "./support/files.js";
import { startServer } from "./support/server.js";

const README = readFileSync(`${PACKAGE}README.md`, "utf8");
const FOLDER = `${PACKAGE}build/readme`;

interface Example {
  code: string;
  /** Its output, if the README shows it: only then it is run. */
  printed: string | undefined;
}

const EXAMPLES: Example[] = [...README.matchAll(/^```ts\n([^]*?)^```\n(?:\n```text\n([^]*?)^```\n)?/gm)].map(
  ([, code = "", printed]) => ({ code, printed }),
);

/** Adds a client to examples that use that of the first. */
function complete({ code, printed }: Example): string {
  if (/const client\b/.test(code)) return code;
  return printed === undefined
    ? `declare const client: import("arbiter-client").Client;\n${code}`
    : `import { connect } from "arbiter-client/node";\nusing client = connect("127.0.0.1:50051");\n${code}`;
}

test("the examples compile, and have the output that the README shows", async () => {
  assert.ok(EXAMPLES.length > 5);
  assert.ok(EXAMPLES.filter(({ printed }) => printed !== undefined).length > 3);
  const server = await startServer();
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  const config = {
    extends: "../../tsconfig.base.json",
    compilerOptions: { composite: false, skipLibCheck: true },
    include: ["."],
  };
  writeFileSync(`${FOLDER}/tsconfig.json`, JSON.stringify(config));
  for (const [index, example] of EXAMPLES.entries()) {
    const text = complete(example).replaceAll("127.0.0.1:50051", server.target);
    writeFileSync(`${FOLDER}/example-${index + 1}.ts`, `${text}export {};\n`);
  }
  try {
    execFileSync(`${PACKAGE}node_modules/.bin/tsc`, ["--project", FOLDER], { stdio: "inherit" });
    for (const [index, { printed }] of EXAMPLES.entries()) {
      if (printed === undefined) continue;
      const file = `${FOLDER}/example-${index + 1}.js`;
      assert.equal(execFileSync(process.execPath, [file], { encoding: "utf8" }), printed);
    }
  } finally {
    await server.stop();
  }
});
