/** Starts the real server. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

import { BINARY } from "./files.js";

/** A running server. */
export interface Server {
  /** Its address, a `host:port`. */
  target: string;
  /** Stops it, and waits until it has exited. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** Starts the server with additional flags, on a free port by default. */
export async function startServer(...flags: string[]): Promise<Server> {
  const common = ["--admin-listen", "127.0.0.1:0", "--log", "warn", "--drain-delay", "0s"];
  const listen = flags.includes("--listen") ? [] : ["--listen", "127.0.0.1:0"];
  const child = spawn(BINARY, [...common, ...listen, ...flags], { stdio: ["ignore", "pipe", "inherit"] });
  // Also stop the server if the test process exits early.
  process.once("exit", () => child.kill("SIGKILL"));
  // If the server cannot be started, there is no exit event, and the loop below throws.
  const exited = once(child, "exit").catch(() => undefined);
  const stop = async (signal: NodeJS.Signals = "SIGTERM") => {
    child.kill(signal);
    await exited;
  };
  for await (const line of createInterface(child.stdout)) {
    const target = /^ {2}gRPC {3}(\S+)$/.exec(line)?.[1];
    if (target !== undefined) return { target, stop };
  }
  throw new Error(`${BINARY} did not print its address`);
}
