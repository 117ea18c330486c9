/** Paths of files. The tests run from `build/`. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The folder of this package. */
export const PACKAGE = fileURLToPath(new URL("../../", import.meta.url));

const REPOSITORY = fileURLToPath(new URL("../../../../", import.meta.url));

/** The server binary. */
export const BINARY = process.env.ARBITER_BINARY ?? `${REPOSITORY}target/debug/arbiter`;

/** The text of every case file, by its path below `tests/cases`, sorted by path. */
export function caseFiles(): Map<string, string> {
  const root = `${REPOSITORY}tests/cases`;
  const files = new Map<string, string>();
  for (const entry of readdirSync(root, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    for (const file of readdirSync(`${root}/${entry.name}`)) {
      files.set(`${entry.name}/${file}`, readFileSync(`${root}/${entry.name}/${file}`, "utf8"));
    }
  }
  return new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
}
