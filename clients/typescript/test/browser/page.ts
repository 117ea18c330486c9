/** What a page does in the browser. The test calls it, and gets back what can be sent: errors as what they tell. */
import { createConnectTransport, createGrpcWebTransport } from "@connectrpc/connect-web";
import { ArbiterError, Client, IllegalMoveError, RefusedError } from "arbiter-client";
import { connect } from "arbiter-client/web";

import { runFiles, type Report } from "../cases/runner.js";
import { games } from "../games.js";

/** What an error of the client tells. */
export interface Told {
  name: string;
  code: number;
  message: string;
  reasons: { code: string; field: string; clause: string }[];
  isIllegalMove: boolean;
}

/** A protocol that a page can speak. */
export type Protocol = "gRPC-Web" | "Connect in JSON";

const page = {
  /** Plays a game. */
  async play(url: string, protocol: Protocol, game: string): Promise<void> {
    const play = games[game];
    if (play === undefined) throw new Error(`there is no game "${game}"`);
    const overConnect = () => new Client(createConnectTransport({ baseUrl: url }));
    await play(protocol === "gRPC-Web" ? connect(url) : overConnect());
  },

  /** Runs the case files, by name. */
  async runCases(url: string, protocol: Protocol, files: [string, string][]): Promise<Report> {
    const create = protocol === "gRPC-Web" ? createGrpcWebTransport : createConnectTransport;
    return await runFiles(create({ baseUrl: url }), files, { streams: false });
  },

  /** Tries a call that is to fail. */
  async fail(url: string, call: "applyMove" | "evaluate", timeoutMs?: number): Promise<Told> {
    const client = connect(url, { retry: false, timeoutMs });
    try {
      await (call === "applyMove" ? client.applyMove("444444", "4") : client.evaluate([]).next());
    } catch (error) {
      if (error instanceof ArbiterError) return tell(error);
    }
    throw new Error("the call has not failed, or not as it should have");
  },
};

function tell(error: ArbiterError): Told {
  const { name, code, message } = error;
  const reasons = error instanceof RefusedError ? error.reasons : [];
  return { name, code, message, reasons: [...reasons], isIllegalMove: error instanceof IllegalMoveError };
}

/** What the test finds in the window. */
export type Page = typeof page;

Object.assign(window, { page });
