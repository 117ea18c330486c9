/** The examples of the README compile, and the first does what it says. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { test } from "node:test";

import { PACKAGE } from "./support/files.js";
import { startServer } from "./support/server.js";

const README = readFileSync(`${PACKAGE}README.md`, "utf8");
const FOLDER = `${PACKAGE}build/readme`;

/** The blocks of the README in a language. */
function blocks(language: string): string[] {
  return [...README.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, "gm"))].map(
    ([, text]) => text ?? "",
  );
}

/** Most examples go on with the client of the first. */
function complete(example: string): string {
  const isWhole = /const client\b/.test(example);
  return isWhole ? example : `declare const client: import("arbiter-client").Client;\n${example}`;
}

test("the examples compile, and the first prints what the README says", async () => {
  const examples = blocks("ts");
  assert.ok(examples.length > 5);
  const server = await startServer();
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  const config = {
    extends: "../../tsconfig.base.json",
    compilerOptions: { composite: false, skipLibCheck: true },
    include: ["."],
  };
  writeFileSync(`${FOLDER}/tsconfig.json`, JSON.stringify(config));
  for (const [index, example] of examples.entries()) {
    const text = complete(example).replaceAll("127.0.0.1:50051", server.target);
    writeFileSync(`${FOLDER}/example-${index + 1}.ts`, `${text}export {};\n`);
  }
  try {
    execFileSync(`${PACKAGE}node_modules/.bin/tsc`, ["--project", FOLDER], { stdio: "inherit" });
    const printed = execFileSync(process.execPath, [`${FOLDER}/example-1.js`], { encoding: "utf8" });
    assert.equal(printed, blocks("text")[0]);
  } finally {
    await server.stop();
  }
});
