import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { type RequestOptions, request } from "node:https";
import { createConnection } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { eventually } from "../support/eventually.js";
import { freePort } from "../support/free-port.js";
import { outputOf } from "../support/output-of.js";
import { temporaryFolder } from "./daemon.js";

/** Shipped configuration. */
export const configuration = fileURLToPath(
  new URL("../../deploy/haproxy/haproxy.cfg", import.meta.url),
);
const places = [process.env.HAPROXY_PATH, "/usr/sbin/haproxy", "/usr/local/sbin/haproxy"];

/** Path of the installed HAProxy: `HAPROXY_PATH` or a usual path. Undefined if there is none. */
export function findHaproxy(): string | undefined {
  return places.find((place) => place !== undefined && existsSync(place));
}

/** The daemons of `deploy/haproxy/haproxy.cfg`. */
export type ReplicaName = "a" | "b";

/**
 * Addresses of the daemons of `deploy/haproxy/haproxy.cfg`; an agent is absent unless a test has
 * one.
 */
export interface Replicas {
  /** `http://HOST:PORT` */
  readonly a: string;
  readonly b: string;
  readonly agentPortOfA?: number;
}

/** HAProxy with the configuration that ships, and its own certificate. */
export interface Balancer {
  /** Sends a request; its certificate is verified. */
  send(
    path: string,
    options?: RequestOptions & { readonly body?: object },
  ): Promise<IncomingMessage>;
  /** Resolves once HAProxy reports the daemon as `UP` or `DOWN`. */
  sees(replica: ReplicaName, status: "UP" | "DOWN"): Promise<void>;
  /** The weight of a daemon among the others, of 100 as configured. */
  weightOf(replica: ReplicaName): Promise<string>;
}

/**
 * Starts HAProxy in front of two daemons and waits until it reports both; it is killed after the
 * test.
 */
export async function balance(
  program: string,
  { a, b, agentPortOfA }: Replicas,
): Promise<Balancer> {
  const folder = temporaryFolder();
  const certificate = selfSigned(folder);
  const [https, http, noAgent] = [await freePort(), await freePort(), await freePort()];
  const admin = join(folder, "admin.sock");
  const child = spawn(program, ["-db", "-f", configuration], {
    env: {
      GGUFD_A: new URL(a).host,
      GGUFD_B: new URL(b).host,
      GGUFD_A_AGENT: String(agentPortOfA ?? noAgent),
      GGUFD_B_AGENT: String(noAgent),
      GGUFD_HTTPS: `127.0.0.1:${https}`,
      GGUFD_HTTP: `127.0.0.1:${http}`,
      GGUFD_CERTIFICATE: certificate,
      GGUFD_ADMIN: admin,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = outputOf(child);
  onTestFinished(async () => {
    if (child.exitCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "close");
  });
  const ca = readFileSync(certificate);
  const field = async (replica: string, name: string) =>
    fieldOf(await ask(admin, "show stat ggufd -1 -1"), replica, name);
  const balancer: Balancer = {
    send: (path, { body, ...options } = {}) =>
      new Promise((resolve, reject) => {
        const json = body === undefined ? undefined : JSON.stringify(body);
        const headers = json === undefined ? {} : { "content-type": "application/json" };
        const method = json === undefined ? "GET" : "POST";
        const where = { host: "127.0.0.1", port: https, ca, agent: false as const };
        request({ ...where, path, method, headers, ...options })
          .on("response", resolve)
          .on("error", reject)
          .end(json);
      }),
    sees: (replica, status) =>
      eventually(async () => {
        if (child.exitCode !== null) throw new Error(`HAProxy has ended: ${output.stderr}`);
        const seen = await field(replica, "status");
        if (!seen.startsWith(status))
          throw new Error(`${replica}: expected ${status}, got ${seen}`);
      }),
    weightOf: (replica) => field(replica, "weight"),
  };
  await Promise.all([balancer.sees("a", "UP"), balancer.sees("b", "UP")]);
  return balancer;
}

/** A certificate for 127.0.0.1 and its key in one file, as HAProxy reads them. */
export function selfSigned(folder: string): string {
  const key = join(folder, "key.pem");
  const certificate = join(folder, "certificate.pem");
  const both = join(folder, "both.pem");
  const { status, stderr } = spawnSync("openssl", [
    ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
    ...["-days", "1", "-subj", "/CN=ggufd", "-addext", "subjectAltName=IP:127.0.0.1"],
    ...["-keyout", key, "-out", certificate],
  ]);
  if (status !== 0) throw new Error(`openssl: ${stderr}`);
  writeFileSync(both, Buffer.concat([readFileSync(certificate), readFileSync(key)]));
  return both;
}

/** Sends one command to HAProxy's runtime interface. */
async function ask(socket: string, command: string): Promise<string> {
  const connection = createConnection(socket);
  connection.end(`${command}\n`);
  return text(connection);
}

/** A field of a server's line in HAProxy's statistics, which are CSV with a commented header. */
function fieldOf(statistics: string, server: string, name: string): string {
  const [header = "", ...lines] = statistics.split("\n").map((line) => line.split(","));
  return lines.find((fields) => fields[1] === server)?.[header.indexOf(name)] ?? "";
}
