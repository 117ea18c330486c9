/** The client in a real browser, in a page whose origin differs from that of the service. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { createServer as createSocketServer } from "node:net";
import { after, before, test } from "node:test";

import { Code } from "@connectrpc/connect";
import { build } from "esbuild";
import { chromium, type Browser, type Page as Tab } from "playwright-core";

import type { Page } from "./browser/page.js";
import { games } from "./games.js";
import { caseFiles, PACKAGE } from "./support/files.js";
import { checkReport } from "./support/report.js";
import { startServer, type Server } from "./support/server.js";
import { listen, type Listener } from "./support/sockets.js";

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

let site: Listener;
let server: Server;
let browser: Browser;
let tab: Tab;
before(async () => {
  site = await listen(await createSite());
  server = await startServer("--cors-allow-origin", `http://${site.target}`);
  browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  tab = await browser.newPage();
  await tab.goto(`http://${site.target}/`);
});
after(async () => {
  await browser.close();
  await server.stop();
  await site[Symbol.asyncDispose]();
});

/** A site with one page, whose script is browser/page.ts with the client. */
async function createSite() {
  const entryPoints = [`${PACKAGE}build/browser/page.js`];
  const { outputFiles } = await build({ entryPoints, bundle: true, write: false, logLevel: "warning" });
  const script = outputFiles[0]?.text ?? "";
  return createServer(({ url }, response) => {
    const isScript = url === "/page.js";
    response.setHeader("content-type", isScript ? "text/javascript" : "text/html");
    response.end(isScript ? script : `<!doctype html><script src="/page.js"></script>`);
  });
}

/** Calls a function of the page. */
function inPage<K extends keyof Page>(
  name: K,
  ...args: Parameters<Page[K]>
): Promise<Awaited<ReturnType<Page[K]>>> {
  type FunctionCall = [string, unknown[]];
  const run = ([name, args]: FunctionCall) => {
    const { page } = window as unknown as { page: Record<string, (...args: unknown[]) => unknown> };
    return page[name]?.(...args);
  };
  return tab.evaluate(run, [name, args] as FunctionCall) as Promise<Awaited<ReturnType<Page[K]>>>;
}

for (const protocol of ["gRPC-Web", "Connect in JSON"] as const) {
  for (const game of Object.keys(games)) {
    test(`${game}, over ${protocol}`, () => inPage("play", `http://${server.target}`, protocol, game));
  }

  test(`cases, over ${protocol}`, async (t) => {
    checkReport(t, await inPage("runCases", `http://${server.target}`, protocol, [...caseFiles()]));
  });
}

test("an illegal move has its reasons", async () => {
  const error = await inPage("fail", `http://${server.target}`, "applyMove");
  assert.equal(error.isIllegalMove, true);
  assert.equal(error.message, "illegal move: column 4 is full");
  assert.deepEqual(
    error.reasons.map(({ code, field, clause }) => [code, field, clause]),
    [["ERROR_REASON_COLUMN_FULL", "move.notation", "C4-2"]],
  );
});

test("a service that does not allow the origin of the page is unreachable, and the message says why", async () => {
  const closed = await startServer();
  const error = await inPage("fail", `http://${closed.target}`, "applyMove");
  await closed.stop();
  assert.deepEqual([error.name, error.code], ["UnreachableError", Code.Unavailable]);
  assert.match(error.message, new RegExp(`^cannot reach http://${closed.target}: .*--cors-allow-origin`));
});

test("a silent server exceeds the deadline", async () => {
  await using silent = await listen(createSocketServer());
  const error = await inPage("fail", `http://${silent.target}`, "applyMove", 200);
  assert.deepEqual([error.name, error.code], ["DeadlineError", Code.DeadlineExceeded]);
});

test("a stream of requests is an error", async () => {
  const error = await inPage("fail", `http://${server.target}`, "evaluate");
  assert.match(error.message, /does not support streaming request bodies/);
});
