import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { InputError } from "../../models/command-line/input-error.js";
import { formatReason } from "../../src/core/format-reason.js";
import { freePort } from "./child-server.js";

const configuration = fileURLToPath(new URL("../../deploy/haproxy/haproxy.cfg", import.meta.url));
const POLL_INTERVAL_MS = 50;
const START_TIMEOUT_MS = 20_000;

/** HAProxy in front of two daemons, with the shipped configuration. */
export interface Balancer {
  /** `http://127.0.0.1:PORT`, which is relayed to the TLS port. */
  readonly url: string;
  readonly version: string;
  /** Resolves once HAProxy sends requests to a daemon, `a` or `b`. */
  sees(replica: string, signal: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts HAProxy (`HAPROXY_PATH`, or the one in PATH).
 * @param addresses `HOST:PORT` of the daemons a and b
 * @throws {InputError} if it or openssl is missing, or does not start
 */
export async function startHaproxy(addresses: readonly [string, string]): Promise<Balancer> {
  const program = process.env.HAPROXY_PATH ?? "haproxy";
  // Debian installs it in a folder that is only in root's PATH.
  const environment = { PATH: `${process.env.PATH}:/usr/sbin` };
  const version = /version (\S+)/.exec(
    spawnSync(program, ["-v"], { encoding: "utf8", env: environment }).stdout,
  )?.[1];
  if (version === undefined)
    throw new InputError("haproxy: expected it to be installed (apt-get install haproxy openssl)");
  const folder = mkdtempSync(join(tmpdir(), "ggufd-haproxy-"));
  const ports = { https: await freePort(), http: await freePort(), plain: await freePort() };
  const agent = String(await freePort());
  const [admin, log, relay] = [
    join(folder, "admin"),
    join(folder, "log"),
    join(folder, "relay.cfg"),
  ];
  writeFileSync(relay, relayTo(ports));
  const output = openSync(log, "w");
  const child = spawn(program, ["-db", "-f", configuration, "-f", relay], {
    env: {
      ...environment,
      GGUFD_A: addresses[0],
      GGUFD_B: addresses[1],
      GGUFD_A_AGENT: agent,
      GGUFD_B_AGENT: agent,
      GGUFD_HTTPS: `127.0.0.1:${ports.https}`,
      GGUFD_HTTP: `127.0.0.1:${ports.http}`,
      GGUFD_CERTIFICATE: selfSigned(folder),
      GGUFD_ADMIN: admin,
    },
    stdio: ["ignore", output, output],
  });
  closeSync(output);
  // Covers the case that this process exits without stopping it.
  const kill = () => void child.kill("SIGKILL");
  process.once("exit", kill);
  return {
    url: `http://127.0.0.1:${ports.plain}`,
    version,
    async sees(replica, signal) {
      const deadlineMs = performance.now() + START_TIMEOUT_MS;
      while ((await statusOf(admin, replica)) !== "UP") {
        if (child.exitCode !== null || performance.now() > deadlineMs) {
          const lastOutput = formatReason(readFileSync(log, "utf8").slice(-400));
          throw new InputError(`haproxy: it does not see daemon ${replica}: ${lastOutput}`);
        }
        await delay(POLL_INTERVAL_MS, undefined, { signal });
      }
    },
    async stop() {
      process.off("exit", kill);
      if (child.exitCode === null) {
        child.kill("SIGKILL");
        await once(child, "exit");
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Configuration of a relay from plain HTTP to TLS, because the benchmark's clients do not support
 * TLS.
 */
function relayTo({ plain, https }: { readonly plain: number; readonly https: number }): string {
  return [
    "listen plain",
    "    mode tcp",
    `    bind 127.0.0.1:${plain}`,
    `    server encrypted 127.0.0.1:${https} ssl verify none`,
    "",
  ].join("\n");
}

/** Status of a daemon in HAProxy's statistics; still `UP` after a single failed check. */
async function statusOf(admin: string, replica: string): Promise<string | undefined> {
  try {
    const connection = createConnection(admin);
    connection.end("show stat ggufd -1 -1\n");
    const [header = [], ...lines] = (await text(connection))
      .split("\n")
      .map((line) => line.split(","));
    const status = lines.find(([, server]) => server === replica)?.[header.indexOf("status")];
    return status?.split(" ", 1)[0];
  } catch {
    return undefined;
  }
}

/** Creates a self-signed certificate and its key in one file, as HAProxy reads them. */
function selfSigned(folder: string): string {
  const [key, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
  const { status, stderr } = spawnSync("openssl", [
    ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
    ...["-days", "1", "-subj", "/CN=127.0.0.1", "-keyout", key, "-out", certificate],
  ]);
  if (status !== 0) throw new InputError(`openssl: a certificate was expected, got: ${stderr}`);
  const both = join(folder, "both.pem");
  writeFileSync(both, Buffer.concat([readFileSync(certificate), readFileSync(key)]));
  return both;
}
