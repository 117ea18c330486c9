/** The real service, started for a test. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

import { BINARY } from "./files.js";

/** A service that runs. */
export interface Server {
  /** Its address, a `host:port`. */
  target: string;
  /** Ends it, and waits until it has. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** Starts the service with further flags, on a free port unless they say otherwise. */
export async function startServer(...flags: string[]): Promise<Server> {
  const common = ["--admin-listen", "127.0.0.1:0", "--log", "warn", "--drain-delay", "0s"];
  const listen = flags.includes("--listen") ? [] : ["--listen", "127.0.0.1:0"];
  const child = spawn(BINARY, [...common, ...listen, ...flags], { stdio: ["ignore", "pipe", "inherit"] });
  // A test that ends before its time leaves no service behind.
  process.once("exit", () => child.kill("SIGKILL"));
  // One that could not be started has no end to wait for: it is told below.
  const exited = once(child, "exit").catch(() => undefined);
  const stop = async (signal: NodeJS.Signals = "SIGTERM") => {
    child.kill(signal);
    await exited;
  };
  for await (const line of createInterface(child.stdout)) {
    const target = /^ {2}gRPC {3}(\S+)$/.exec(line)?.[1];
    if (target !== undefined) return { target, stop };
  }
  throw new Error(`${BINARY} has not started`);
}
