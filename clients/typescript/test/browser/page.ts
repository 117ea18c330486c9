/** The functions that the tests call in the browser. They return errors as plain objects. */
import { createConnectTransport, createGrpcWebTransport } from "@connectrpc/connect-web";
import { ArbiterError, Client, IllegalMoveError, RefusedError } from "arbiter-client";
import { connect } from "arbiter-client/web";

import { runFiles, type Report } from "../cases/runner.js";
import { games } from "../games.js";

/** An error of the client, as a plain object. */
export interface PlainError {
  name: string;
  code: number;
  message: string;
  reasons: { code: string; field: string; clause: string }[];
  isIllegalMove: boolean;
}

/** A protocol of the page. */
export type Protocol = "gRPC-Web" | "Connect in JSON";

const page = {
  /** Plays a game. */
  async play(url: string, protocol: Protocol, game: string): Promise<void> {
    const play = games[game];
    if (play === undefined) throw new Error(`unknown game "${game}"`);
    const overConnect = () => new Client(createConnectTransport({ baseUrl: url }));
    await play(protocol === "gRPC-Web" ? connect(url) : overConnect());
  },

  /** Runs the case files, by name. */
  async runCases(url: string, protocol: Protocol, files: [string, string][]): Promise<Report> {
    const create = protocol === "gRPC-Web" ? createGrpcWebTransport : createConnectTransport;
    return await runFiles(create({ baseUrl: url }), files, { streams: false });
  },

  /** Makes a call that must fail, and returns its error. */
  async fail(url: string, call: "applyMove" | "evaluate", timeoutMs?: number): Promise<PlainError> {
    const client = connect(url, { retry: false, timeoutMs });
    try {
      await (call === "applyMove" ? client.applyMove("444444", "4") : client.evaluate([]).next());
    } catch (error) {
      if (error instanceof ArbiterError) return toPlain(error);
    }
    throw new Error("the call did not fail with an ArbiterError");
  },
};

function toPlain(error: ArbiterError): PlainError {
  const { name, code, message } = error;
  const reasons = error instanceof RefusedError ? error.reasons : [];
  return { name, code, message, reasons: [...reasons], isIllegalMove: error instanceof IllegalMoveError };
}

/** The type of `window.page`. */
export type Page = typeof page;

Object.assign(window, { page });
