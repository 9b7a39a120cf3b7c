import { isIPv4, isIPv6 } from "node:net";
import { z } from "zod";
import { isHostName, separated } from "./setting-fields.js";

/** Port of a worker that none is given for, as in llama.cpp's rpc-server. */
export const WORKER_PORT = 50_052;

/** Maximum number of workers of a process (`GGML_RPC_MAX_SERVERS`). */
const MAX_WORKERS = 16;

const EXPECTED = "expected HOST:PORT with an IPv4 address or a host name, e.g. 10.0.0.2:50052";

/** Schema of the addresses of workers: a list whose entries may also be separated by commas. */
export function workerAddresses() {
  const address = z.string({ error: EXPECTED }).transform((text, context) => {
    const { host, port } = splitPort(text);
    // llama.cpp connects to IPv4 addresses only.
    const isKnown = isIPv4(host) || isHostName(host);
    if (isKnown && port !== undefined && port > 0) return `${host}:${port}`;
    context.issues.push({ code: "custom", message: EXPECTED, input: text });
    return z.NEVER;
  });
  return separated(address, MAX_WORKERS).refine((all) => new Set(all).size === all.length, {
    error: "expected each worker once",
  });
}

/** An address that a worker listens on; port 0 stands for any free port. */
export interface WorkerListenAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * Parses `ADDRESS[:PORT]`, with an IPv6 address in brackets.
 * @returns `undefined` if the text is neither an IP address nor `localhost`, or the port is invalid
 */
export function parseWorkerListenAddress(text: string): WorkerListenAddress | undefined {
  const { host, port } = splitPort(text);
  const isKnown = isIPv4(host) || isIPv6(host) || host === "localhost";
  return isKnown && port !== undefined ? { host, port } : undefined;
}

/** Formats an address as {@link parseWorkerListenAddress} reads it. */
export function formatWorkerAddress({ host, port }: WorkerListenAddress): string {
  return isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
}

const MAX_PORT = 65_535;

/** @returns `undefined` as the port if it is not a number from 0 to 65535 */
function splitPort(text: string): { readonly host: string; readonly port: number | undefined } {
  const { bracketed, plain, digits } =
    /^(?:\[(?<bracketed>[^\]]*)\]|(?<plain>[^:]*))(?::(?<digits>\d{1,5}))?$/.exec(text)?.groups ??
    {};
  const port = digits === undefined ? WORKER_PORT : Number(digits);
  return { host: bracketed ?? plain ?? "", port: port <= MAX_PORT ? port : undefined };
}
