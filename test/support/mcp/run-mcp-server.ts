import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { ToolServerSpec } from "../../../src/core/tool-servers.js";
import { type OpenToolServers, openToolServers } from "../../../src/mcp/open-tool-servers.js";

const programOf = (file: string) => fileURLToPath(new URL(file, import.meta.url));

/** Server that is started over standard input and output. */
export function stdioSpec(name = "test"): ToolServerSpec {
  const args = [programOf("server.mjs"), "stdio"];
  return { name, transport: "stdio", command: process.execPath, args };
}

/** Server that misbehaves. */
export function misbehavingSpec(kind: string): ToolServerSpec {
  const args = [programOf("misbehaving.mjs"), kind];
  return { name: "bad", transport: "stdio", command: process.execPath, args };
}

/** Server over streamable HTTP, in a process that ends with the test. */
export async function startHttpServer(port = 0): Promise<{
  readonly spec: ToolServerSpec & { readonly transport: "http" };
  readonly stop: () => Promise<void>;
}> {
  const child = spawn(process.execPath, [programOf("server.mjs"), "http", String(port)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const stop = async () => {
    child.kill();
    await exited;
  };
  onTestFinished(stop);
  const [line] = await once(child.stdout, "data");
  const url = `http://127.0.0.1:${String(line).trim()}/mcp`;
  return { spec: { name: "test", transport: "http", url }, stop };
}

export interface OpenServers extends OpenToolServers {
  /** Log lines, as text. */
  readonly lines: readonly string[];
}

/** Connects to servers until the test has finished. */
export function openServers(specs: readonly ToolServerSpec[], callTimeoutMs = 10_000): OpenServers {
  const lines: string[] = [];
  const log = (details: object, message: string) => {
    lines.push(`${message} ${JSON.stringify(details)}`);
  };
  const opened = openToolServers(specs, {
    callTimeoutMs,
    log: { info: log, warn: log },
    version: "1.0.0",
    firstPauseMs: 20,
    waitingLimitMs: 60_000,
  });
  onTestFinished(() => opened.close());
  return { ...opened, lines };
}
