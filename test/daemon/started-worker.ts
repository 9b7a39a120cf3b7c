import { once } from "node:events";
import { entry, type Launched, launch, temporaryFolder } from "./daemon.js";

/** A started `ggufd worker`, which is killed after the test. */
export interface StartedWorker extends Launched {
  readonly process: Launched["child"];
  /** Address and port. */
  readonly address: string;
  readonly port: number;
}

/** Starts a worker on the CPU and waits until it listens. */
export async function startWorker(args: readonly string[] = [], port = 0): Promise<StartedWorker> {
  const launched = launchWorker(["--listen", `127.0.0.1:${port}`, "--gpu", "off", ...args]);
  const { child, output, exited } = launched;
  while (!/On the machine/.test(output.stdout)) {
    const first = await Promise.race([once(child.stdout, "data"), exited]);
    if ("code" in first) throw new Error(`the worker exited: ${output.stderr}`);
  }
  const [, address = "", boundPort = ""] =
    /^ {2}address +(127\.0\.0\.1:(\d+))$/m.exec(output.stdout) ?? [];
  return { ...launched, process: child, address, port: Number(boundPort) };
}

export function launchWorker(args: readonly string[]): Launched {
  const cwd = temporaryFolder();
  return launch(process.execPath, [entry, "worker", "--threads", "1", ...args], {
    cwd,
    env: { PATH: process.env.PATH, XDG_CACHE_HOME: cwd, XDG_DATA_HOME: cwd },
  });
}
