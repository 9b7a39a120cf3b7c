import { freePort } from "./child-server.js";
import { startGgufd } from "./ggufd.js";
import { type Balancer, startHaproxy } from "./haproxy.js";
import type { Replica, RunningServer, ServerSettings, Side } from "./server.js";

/**
 * Drain timeout that exceeds the duration of a benchmark's answer, so that none in flight is
 * aborted.
 */
const drainFlags = ["--drain-timeout", "30"];

/**
 * Two ggufd daemons behind HAProxy.
 * @param flags appended to those from the settings, for both daemons
 */
export function balancedGgufd(
  label: string,
  settings: ServerSettings,
  flags: readonly string[],
): Side {
  return {
    kind: "ggufd",
    label,
    async start(signal) {
      const started: { stop(): Promise<void> }[] = [];
      const stop = async () => void (await Promise.all(started.map((each) => each.stop())));
      // The daemons share one machine: waiting threads of one daemon would take the other's cores.
      const halved = { ...settings, threads: Math.max(1, Math.floor(settings.threads / 2)) };
      const startOne = async (name: string) => {
        const port = await freePort();
        const begin: Start = (aborted) =>
          startGgufd(label, halved, [...flags, ...drainFlags], aborted, { port });
        const daemon = await Daemon.start(name, port, begin, signal);
        started.push(daemon);
        return daemon;
      };
      try {
        const [a, b] = [await startOne("a"), await startOne("b")];
        const balancer = await startHaproxy([a.address, b.address]);
        started.push(balancer);
        for (const { name } of [a, b]) await balancer.sees(name, signal);
        return {
          baseUrl: `${balancer.url}/v1`,
          version: a.running.version,
          command: [`haproxy ${balancer.version}`, ...a.running.command],
          pid: undefined,
          stop,
          replicas: [a, b].map((daemon) => replicaOf(daemon, balancer)),
        };
      } catch (error) {
        await stop();
        throw error;
      }
    },
  };
}

type Start = (signal: AbortSignal) => Promise<RunningServer>;

/** Daemon that keeps its port across restarts. */
class Daemon {
  readonly name: string;
  /** `HOST:PORT` */
  readonly address: string;
  readonly #start: Start;
  #running: RunningServer;

  private constructor(name: string, port: number, start: Start, running: RunningServer) {
    this.name = name;
    this.address = `127.0.0.1:${port}`;
    this.#start = start;
    this.#running = running;
  }

  static async start(name: string, port: number, start: Start, signal: AbortSignal) {
    return new Daemon(name, port, start, await start(signal));
  }

  get running(): RunningServer {
    return this.#running;
  }

  async restart(signal: AbortSignal): Promise<void> {
    await this.stop();
    this.#running = await this.#start(signal);
  }

  stop(): Promise<void> {
    return this.#running.stop();
  }
}

/** Replica that counts as restarted once HAProxy sends requests to it again. */
function replicaOf(daemon: Daemon, balancer: Balancer): Replica {
  return {
    name: daemon.name,
    async restart(signal) {
      await daemon.restart(signal);
      await balancer.sees(daemon.name, signal);
    },
  };
}
