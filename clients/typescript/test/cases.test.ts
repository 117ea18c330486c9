/** Runs the cases of `tests/cases` over every protocol of the service. */
import { after, before, test } from "node:test";

import type { Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";

import { runFiles } from "./cases/runner.js";
import { caseFiles } from "./support/files.js";
import { checkReport } from "./support/report.js";
import { startServer, type Server } from "./support/server.js";

let server: Server;
before(async () => {
  server = await startServer();
});
after(() => server.stop());

/** Runs all cases. Only gRPC supports bidirectional streams everywhere. */
function testCases(
  protocol: string,
  transport: (baseUrl: string) => Transport,
  { streams = false } = {},
): void {
  test(`cases, over ${protocol}`, async (t) => {
    checkReport(t, await runFiles(transport(`http://${server.target}`), caseFiles(), { streams }));
  });
}

testCases("gRPC", (baseUrl) => createGrpcTransport({ baseUrl }), { streams: true });
for (const httpVersion of ["1.1", "2"] as const) {
  testCases(`gRPC-Web and HTTP/${httpVersion}`, (baseUrl) =>
    createGrpcWebTransport({ baseUrl, httpVersion }),
  );
  for (const useBinaryFormat of [true, false]) {
    const format = useBinaryFormat ? "binary" : "JSON";
    testCases(`Connect in ${format} and HTTP/${httpVersion}`, (baseUrl) => {
      return createConnectTransport({ baseUrl, httpVersion, useBinaryFormat });
    });
  }
}
